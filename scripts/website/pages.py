# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the repository as Sphinx takes them: where they are, with a first page, and links that it can follow."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#:\s]+)((?:#[^)]*)?\))")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
DOOR_ROWS = 4


class Door(NamedTuple):
    """A way into the pages, by who reads them: docs/README.md has them."""

    title: str
    pages: tuple[tuple[str, str], ...]
    """Files in docs/, and their subjects."""


def tracked(*patterns: str) -> list[str]:
    """Name the files of the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    return sorted(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines())


def doors() -> list[Door]:
    """Read the doors of docs/README.md."""
    found = []
    for section in re.split(r"^## ", (ROOT / "docs" / "README.md").read_text(), flags=re.MULTILINE)[1:]:
        title, _, rest = section.partition("\n")
        rows = re.findall(r"^\| (\[.*?) \| (.*?) \|$", rest, re.MULTILINE)
        pages = [(target, subject) for cell, subject in rows for target in re.findall(r"\]\(([^)]+)\)", cell)]
        found.append(Door(title, tuple(pages)))
    return found


def stage(source: Path) -> None:
    """Copy all pages and what they link to into an empty folder, and write the first page."""
    shutil.rmtree(source, ignore_errors=True)
    for name in tracked("*.md", "*.ipynb"):
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_text()
        path.write_text(with_links(text, ROOT / name, source) if name.endswith(".md") else text)
    (source / "index.md").write_text(first_page(source))
    # The notebooks run the examples, which they find from where they are.
    (source / "build").mkdir()
    (source / "build" / "examples").symlink_to(ROOT / "build" / "examples")


def with_links(text: str, page: Path, source: Path) -> str:
    """Give a page whose links to folders lead to a page, and whose links to other files to copies of these."""
    parts, end = [], 0
    for fence in FENCED.finditer(text):
        parts += [_with_links(text[end : fence.start()], page, source), fence[0]]
        end = fence.end()
    return "".join([*parts, _with_links(text[end:], page, source)])


def _with_links(text: str, page: Path, source: Path) -> str:
    def followed(link: re.Match[str]) -> str:
        target = (page.parent / link[2]).resolve()
        if target.is_dir():
            return f"{link[1]}{os.path.relpath(_folder_page(target, source), page.parent)}{link[3]}"
        if target.suffix not in (".md", ".ipynb") and target.is_file():
            copy = source / target.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, copy)
        return link[0]

    return LINK.sub(followed, text)


def _folder_page(folder: Path, source: Path) -> Path:
    """Give the page that stands for a folder, README.md or one with a list; as if it was in the repository."""
    if (folder / "README.md").exists():
        return folder / "README.md"
    made = source / folder.relative_to(ROOT) / "index.md"
    made.parent.mkdir(parents=True, exist_ok=True)
    names = sorted(path.stem for path in folder.glob("*.md"))
    made.write_text(f"# {folder.name.capitalize()}\n\n```{{toctree}}\n:maxdepth: 1\n" + "\n".join(names) + "\n```\n")
    return folder / "index.md"


def first_page(source: Path) -> str:
    """Write the first page: a card for each door, and the order of all pages."""
    readme = (ROOT / "README.md").read_text()
    promise = re.search(r"^\*(.+)\*$", readme, re.MULTILINE)
    listed = [(door.title, tuple(dict.fromkeys(_documents(door)))) for door in doors()]
    under = {name for _, names in listed for name in names}
    rest = [name for name in _all_documents(source) if name not in under and not name.startswith("api/")]
    cards = "\n".join(_card(door) for door in doors())
    trees = "\n".join(_tree(title, names) for title, names in [*listed, ("Reference", ("api/index",)), ("More", rest)])
    return (
        f"# Thalweg\n\n{promise[1] if promise else ''}\n\n"
        f"::::{{grid}} 1 1 2 2\n:gutter: 3\n\n{cards}\n::::\n\n"
        "```sh\nmake demo      # real programs alone and under Thalweg, compared\n"
        "make test      # passes the tests\n```\n\n"
        f"{trees}"
    )


def _card(door: Door) -> str:
    rows = [f"- [{_title(Path(target))}](docs/{target}): {subject}" for target, subject in door.pages]
    shown = [row for row in rows if ".md)" in row or ".ipynb)" in row][:DOOR_ROWS]
    return f":::{{grid-item-card}} {door.title}\n" + "\n".join(_from_docs(row) for row in shown) + "\n:::\n"


def _title(target: Path) -> str:
    return target.parent.name if target.stem == "README" else target.stem


def _from_docs(row: str) -> str:
    """Turn the links of a subject, which are seen from docs/, too."""
    return re.sub(r"\]\((?!docs/)([^)#:]+)", r"](docs/\1", row).replace("docs/../", "")


def _documents(door: Door) -> Iterator[str]:
    for target, _ in door.pages:
        path = (ROOT / "docs" / target).resolve()
        if path.is_dir():
            path /= "README.md" if (path / "README.md").exists() else "index.md"
        if path.suffix in (".md", ".ipynb"):
            yield path.relative_to(ROOT).with_suffix("").as_posix()


def _all_documents(source: Path) -> list[str]:
    """Name the pages that are in no list of a page of ours."""
    found = [*source.rglob("*.md"), *source.rglob("*.ipynb")]
    names = sorted(path.relative_to(source).with_suffix("").as_posix() for path in found)
    return [name for name in names if name != "index" and not _is_listed(source / name)]


def _is_listed(path: Path) -> bool:
    return path.name != "index" and (path.parent / "index.md").exists() and path.parent.name == "decisions"


def _tree(title: str, names: Sequence[str]) -> str:
    return f"```{{toctree}}\n:caption: {title}\n:hidden:\n:maxdepth: 1\n" + "\n".join(names) + "\n```\n"
