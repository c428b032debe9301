# SPDX-License-Identifier: Apache-2.0
"""Links of all pages lead somewhere, every page can be found, and the documentation stays short."""
import posixpath
import re
import subprocess
import sys
import unittest

import pages

MAX_WORDS = 20_000


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.pages = pages.pages()
        cls.docs = {name for name in cls.pages if name.startswith("docs/") and not name.startswith("docs/decisions/")}

    def targets(self, name):
        """The linked places of a page as pairs: path in the repository, anchor."""
        for target in pages.links(self.pages[name]):
            path, _, anchor = target.partition("#")
            yield posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name, anchor, target

    def test_links_and_anchors_lead_somewhere(self):
        broken, seen = [], 0
        for name in self.pages:
            for path, anchor, target in self.targets(name):
                seen += 1
                if not (pages.ROOT / path).exists() or path.startswith(".."):
                    broken.append(f"{name}: {target}")
                elif anchor and anchor not in pages.anchors(self.pages.get(path, "")):
                    broken.append(f"{name}: {target} (no such heading)")
        self.assertEqual(broken, [])
        self.assertGreater(seen, 100)

    def test_every_page_is_reached_from_the_contents(self):
        reached, ahead = set(), ["README.md", "docs/README.md"]
        while ahead:
            name = ahead.pop()
            if name not in reached and name in self.pages:
                reached.add(name)
                ahead += [path for path, _, _ in self.targets(name)]
        self.assertEqual(sorted(self.docs - reached), [])

    def test_every_page_is_in_the_contents_of_the_site(self):
        listed = re.findall(r": (\S+\.md)$", (pages.ROOT / "mkdocs.yml").read_text(), re.M)
        expected = [name.removeprefix("docs/") for name in self.docs] + ["decisions/README.md"]
        self.assertEqual(sorted(listed), sorted(expected))

    def test_the_version_is_the_same_everywhere(self):
        version = re.search(r"project\(tune VERSION (\S+)", (pages.ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f"\nversion: {version}\n", (pages.ROOT / "CITATION.cff").read_text())
        self.assertIn(f'"version": "{version}"', (pages.ROOT / "packaging/vcpkg/vcpkg.json").read_text())

    def test_pages_that_programs_name_exist(self):
        """Messages, help and comments. The files in kernels/ are part of the key of stored results: they keep old names."""
        named = subprocess.run(["git", "-C", pages.ROOT, "grep", "-noE", r"\bdocs/[a-z/-]+\.md", "--", ":!docs/decisions",
                                ":!CHANGELOG.md", ":!tests/docs", ":!kernels/*.cuh"], capture_output=True, text=True)
        if named.returncode > 1:
            self.skipTest("not a repository of git")
        wrong = [line for line in named.stdout.splitlines() if not (pages.ROOT / line.split(":", 2)[2]).exists()]
        self.assertEqual(wrong, [])

    def test_the_documentation_is_short(self):
        counts = {name: pages.words(name, self.pages[name]) for name in self.docs | {"README.md"} if name not in pages.GENERATED}
        total = sum(counts.values())
        print(f"{total} words of prose in {len(counts)} pages, of at most {MAX_WORDS}")
        longest = sorted(counts.items(), key=lambda one: -one[1])[:5]
        self.assertLessEqual(total, MAX_WORDS, f"shorten pages; the longest: {longest}")
        self.assertLessEqual(len(self.pages["README.md"].splitlines()), 120)

    def test_words_are_counted(self):
        text = "# Two words\n```\ncode is not\n```\nA [link text](docs/x.md), 3 of `it`.\n| a | cell |\n"
        self.assertEqual(pages.words("docs/x.md", text), 9)
        self.assertEqual(pages.words("docs/results/x.md", text), 7)
        self.assertEqual(pages.anchors("## A `b`-c, d\n"), ["a-b-c-d"])
        self.assertEqual(pages.links("[a](b.md#c) `[no](x)` [web](https://x)\n```\n[no](y)\n```\n"), ["b.md#c"])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
