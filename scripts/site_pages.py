# SPDX-License-Identifier: Apache-2.0
"""Copies docs/ for the site. Links to other files of the repository become their names, since the site has only the pages.

call: site_pages.py TARGET"""
import pathlib
import re
import shutil
import sys

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"


def for_the_site(page, text):
    """The text of a page at this path below docs/."""
    def link(found):
        text, target = found.groups()
        path = target.partition("#")[0]
        if not path or re.match(r"[a-z]+:", target):
            return found[0]
        file = (page.parent / path).resolve()
        if file.is_relative_to(DOCS) and file.is_file():
            return found[0]
        return f"{text} (`{file.relative_to(DOCS.parent).as_posix()}`)" if "`" not in text else text
    text = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", link, text)
    return re.sub(r"^```python no-run$", "```python", text, flags=re.M)


def main():
    target = pathlib.Path(sys.argv[1])
    shutil.copytree(DOCS, target, ignore=shutil.ignore_patterns("make.mjs"))
    for page in DOCS.rglob("*.md"):
        (target / page.relative_to(DOCS)).write_text(for_the_site(page, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
