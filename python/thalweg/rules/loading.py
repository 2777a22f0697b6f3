# SPDX-License-Identifier: BSD-3-Clause
"""Tell a library of the tuning file's picks among its own algorithms, when a job starts.

The rules are written beside the tuning file, from its picks, so that the tuning file stays the only truth.
"""

import ctypes
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from thalweg import _core
from thalweg.errors import SETTINGS, ThalwegError
from thalweg.rules.formats import Rule, Rules
from thalweg.rules.library import Library
from thalweg.rules.picks import LIBRARY, selected_algorithms
from thalweg.settings.layers import default_tuning_file
from thalweg.settings.user_algorithms import chosen_by_user
from thalweg.settings.values import NO_TUNING
from thalweg.text_files import write_text


class LibraryRules(NamedTuple):
    """The variables that tell the library, none if there is nothing to tell, and a remark for the user."""

    variables: dict[str, str]
    remark: str


NOTHING = LibraryRules({}, "")

_OPERATIONS = {"reduce_scatter_block": "reduce_scatter"}
"""Calls that libraries know by another's name."""


class Job(NamedTuple):
    """What is known of a job before it starts. Nodes' machines are taken to be like this one."""

    ranks: int
    nodes: int
    """With as many ranks on each."""
    environment: Mapping[str, str]
    """The ranks'."""


def write_library_rules(library: Library, job: Job, tuning: str, selections: Mapping[str, str]) -> LibraryRules:
    """Write the library's rules for a job: what was selected by hand (--use), then the tuning file's picks.

    `tuning` may be "off". The user's own choice of algorithms, by the library's variables, comes first: then there is
    nothing to write. Raises ThalwegError for a selected algorithm that the library does not have.
    """
    if chosen_by_user(job.environment):
        return NOTHING
    selected = selected_algorithms(selections)
    _check(library, job.ranks, selected)
    machine, picks = _tuned(library, job, tuning)
    picks = [pick for pick in picks if pick.call not in selections]
    picks += [_pick(call, word, job) for call, word in selected.items()]
    rules = rules_of_picks(library, picks, job.ranks, job.nodes)
    if not rules:
        return NOTHING
    home = default_tuning_file(job.environment) if tuning == NO_TUNING else tuning
    name = _name(machine + "".join(f";{call}={word}" for call, word in sorted(selected.items())))
    return _written(library, rules, job.ranks, Path(f"{home}.rules") / name)


def _check(library: Library, ranks: int, selected: Mapping[str, str]) -> None:
    """Fail for an algorithm that the library does not have."""
    names = {call: _OPERATIONS.get(call, call) for call in selected}
    choices = library.choices(dict.fromkeys(names.values()), ranks)
    for call, word in selected.items():
        known = [one.word for one in choices.get(names[call], [])]
        if word not in known:
            remedy = f"choose one of {', '.join(known)}" if known else "choose a strategy: thalweg strategies"
            raise ThalwegError(SETTINGS, f"--use {call}={LIBRARY}{word}: the library has no such algorithm", remedy)


def _pick(call: str, word: str, job: Job) -> _core.Pick:
    """Make a pick for all sizes of what was selected."""
    pick = _core.Pick()
    pick.call, pick.ranks, pick.nodes, pick.bytes, pick.use = call, job.ranks, job.nodes, 0, LIBRARY + word
    return pick


def _tuned(library: Library, job: Job, tuning: str) -> tuple[str, list[_core.Pick]]:
    """Find the machine and the picks that the tuning file has for the job, if it is known there by one entry."""
    if tuning == NO_TUNING:
        return "", []
    try:
        file = _core.load_tuning(tuning)
        here = _core.local_fingerprint(dict(job.environment))
        version = library_version(library.path)
    except (_core.Error, OSError):
        # The ranks say what is wrong with the file.
        return "", []
    own = (here.processor, here.kernel, here.transport, version, job.nodes, str(job.ranks // job.nodes))
    found = [
        one
        for one in file
        if own == (one.machine.processor, one.machine.kernel, one.machine.transport, one.machine.mpi,
                   one.machine.nodes, one.machine.ranks_per_node)
    ]  # fmt: skip
    return (found[0].machine.describe(), list(found[0].picks)) if len(found) == 1 else ("", [])


def rules_of_picks(library: Library, picks: Sequence[_core.Pick], ranks: int, nodes: int = 1) -> Rules:
    """Put the picks of the library's algorithms together; other sizes are left to the library."""
    rules: dict[str, list[Rule]] = {}
    names = dict.fromkeys(_OPERATIONS.get(pick.call, pick.call) for pick in picks if pick.library_algorithm)
    choices = library.choices(names, ranks)
    for pick in sorted(picks, key=lambda pick: pick.bytes):
        name = _OPERATIONS.get(pick.call, pick.call)
        if name in choices and (pick.ranks, pick.nodes) == (ranks, nodes):
            algorithm = next((one for one in choices[name] if one.word == pick.library_algorithm), None)
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
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(text, path)
        variables = library.file_variables(str(path))
    except (OSError, ThalwegError) as error:
        return LibraryRules({}, f"the library is not told of the tuning file's picks among its own algorithms: {error}")
    return LibraryRules(variables, "")
