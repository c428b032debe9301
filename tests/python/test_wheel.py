# SPDX-License-Identifier: Apache-2.0
"""The wheel installs without a compiler and works where nothing else of the repository is."""
import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = """
import array, cutune
assert "site-packages" in cutune.__file__, cutune.__file__
x = array.array("f", range(100))
problem = cutune.Problem("copy", '''extern "C" __global__ void copy(float* y, const float* x) {
  if (threadIdx.x < 100) y[threadIdx.x] = x[threadIdx.x]; }''', parameters={"BLOCK": [128, 256]},
  arguments={"y": cutune.Out(x, expect=x), "x": x}, grid=1, block="BLOCK")
assert cutune.check(problem).failures == {}
assert cutune.best("gemm", device="emulator") is not None
print("right")
"""


class Wheel(unittest.TestCase):
    def install(self, wheel, site, environment):
        made = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target",
                               str(site), str(wheel)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if "No module named pip" in made.stdout:  # it unpacks a wheel, and keeps what may be executed
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(site)
                for entry in packed.infolist():
                    os.chmod(site / entry.filename, entry.external_attr >> 16 or 0o644)
        else:
            self.assertEqual(made.returncode, 0, made.stdout)

    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = pathlib.Path(folder, "tools")
            tools.mkdir()

            def build(*arguments):
                done = subprocess.run([sys.executable, str(ROOT / "python" / "wheel_backend.py"), folder, *arguments],
                                      env={"PATH": str(tools)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                return done.stderr
            self.assertIn("'strip': install binutils", build(folder))
            for name in ("strip", "objdump"):
                (tools / name).symlink_to("/bin/true")
            self.assertIn("needs CMake", build())
            pathlib.Path(folder, "CMakeCache.txt").touch()
            self.assertRegex(build(folder), "lacks bin/tune or .*: leave out build-dir, or build there first")

    def test_a_new_environment(self):
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith(("TUNE_", "PYTHON")) and name != "LD_LIBRARY_PATH"}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, str(ROOT / "python" / "wheel_backend.py"), folder,
                            os.environ["TUNE_PYTHON_BUILD"]], check=True, stdout=subprocess.DEVNULL)
            wheel, = pathlib.Path(folder).glob("cutune-*-py3-none-*linux*.whl")
            with zipfile.ZipFile(wheel) as packed:
                self.assertIsNone(packed.testzip())
                names = set(packed.namelist())
            package = ROOT / "python" / "cutune"
            sources = {f"cutune/{path.relative_to(package)}" for path in package.rglob("*.py")}
            self.assertEqual((sources | {"cutune/py.typed", "cutune/_tune/bin/tune"}) - names, set())
            self.assertEqual([name for name in names if name.startswith("cutune/") and "/_tune/" not in name
                              and name not in sources | {"cutune/py.typed"}], [])
            site = pathlib.Path(folder, "site-packages")
            self.install(wheel, site, plain)
            described, = importlib.metadata.distributions(path=[str(site)])
            about = described.metadata
            self.assertEqual((about["Name"], about["License"], about["Requires-Python"]), ("cutune", "Apache-2.0", ">=3.9"))
            self.assertIn("# Python", about.get_payload())
            for name in about.get_all("License-File"):
                self.assertTrue(described.read_text(f"licenses/{name}"), name)
            self.assertGreaterEqual(set(about.get_all("License-File")), {"LICENSE", "NOTICE"})
            done = subprocess.run([sys.executable, "-c", SCRIPT], env={**plain, "PYTHONPATH": str(site)}, cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.stdout, "right\n", done.stderr)
            version = subprocess.run([sys.executable, "-m", "cutune", "--version"], env={**plain, "PYTHONPATH": str(site)},
                                     cwd=folder, stdout=subprocess.PIPE, text=True)
            self.assertTrue(version.stdout.startswith("tune "), version.stdout)


if __name__ == "__main__":
    unittest.main()
