# SPDX-License-Identifier: BSD-3-Clause
"""Circles of includes and of imports: what cannot be understood, built or taken away alone."""

import ast
import re
from pathlib import PurePosixPath

from house.sources import Source, include_name

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)

Graph = dict[str, set[str]]


def components(graph: Graph) -> list[list[str]]:
    """Give the groups of which each member reaches each other one, the largest first; no group of one."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        pending = list(graph[start])
        while pending:
            node = pending.pop()
            if node not in seen:
                seen.add(node)
                pending.extend(graph.get(node, ()))
        reached[start] = seen
    groups = {
        tuple(sorted(other for other in reached[node] if node in reached.get(other, ())))
        for node in graph
        if node in reached[node]
    }
    return sorted((list(group) for group in groups if len(group) > 1), key=lambda group: (-len(group), group))


def unit_graph(files: list[Source]) -> Graph:
    """Say which units include which others: a unit is a header with its source file."""
    stems = {file.name: str(PurePosixPath(file.name).with_suffix("")) for file in files}
    with_sources = {stems[file.name] for file in files if file.name.endswith((".cpp", ".c"))}
    # Headers without a source stand for themselves, as for C and for C++ there is one each of a name.
    units = {name: stem if stem in with_sources else name for name, stem in stems.items()}
    included = {include_name(name): unit for name, unit in units.items()}
    graph: Graph = {}
    for file in files:
        unit = units[file.name]
        used = graph.setdefault(unit, set())
        for include in INCLUDE.findall(file.text):
            beside = str(PurePosixPath(file.name).parent / include)
            used.update({found for found in (included.get(include), units.get(beside)) if found} - {unit})
    return graph


def _imports(tree: ast.Module) -> set[str]:
    """Give the modules that a file imports when it runs, whenever that is: not those for types alone."""
    found: set[str] = set()
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending.extend(node.orelse)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.update({node.module}, (f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        else:
            pending.extend(ast.iter_child_nodes(node))
    return found


def package_graph(files: list[Source], package: str) -> Graph:
    """Say which folders of a package import which others."""
    top = package.rsplit("/", 1)[-1]
    folders = {file.name.removeprefix(f"{package}/").split("/")[0] for file in files}
    graph: Graph = {}
    for file in files:
        parts = file.name.removeprefix(f"{package}/").split("/")
        if len(parts) < 2:  # a module of the package itself
            continue
        used = {name.split(".")[1] for name in _imports(ast.parse(file.text)) if name.startswith(f"{top}.")}
        graph.setdefault(parts[0], set()).update(used & folders - {parts[0]})
    return graph


def cycle_figures(graph: Graph) -> dict[str, object]:
    """Count what is in circles, and name it."""
    groups = components(graph)
    return {
        "units": len(graph),
        "units_in_cycles": sum(map(len, groups)),
        "largest": max(map(len, groups), default=0),
        "cycles": groups,
    }
