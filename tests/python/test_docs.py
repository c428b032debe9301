# SPDX-License-Identifier: Apache-2.0
"""The scripts of docs/python.md run as they stand there; those marked `no-run` need a GPU."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Page(unittest.TestCase):
    def test_scripts_print_what_their_comments_say(self):
        scripts = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
        self.assertGreaterEqual(len(scripts), 2)
        for script in scripts:
            with self.subTest(script.splitlines()[1]), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                for said in re.findall(r"# .*?: (<.*>)$", script, re.M):
                    self.assertIn(said, done.stdout)


if __name__ == "__main__":
    unittest.main()
