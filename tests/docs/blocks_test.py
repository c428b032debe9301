# SPDX-License-Identifier: Apache-2.0
"""The blocks of code of all pages work. A comment above a block says how:

<!-- run -->                 the commands end with status 0 and print the lines below each `$ ` (`...`: anything)
<!-- run: status 0 1 -->     the same with these statuses, one for each command
<!-- file: saxpy.cu -->      a file for the blocks below it on the page
<!-- compile -->             C or C++ that compiles
<!-- skip: needs a GPU -->   cannot run here; the reason is printed
Commands run in a folder of each page's own, with a database and caches of their own. Numbers with a unit need not agree."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import pages

PROGRAM = pathlib.Path(os.environ.get("TUNE_PROGRAM", pages.ROOT / "build/bin/tune")).resolve()
COMPILER = os.environ.get("TUNE_CXX", "c++")
SHELL, CODE = {"sh", "console", "bash"}, {"c", "cpp"}
# Read by tests of their own: library/docs_test.cpp, kernels/stencil/stencil_docs_test.cpp, python/test_docs.py.
ELSEWHERE = {"docs/reference/library.md": CODE, "docs/reference/python.md": {"python", "python no-run"},
             "docs/how-to/kernel-tuner.md": {"python"}}
UNIT = r"(?:[num]?s\b|min\b|%|x\b|[KMG]iB\b|[KMGT]?B\b|[kMGT]?B/s|[GT]?flop/s|TFLOP/s|GFLOP/s|G?cell updates/s)"


def normal(line):
    """A line without the widths of columns and without what is measured."""
    return re.sub(r"\d[\d.,]* ?(?=" + UNIT + ")", "N ", re.sub(r"\s+", " ", line)).strip()


def agrees(shown, printed):
    """Whether the printed lines are the shown ones; `...` stands for any text, alone for any lines."""
    pattern = ""
    for line in shown.strip("\n").split("\n"):
        line = normal(line)
        pattern += "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
    return re.fullmatch(pattern, "".join(normal(line) + "\n" for line in printed.strip("\n").split("\n"))) is not None


def commands(block):
    """The commands of a block as pairs: what to call, what is shown below it (None: nothing is)."""
    if "$ " not in [line[:2] for line in block.text.split("\n")]:
        return [(block.text, None)]
    found = []
    for line in block.text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append([line[2:], None])
        elif found[-1][1] is None and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        else:
            found[-1][1] = (found[-1][1] or "") + line + "\n"
    return found


def json_of(text):
    """A definition or a part of one, with comments and without outer braces."""
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.S)
    text = text.replace("[...]", "[]").strip()
    return json.loads(text if text.startswith(("{", "[")) else "{" + text.rstrip(",") + "}")


class Folder:
    """Where the commands of a page run."""

    def __init__(self, path, home):
        self.path = pathlib.Path(path)
        for name in ("db", "examples", "kernels", "bench", "python"):
            (self.path / name).symlink_to(pages.ROOT / name)
        (self.path / "tune").symlink_to(PROGRAM)
        self.environment = {"PATH": f"{path}:{os.environ['PATH']}", "HOME": str(home), "XDG_DATA_HOME": f"{path}/data",
                            "XDG_CACHE_HOME": f"{home}/cache", "LANG": "C.UTF-8", "COLUMNS": "80",
                            "TUNE_RECORDINGS": str(pages.ROOT / "db/recordings"),
                            "PYTHONPATH": str(pages.ROOT / "python")}

    def run(self, command):
        done = subprocess.run(["sh", "-ec", command], cwd=self.path, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=120)
        return done.returncode, done.stdout


class Blocks(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.skipped, cls.done = collections.defaultdict(list), 0

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()
        for reason, places in sorted(cls.skipped.items()):
            print(f"not run, {reason}: {', '.join(places)}")
        print(f"{cls.done} blocks tried")

    def test_blocks_of_all_pages_work(self):
        for name, text in pages.pages().items():
            if not name.startswith("docs/decisions/") and name.startswith(("docs/", "README.md", "CONTRIBUTING.md")):
                with tempfile.TemporaryDirectory() as path:
                    folder = Folder(path, self.home.name)
                    for block in pages.blocks(text):
                        with self.subTest(f"{name}:{block.line}"):
                            self.block(name, block, folder)

    def block(self, name, block, folder):
        kind, _, detail = block.mark.partition(": ")
        if kind == "skip":
            self.skipped[detail].append(f"{name}:{block.line}")
            return
        if block.language in ELSEWHERE.get(name, ()):
            return
        self.__class__.done += 1
        if kind == "file":
            (folder.path / detail).parent.mkdir(parents=True, exist_ok=True)
            (folder.path / detail).write_text(block.text)
        elif kind == "run":
            self.runs(block, folder, [int(one) for one in detail.removeprefix("status ").split()])
        elif kind == "compile":
            self.compiles(block, folder)
        elif block.language in ("json", "jsonc"):
            self.assertIsNotNone(json_of(block.text))
        else:
            self.assertEqual(block.language, "", "no comment above the block says how it is tried: see blocks_test.py")

    def runs(self, block, folder, statuses):
        if block.language == "python":
            (folder.path / "script.py").write_text(block.text)
            got = folder.run(f"'{sys.executable}' script.py")
            self.assertEqual(got[0], 0, got[1])
            return
        called = commands(block)
        for (command, shown), status in zip(called, statuses or [0] * len(called), strict=True):
            got, printed = folder.run(command)
            self.assertEqual(got, status, f"$ {command}\n{printed}")
            if shown is not None:
                self.assertTrue(agrees(shown, printed), f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}")

    def compiles(self, block, folder):
        (folder.path / "program").write_text(block.text)
        language = "-x c -std=c99" if block.language == "c" else "-x c++ -std=c++17"
        got, printed = folder.run(f"{COMPILER} {language} -fsyntax-only -Wall -Werror -I{pages.ROOT}/lookup/include "
                                  f"-I{pages.ROOT}/library/include program")
        self.assertEqual(got, 0, printed)

    def test_shown_lines_are_compared(self):
        self.assertTrue(agrees("best   2.5 us, 89 % of\n...\nend", "best 99 us, 1 % of\na\nb\nend\n"))
        self.assertFalse(agrees("4 configurations, 0 failed", "4 configurations, 1 failed"))
        self.assertTrue(agrees("a ... c", "a b c"))
        self.assertFalse(agrees("a\nc", "a\nb\nc"))
        self.assertEqual(commands(pages.Block("console", "", 1, "$ a \\\n  b\nout\n$ c\n")), [["a \\\n  b", "out\n"], ["c", None]])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
