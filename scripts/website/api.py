# SPDX-License-Identifier: BSD-3-Clause
"""The reference of what programs call: public headers as Doxygen reads them, and the Python package."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import thalweg

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SUBJECTS = {
    "Streams": ("stream.h", "stream_links.h", "stream.hpp", "stream_*.hpp", "locators.hpp"),
    "Objects": ("objects.h", "objects.hpp", "objects_*.hpp"),
    "Teams": ("team.h", "team.hpp", "team_*.hpp"),
    "Balancing": ("balance.h", "balance.hpp", "balance_*.hpp"),
    "Placing": ("place.h", "place.hpp"),
    "Network cards": ("nic.h", "nic_operator.h"),
    "Failures and requests": ("status.h", "request.h", "error.hpp", "request.hpp", "version.h"),
    "Strategies and control": ("thalweg.h", "control.h"),
}
# Between our own libraries.
INTERNAL = ("interposer.h", "objects_foreign.h")
LEFT_OUT = ("innernamespace", "collaborationgraph", "inheritancegraph", "listofallmembers")
# Functions that need no comment of their own, as the language says what they do.
SPECIAL = re.compile(
    r"::~|::operator\b|::await_\w+$|::promise_type::|::taking::|::free::|\b(\w+)::\1$|^thalweg::handlers$"
)


def read_headers(folder: Path) -> Path:
    """Have Doxygen read the public headers into a folder, and give that of its XML, without namespace detail."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "Doxyfile"
    settings.write_text(
        f"{(HERE / 'Doxyfile').read_text()}"
        f"INPUT            = {ROOT / 'include' / 'thalweg'}\n"
        f"STRIP_FROM_PATH  = {ROOT / 'include'}\n"
        f'INPUT_FILTER     = "{sys.executable} {HERE / "header_comments.py"}"\n'
        f"OUTPUT_DIRECTORY = {folder}\n"
    )
    doxygen = shutil.which("doxygen")
    if doxygen is None:
        sys.exit("website: no doxygen\n  scripts/prepare doxygen")
    subprocess.run([doxygen, str(settings)], check=True)
    for path in (folder / "xml").glob("*.xml"):
        _without_details(path)
    return folder / "xml"


def _without_details(path: Path) -> None:
    tree = ET.parse(path)  # noqa: S314 - Doxygen wrote it here a moment ago
    for parent in list(tree.iter()):
        for child in list(parent):
            named = child.tag in ("innerclass", "compound") and "detail" in _name(child)
            if named or child.tag in LEFT_OUT or (child.tag == "memberdef" and _is_hidden(child)):
                parent.remove(child)
    tree.write(path, encoding="utf-8", xml_declaration=True)


def _is_hidden(member: ET.Element) -> bool:
    """Find private members, and C's `typedef struct name {} name`, which would be there twice."""
    kind = "".join(part for text in member.findall("type") for part in text.itertext()).split()
    doubled = len(kind) > 1 and kind[0] in ("struct", "enum") and kind[1] == member.findtext("name")
    return member.get("prot") != "public" or (member.get("kind") == "typedef" and doubled)


def _name(element: ET.Element) -> str:
    return element.findtext("name") or element.text or ""


def functions(xml: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the public functions that are no details: name, header with line, and comment."""
    for path in sorted(xml.glob("*.xml")):
        if "detail" in path.name or path.name == "index.xml":
            continue
        for member in ET.parse(path).iter("memberdef"):  # noqa: S314 - Doxygen wrote it here a moment ago
            place = member.find("location")
            name = member.findtext("qualifiedname") or member.findtext("name") or ""
            if member.get("kind") != "function" or place is None or "detail::" in name:
                continue
            texts = [member.find(f"{part}description") for part in ("brief", "detailed")]
            words = "".join(word for text in texts if text is not None for word in text.itertext())
            yield name, f"{place.get('file')}:{place.get('line')}", words.strip()


def without_comment(xml: Path) -> list[str]:
    """Name the functions that have no comment, in none of their overloads."""
    found: dict[str, tuple[str, str]] = {}
    for name, place, words in functions(xml):
        before = found.get(name, (place, ""))
        found[name] = (before[0], before[1] or words)
    return sorted(
        f"{place}: {name}" for name, (place, words) in found.items() if not words and not SPECIAL.search(name)
    )


def write_pages(folder: Path) -> None:
    """Write a page for each subject, and Python's."""
    folder.mkdir(parents=True, exist_ok=True)
    headers = ROOT / "include" / "thalweg"
    names = []
    for subject, patterns in SUBJECTS.items():
        files = [path for pattern in patterns for path in sorted(headers.glob(pattern))]
        parts = [f"# {subject}: C and C++\n"]
        for path in dict.fromkeys(files):
            directive = f"```{{doxygenfile}} {path.name}\n:project: thalweg\n```\n"
            parts.append(f"## {path.name}\n\n```cpp\n#include <thalweg/{path.name}>\n```\n\n{directive}")
        names.append(subject.lower().replace(" ", "-"))
        (folder / f"{names[-1]}.md").write_text("\n".join(parts))
    (folder / "python.md").write_text(_python_page())
    listed = "\n".join([*names, "python"])
    (folder / "index.md").write_text(
        "# Reference\n\nThese pages come from the comments of the headers, and from Python's docstrings.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n{listed}\n```\n"
    )


def _python_page() -> str:
    parts = ["# Python\n\nAll of this is in the package `thalweg`, and is loaded when it is first used.\n"]
    for name in sorted(thalweg.__all__, key=str.lower):
        one = getattr(thalweg, name)
        kind = "autoclass" if isinstance(one, type) else "autofunction"
        members = ":members:\n" if isinstance(one, type) else ""
        parts.append(f"```{{eval-rst}}\n.. {kind}:: thalweg.{name}\n{_indented(members)}```\n")
    return "\n".join(parts)


def _indented(lines: str) -> str:
    return "".join(f"   {line}\n" for line in lines.splitlines())
