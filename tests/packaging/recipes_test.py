# SPDX-License-Identifier: Apache-2.0
"""The recipes in packaging/ and the Containerfile name what CMake looks for, its options and its version."""
import ast
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What CMake finds: the names in Spack and in vcpkg. None: it comes in another way.
NAMES = {
    "Boost": ("boost", "boost-program-options"),
    "SQLite3": ("sqlite", "sqlite3"),
    "SQLiteCpp": ("resource:sqlitecpp", "sqlitecpp"),
    "fmt": ("fmt", "fmt"),
    "tl-expected": ("tl-expected", "tl-expected"),
    "nlohmann_json": ("nlohmann-json", "nlohmann-json"),
    "ZLIB": ("zlib-api", "zlib"),
    "xxhash.h": ("xxhash", "xxhash"),
    "Eigen3": ("eigen", "eigen3"),
    "toml++/toml.h": ("tomlplusplus", "tomlplusplus"),
    "tree_sitter/api.h": ("tree-sitter", "tree-sitter"),
    "CUDAToolkit": ("cuda", "cuda"),
    "Threads": None,
    "GTest": None,
}
TOOLS = {"c", "cxx", "cmake", "ninja", "npm", "vcpkg-cmake", "vcpkg-cmake-config"}


def text(name):
    return (ROOT / name).read_text()


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = [ROOT / "cmake/TuneDependencies.cmake", *(path for top in ("kernels", "search", "tuner", "db", "reports",
                 "lookup", "library", "cli") for path in (ROOT / top).rglob("CMakeLists.txt"))]
        cls.found = set()
        for file in files:
            code = re.sub("#.*", "", file.read_text())
            cls.found.update(re.findall(r"find_package\(([\w-]+)", code))
            cls.found.update(re.findall(r"find_path\(\w+ ([\w/.+]+)", code))
        cls.options = set(re.findall(r"(?:option|set)\((TUNE_\w+)", text("CMakeLists.txt") + text("cmake/TuneTargets.cmake")))
        cls.presets = {one["name"] for one in json.loads(text("CMakePresets.json"))["configurePresets"]}
        cls.version = re.search(r"project\(tune VERSION ([\d.]+)", text("CMakeLists.txt")).group(1)

    def names_of(self, which):
        self.assertEqual(self.found - set(NAMES), set(), "CMake looks for these: name them here and in the recipes")
        return {NAMES[name][which] for name in self.found if NAMES[name]}

    def test_spack(self):
        recipe = ast.parse(text("packaging/spack/package.py"))
        [package] = [node for node in recipe.body if isinstance(node, ast.ClassDef)]
        self.assertEqual([base.id for base in package.bases], ["CMakePackage"])
        named = set()
        for node in ast.walk(package):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "depends_on":
                named.add(re.split(r"[@+ ]", node.args[0].value)[0])
            elif node.func.id == "resource":
                [name] = [word.value.value for word in node.keywords if word.arg == "name"]
                named.add("resource:" + name)
        self.assertEqual(named - TOOLS, self.names_of(0))
        self.expect_options(text("packaging/spack/package.py"))
        tag = re.search(r"SQLiteCpp.git\s+([\w.]+)\)", text("cmake/TuneDependencies.cmake")).group(1)
        self.assertIn(f'tag="{tag}"', text("packaging/spack/package.py"))

    def test_vcpkg(self):
        manifest = json.loads(text("packaging/vcpkg/vcpkg.json"))
        self.assertEqual(manifest["version"], self.version)
        named = [one if isinstance(one, str) else one["name"] for one in manifest["dependencies"]]
        self.assertEqual(named, sorted(named), "vcpkg wants them sorted")
        cuda = manifest["features"]["cuda"]["dependencies"]
        self.assertEqual(set(named) - TOOLS | set(cuda), self.names_of(1))
        self.expect_options(text("packaging/vcpkg/portfile.cmake"))

    def test_containerfile(self):
        lines = text("Containerfile").replace("\\\n", " ").splitlines()
        words = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
        self.assertLessEqual(words, {"ARG", "FROM", "SHELL", "COPY", "RUN", "WORKDIR", "ENV", "VOLUME", "ENTRYPOINT", "CMD"})
        self.assertLessEqual(set(re.findall(r"--preset (\w+)", text("Containerfile"))), self.presets)
        self.expect_options(text("Containerfile"))
        for line in lines:
            if line.startswith("COPY") and "--from" not in line:
                self.assertTrue((ROOT / line.split()[1]).exists(), line)
        self.assertEqual(text(".containerignore"), text(".dockerignore"))

    def expect_options(self, recipe):
        self.assertEqual(set(re.findall(r"TUNE_(?!DB\b)[A-Z_]+", recipe)) - self.options, set(), "CMake has no such option")


if __name__ == "__main__":
    unittest.main()
