# SPDX-License-Identifier: BSD-3-Clause
"""All figures of the house, from the files as they are in the working copy."""

import ast
from pathlib import Path
from typing import Any

from house import cpp, cycles, duplicates, sources
from house.commands import command_figures
from house.prose import prose_figures

CLASS_SIZE_MAX = 40  # methods and members
PAGES = ("README.md", "docs/*.md", ":!docs/man")


def python_lengths(files: list[sources.Source]) -> list[int]:
    """Give the length of every function of Python's."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = (node for file in files for node in ast.walk(ast.parse(file.text)) if isinstance(node, kinds))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in found]


def cpp_figures(files: list[sources.Source]) -> dict[str, Any]:
    """Measure some files of C and C++."""
    roots = [cpp.parse(file.text) for file in files]
    classes = [(file.name, found) for file, root in zip(files, roots, strict=True) for found in cpp.classes(root)]
    large = {
        f"{found.name} ({name})": {"methods": found.methods, "members": found.members}
        for name, found in sorted(classes, key=lambda each: -each[1].methods - each[1].members)
        if found.methods + found.members > CLASS_SIZE_MAX
    }
    lines = sum(map(cpp.code_lines, roots))
    stated = sum(map(cpp.assertions, roots))
    return {
        **sources.file_figures(files),
        "function": sources.length_figures([length for root in roots for length in cpp.functions(root)]),
        "code_lines": lines,
        "assertions": stated,
        "assertions_per_1000_code_lines": round(1000 * stated / max(1, lines), 1),
        "classes": len(classes),
        "large_classes": large,
    }


def interposer_figures(files: list[sources.Source]) -> dict[str, Any]:
    """Count what one room should have at one place each: switches over its operations, and state of the process."""
    switches: dict[str, int] = {}
    variables: list[str] = []
    for file in files:
        root = cpp.parse(file.text)
        if count := cpp.switches_over(root, "Operation"):
            switches[file.name] = count
        variables += [f"{file.name}: {line}" for line in cpp.process_variables(root)]
    return {
        "switches_over_operation": sum(switches.values()),
        "switches": switches,
        "process_variables": len(variables),
        "variables": variables,
    }


def page_figures(root: Path) -> dict[str, Any]:
    """Measure the prose of the pages, together and one by one."""
    pages = sources.tracked(root, *PAGES)
    return {
        "all": prose_figures([page.text for page in pages]),
        **{page.name: prose_figures([page.text]) for page in pages},
    }


def house_figures(root: Path) -> dict[str, Any]:
    """Measure everything. The command's figures need the package, as `make build` installs it."""
    files = sources.tracked(root)
    source, headers = sources.cpp_of(files, "src"), sources.cpp_of(files, "include")
    package, labs = sources.python_of(files, "python/thalweg"), sources.python_of(files, "labs")
    both = source + headers
    twice = duplicates.pairs(both)
    return {
        "rooms": sources.rooms_of(
            [*both, *sources.cpp_of(files, "tests"), *sources.python_of(files, "python", "labs", "tests")]
        ),
        "src": cpp_figures(source),
        "include": cpp_figures(headers),
        "tests": cpp_figures(sources.cpp_of(files, "tests")),
        "python": {**sources.file_figures(package), "function": sources.length_figures(python_lengths(package))},
        "labs": {**sources.file_figures(labs), "function": sources.length_figures(python_lengths(labs))},
        "cycles": {
            "src": cycles.cycle_figures(cycles.unit_graph(source)),
            "include": cycles.cycle_figures(cycles.unit_graph(headers)),
            "python": cycles.cycle_figures(cycles.package_graph(package, "python/thalweg")),
        },
        "duplicates": {"pairs": len(twice), "places": twice, "python_pairs": len(duplicates.pairs(package))},
        "interposer": interposer_figures(sources.cpp_of(files, "src/run/mpi")),
        "commands": command_figures(),
        "prose": page_figures(root),
    }
