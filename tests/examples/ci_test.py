# SPDX-License-Identifier: Apache-2.0
"""The workflows of examples/ci are YAML, and their commands do here what they say: with a kernel of examples, and with
stand-ins for the programs that install or write to a web site."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("skipped: there is no module yaml (Debian: python3-yaml)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "examples" / "own_kernels"


def commands(job):
    """The shell's lines of a job of either kind, in order."""
    if "script" in job:
        return list(job["script"])
    return [step["run"] for step in job["steps"] if "run" in step]


class Workflows(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("sudo", "apt-get", "gh"):
            (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "$CALLS"\n')
            (programs / name).chmod(0o755)
        (programs / "tune").symlink_to(os.environ["TUNE_PROGRAM"])
        for name in ("transpose.cu", "transpose.json"):
            shutil.copy(KERNELS / name, self.folder)
        self.calls = self.folder / "calls"
        self.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", CALLS=str(self.calls),
                                DEFINITION="transpose.json", RESULTS="results.db", PULL_REQUEST="7",
                                TUNE_EMULATOR_CXX=os.environ["TUNE_CXX"])

    def run_line(self, line):
        # A few configurations are enough here.
        line = line.replace(" --all", " --sample 2")
        return subprocess.run(["bash", "-e", "-c", line], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_github(self):
        text = (ROOT / "examples/ci/github.yml").read_text()
        jobs = yaml.safe_load(text)["jobs"]
        install, check, comment = commands(jobs["emulator"])
        self.assertEqual(self.run_line(install).returncode, 0)
        result = self.run_line(check)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(self.run_line(comment).returncode, 0)
        self.assertIn("0 failed", (self.folder / "comment.md").read_text())
        self.assertIn("gh pr comment 7 --body-file comment.md", self.calls.read_text())

        kernel = self.folder / "transpose.cu"
        kernel.write_text(kernel.read_text().replace("__syncthreads();", "", 1))
        result = self.run_line(check)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertEqual(self.run_line(comment).returncode, 0)
        self.assertIn("race within a block", (self.folder / "comment.md").read_text())
        self.expect_no_gpu(jobs["speed"])

    def test_gitlab(self):
        jobs = yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text())
        self.assertEqual(commands(jobs["emulator"])[1],
                         'tune check --problem "$DEFINITION" --device emulator --all')
        self.expect_no_gpu(jobs["speed"])

    def expect_no_gpu(self, job):
        """The call is understood: all that is missing is the GPU, or here a winner for it."""
        [line] = commands(job)
        result = self.run_line(line)
        self.assertNotIn(result.returncode, (0, 2), result.stdout)
        self.assertRegex(result.stdout, "no GPU|results.db")


if __name__ == "__main__":
    unittest.main()
