# SPDX-License-Identifier: BSD-3-Clause
"""Classes that one can hold in one's head, and a call's meaning and the process's state at one place each."""

import re
from pathlib import Path

from house import cpp, sources
from house.figures import CLASS_SIZE_MAX, interposer_figures

ROOT = Path(__file__).resolve().parents[2]

PROCESS_VARIABLES_MAX = 27


def test_classes_have_few_methods_and_members() -> None:
    sizes: dict[str, int] = {}  # the largest of a name
    for file in sources.cpp_of(sources.tracked(ROOT), "src", "include"):
        for found in cpp.classes(cpp.parse(file.text)):
            sizes[found.name] = max(sizes.get(found.name, 0), found.methods + found.members)
    larger = {name: size for name, size in sizes.items() if size > CLASS_SIZE_MAX}
    assert larger == {}, "break them by state, each part with data of its own"


def test_meanings_of_calls_are_read_from_the_table() -> None:
    """Only what is about a library's faults, or a device's abilities, goes by the operation itself."""
    figures = interposer_figures(sources.cpp_of(sources.tracked(ROOT), "src/run/mpi"))
    assert set(figures["switches"]) <= {
        "src/run/mpi/offload/offloaded_call.cpp",
        "src/run/mpi/run/nonblocking_counterpart.cpp",
    }, "ask mpi/call/operation_shape.hpp or mpi/call/sides.hpp instead"
    assert figures["process_variables"] <= PROCESS_VARIABLES_MAX, figures["variables"]


def test_objects_of_the_process_are_listed() -> None:
    """Whoever looks for state finds it: docs/design.md names each object that lives as long as the process."""
    page = (ROOT / "docs" / "design.md").read_text().split("\n## State of the process\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    kept = {
        name
        for file in sources.cpp_of(sources.tracked(ROOT), "src/run/mpi", "src/runtime", "src/api")
        for name in re.findall(r"\bof_process<(\w+)>", file.text)
    }
    assert listed == kept | {"ProcessState", "ThreadState", "Runtime"}
