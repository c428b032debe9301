# SPDX-License-Identifier: Apache-2.0
"""The scripts of docs/python.md run as they stand there; those marked `no-run` need a GPU."""
import pathlib
import re
import unittest

import in_folder

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_scripts_print_what_their_comments_say(self):
        scripts = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
        self.assertGreaterEqual(len(scripts), 2)
        for script in scripts:
            with self.subTest(script.splitlines()[1]):
                names = {"__name__": "__main__"}
                printed = in_folder.printed(lambda: exec(compile(script, "docs/python.md", "exec"), names))
                for said in re.findall(r"# .*?: (<.*>)$", script, re.M):
                    self.assertIn(said, printed)


if __name__ == "__main__":
    unittest.main()
