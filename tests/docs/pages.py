# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: which there are, their links, anchors, words and blocks of code."""
import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = ("docs/reference/commands.md",)


def pages():
    """All pages in Markdown, by their path in the repository."""
    named = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
    if named.returncode == 0:
        found = [ROOT / name for name in named.stdout.split("\n") if name]
    else:  # an archive of the sources
        found = [page for page in ROOT.rglob("*.md") if not re.search(r"/(build[^/]*|node_modules|_deps)/", str(page))]
    return {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in sorted(found) if page.is_file()}


@dataclasses.dataclass
class Block:
    """A block of code: its language, what the comment above it says, its first line's number, its lines."""
    language: str
    mark: str
    line: int
    text: str


def blocks(text):
    """The fenced blocks of a page, in order."""
    found, inside, before = [], None, ""
    for number, line in enumerate(text.split("\n"), 1):
        if inside is None and line.startswith("```"):
            mark = re.fullmatch(r"<!-- (.*) -->", before)
            inside = Block(line[3:].strip(), mark.group(1) if mark else "", number, "")
        elif inside is not None and line.startswith("```"):
            found.append(inside)
            inside = None
        elif inside is not None:
            inside.text += line + "\n"
        before = line.strip()
    return found


def prose(text):
    """A page without its blocks of code and comments."""
    return re.sub(r"<!--.*?-->", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.S)


def words(name, text):
    """Counts the words of a page's prose: tables count, except for those of results."""
    text = prose(text)
    if name.startswith("docs/results/"):
        text = re.sub(r"^\|.*$", "", text, flags=re.M)
    return sum(1 for word in re.sub(r"\]\([^)]*\)", "]", text).split() if re.search(r"[^\W\d_]", word))


def anchors(text):
    """The anchors of a page's headings, as browsers of repositories and MkDocs make them."""
    found = []
    for heading in re.findall(r"^#+ +(.*?) *$", prose(text), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.append(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


def links(text):
    """The targets of a page's links and pictures that lie in the repository, with their anchor."""
    text = re.sub(r"`[^`\n]*`", "", prose(text))
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:", target)]
