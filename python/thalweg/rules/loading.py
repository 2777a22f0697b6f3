"""Tell a library of the tuning file's picks among its own algorithms, when a job starts.

The rules are written beside the tuning file, from its picks, so that the tuning file stays the only truth.
"""

import ctypes
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import ThalwegError
from thalweg.rules.formats import Rule, Rules
from thalweg.rules.library import Library
from thalweg.rules.picks import LIBRARY
from thalweg.settings.user_algorithms import chosen_by_user

RULES_VARIABLE = "THALWEG_LIBRARY_RULES"
"""Names the variables that tell the library, so that ranks do not take them for the user's."""


class LibraryRules(NamedTuple):
    """The variables that tell the library, none if there is nothing to tell, and a remark for the user."""

    variables: dict[str, str]
    remark: str


NOTHING = LibraryRules({}, "")


def write_library_rules(
    library: Library, ranks: int, tuning: str, environment: Mapping[str, str], nodes: int = 1
) -> LibraryRules:
    """Find the picks for a job of so many ranks, as many on each of the nodes, and write the library's rules for it.

    `environment` is the ranks'. The nodes' machines are taken to be like this one. The user's own choice of algorithms
    comes first: then there is nothing to tell.
    """
    if chosen_by_user(environment):
        return NOTHING
    try:
        file = _core.load_tuning(tuning)
        here = _core.local_fingerprint(dict(environment))
        version = library_version(library.path)
    except (_core.Error, OSError):
        # The ranks say what is wrong with the file.
        return NOTHING
    own = (here.processor, here.kernel, here.transport, version, nodes, str(ranks // nodes))
    found = [
        one
        for one in file
        if own == (one.machine.processor, one.machine.kernel, one.machine.transport, one.machine.mpi,
                   one.machine.nodes, one.machine.ranks_per_node)
    ]  # fmt: skip
    rules = rules_of_picks(library, found[0].picks, ranks, nodes) if len(found) == 1 else {}
    if not rules:
        return NOTHING
    return _written(library, rules, ranks, Path(f"{tuning}.rules") / _name(found[0].machine.describe()))


def rules_of_picks(library: Library, picks: Sequence[_core.Pick], ranks: int, nodes: int = 1) -> Rules:
    """Put the picks of the library's algorithms together; other sizes are left to the library."""
    operations = {"reduce_scatter_block": "reduce_scatter"}
    rules: dict[str, list[Rule]] = {}
    names = dict.fromkeys(operations.get(pick.call, pick.call) for pick in picks if pick.use.startswith(LIBRARY))
    choices = library.choices(names, ranks)
    for pick in sorted(picks, key=lambda pick: pick.bytes):
        name = operations.get(pick.call, pick.call)
        if name in choices and (pick.ranks, pick.nodes) == (ranks, nodes):
            word = pick.use.removeprefix(LIBRARY) if pick.use.startswith(LIBRARY) else ""
            algorithm = next((one for one in choices[name] if one.word == word), None)
            rules.setdefault(name, []).append(Rule(pick.bytes, algorithm))
    return {name: found for name, found in rules.items() if any(rule.algorithm for rule in found)}


def library_version(path: str) -> str:
    """Ask a library what it is, in the words of fingerprints; it can be asked before MPI_Init."""
    text = ctypes.create_string_buffer(1 << 13)
    length = ctypes.c_int()
    ctypes.CDLL(path).MPI_Get_library_version(text, ctypes.byref(length))
    first = re.split(r"[\n,]", text.value.decode("utf-8", "replace"))[0]
    return re.sub(r" Version:[ \t]*", " ", first)


def _name(machine: str) -> str:
    return hashlib.sha256(machine.encode()).hexdigest()[:16]


def _written(library: Library, rules: Rules, ranks: int, path: Path) -> LibraryRules:
    """Write the rules unless they are there already."""
    try:
        text = library.rules_text(rules, ranks)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            fresh = path.with_name(f"{path.name}.{os.getpid()}")
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(path)
        variables = library.file_variables(str(path))
    except (OSError, ThalwegError) as error:
        return LibraryRules({}, f"the library is not told of the tuning file's picks among its own algorithms: {error}")
    return LibraryRules({**variables, RULES_VARIABLE: ",".join(variables)}, "")
