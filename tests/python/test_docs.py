# SPDX-License-Identifier: Apache-2.0
"""The scripts of the pages about Python run as they stand there; those marked `no-run` need a GPU."""
import inspect
import pathlib
import re
import unittest

import cutune.kernel_tuner as kernel_tuner
import in_folder

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "reference/python.md"
KERNEL_TUNER = DOCS / "how-to/kernel-tuner.md"


class Page(unittest.TestCase):
    def test_scripts_print_what_their_comments_say(self):
        scripts = re.findall(r"^```python\n(.*?)^```", PAGE.read_text() + KERNEL_TUNER.read_text(), re.M | re.S)
        self.assertGreaterEqual(len(scripts), 2)
        for script in scripts:
            with self.subTest(script.splitlines()[1]):
                names = {"__name__": "__main__"}
                printed = in_folder.printed(lambda: exec(compile(script, "a page", "exec"), names))
                for said in re.findall(r"# .*?: (<.*>)$", script, re.M):
                    self.assertIn(said, printed)

    def test_each_option_of_kernel_tuner_has_a_row(self):
        rows = re.findall(r"^\| (.*?) \|", KERNEL_TUNER.read_text(), re.M)
        named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
        for function in (kernel_tuner.tune_kernel, kernel_tuner.run_kernel):
            self.assertEqual(set(inspect.signature(function).parameters) - named, set())


if __name__ == "__main__":
    unittest.main()
