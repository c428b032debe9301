# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/python, those without a GPU."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import notebooks

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(EXAMPLES / name), *arguments], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env={**os.environ, "CUTUNE_DEVICE": "emulator"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_own_kernel(self):
        self.assertIn("20 of 20 configurations right", self.run_example("own_kernel.py", "emulator"))

    def test_own_loop(self):
        self.assertRegex(self.run_example("own_loop.py"), r"the best of 25 of \d+: \{'rows'")

    def test_script_of_kernel_tuner(self):
        self.assertIn("16 configurations, 0 failed", self.run_example("script_of_kernel_tuner.py", "30000"))

    def test_the_notebook(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                shown = notebooks.execute(EXAMPLES / "notebook.ipynb")
            finally:
                os.chdir(before)
        self.assertIn("<b>smooth</b>: 6 configurations evaluated, 6 right", shown[1])
        self.assertIn("<td>Walk</td>", shown[5])

    def test_each_example_compiles(self):
        for path in EXAMPLES.glob("*.py"):
            compile(path.read_text(), str(path), "exec")


if __name__ == "__main__":
    unittest.main()
