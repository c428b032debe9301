# SPDX-License-Identifier: Apache-2.0
"""The preset static links: it is configured, and its program and libraries are linked as it says, with the objects and
archives of the build that exists, which are the same."""
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, WORK, CXX, OPTIONS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
BUNDLED = ("sqlite3", "boost_program_options", "z", "SQLiteCpp")


def run(*command, folder=None):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"{shlex.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


class Static(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run("cmake", "--preset", "static", "-S", ROOT, "-B", WORK, f"-DCMAKE_CXX_COMPILER={CXX}", *OPTIONS, folder=ROOT)
        cls.rules = (WORK / "build.ninja").read_text()

    def link(self, output, kind):
        """Links a target in the other build's folder, and returns what it needs at run time."""
        rule = re.search(rf"^build [^\n:]*\b{re.escape(output)}[^\n:]*: CXX_{kind}_LINKER__\w+ ([^\n|]*)(.*?)\n\n", self.rules,
                         re.M | re.S)
        self.assertTrue(rule, f"the preset has no {output}")
        inputs = rule.group(1).replace("$ ", " ").split()
        values = dict(re.findall(r"^  (\w+) = (.*)$", rule.group(2), re.M))
        libraries = values["LINK_LIBRARIES"].replace(str(WORK), str(BUILD))
        for name in BUNDLED:
            self.assertNotRegex(libraries, rf"(-l{name}\b|lib{name}\.so)", f"{output} needs lib{name} at run time")
        target = WORK / "linked" / pathlib.Path(output).name
        target.parent.mkdir(exist_ok=True)
        shared = ["-shared"] if kind == "SHARED_LIBRARY" else []
        run(CXX, *shared, *shlex.split(values.get("LINK_FLAGS", "")), *inputs, "-o", target, *shlex.split(libraries), folder=BUILD)
        needed = run("readelf", "-d", target)
        for name in BUNDLED:
            self.assertNotRegex(needed, rf"\[lib{name}\.so", f"{output} needs lib{name} at run time")
        return target

    def test_the_program(self):
        self.assertIn("tune ", run(self.link("bin/tune", "EXECUTABLE"), "--version"))

    def test_the_lookup_library(self):
        library = self.link("lookup/libtune-lookup.so", "SHARED_LIBRARY")
        self.assertNotRegex(run("nm", "-D", "--defined-only", library), r"\bsqlite3_open\b")

    def test_pkg_config_needs_no_other_package(self):
        """An installed library has SQLite in it, or finds it by itself."""
        for name, folder in (("tune-lookup", WORK / "lookup"), ("tune", WORK / "library")):
            said = run("env", f"PKG_CONFIG_LIBDIR={folder}", "pkg-config", "--cflags", "--libs", name)
            self.assertIn(f"-l{name}", said)

    def test_the_archive_has_no_folder_usr(self):
        self.assertNotIn('CPACK_PACKAGING_INSTALL_PREFIX "/usr"', (WORK / "CPackConfig.cmake").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
