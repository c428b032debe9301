# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/python, those without a GPU."""
import contextlib
import io
import pathlib
import runpy
import unittest

import in_folder
import notebooks

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        return in_folder.printed(lambda: runpy.run_path(str(EXAMPLES / name), run_name="__main__"), arguments,
                                 CUTUNE_DEVICE="emulator")

    def test_own_kernel(self):
        self.assertIn("20 of 20 configurations right", self.run_example("own_kernel.py", "emulator"))

    def test_own_loop(self):
        self.assertRegex(self.run_example("own_loop.py"), r"the best of 25 of \d+: \{'rows'")

    def test_script_of_kernel_tuner(self):
        self.assertIn("8 configurations, 0 failed", self.run_example("script_of_kernel_tuner.py", "9000"))

    def test_the_notebook(self):
        with in_folder.folder(), contextlib.redirect_stdout(io.StringIO()) as printed:
            shown = notebooks.execute(EXAMPLES / "notebook.ipynb")
        self.assertRegex(printed.getvalue(), "^race within a block: .* at smooth.cu:")
        self.assertIn("<b>smooth</b>: 6 configurations evaluated, 6 right", shown[1])
        self.assertIn("<td>Walk</td>", shown[5])

    def test_each_example_compiles(self):
        for path in EXAMPLES.glob("*.py"):
            compile(path.read_text(), str(path), "exec")


if __name__ == "__main__":
    unittest.main()
