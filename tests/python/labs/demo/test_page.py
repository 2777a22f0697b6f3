# SPDX-License-Identifier: BSD-3-Clause
"""The demo's rows become tables of a page, and only what stands between the page's marks changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from thalweg.errors import SETTINGS, ThalwegError
from thalweg_labs.demo.page import BEGIN, END, figures_of, main, put_into, tables, this_machine

EXAMPLE = Path(__file__).with_name("example_rows.json")
ROOT = Path(__file__).resolve().parents[4]
PAGES = [ROOT / "README.md", ROOT / "docs" / "results" / "demo.md"]


def rows() -> Any:
    return json.loads(EXAMPLE.read_text())


def test_a_line_for_each_library_and_number_of_ranks() -> None:
    text = tables(figures_of(rows()), "a machine")
    assert "| MPICH | 8 | 1 | **12.3x** | 12.3x | 12.3x | **12.0x** | 12.0x | 12.0x |" in text
    assert "| Open MPI | 4 | 2 | **1.20x** | 0.90x | 1.60x | **1.12x** | 1.00x | 1.25x |" in text
    command = "python -m thalweg_labs.demo --ranks 4 --ranks 8 --json rows"
    assert text.startswith(f"Measured on a machine:\n\n```sh\n{command}")


def test_a_long_description_of_the_machine_is_wrapped() -> None:
    lines = tables(figures_of(rows()), "a machine with " + "many words " * 40).splitlines()
    assert all(len(line) <= 120 for line in lines if not line.startswith("|"))


def test_each_program_has_its_line_with_what_was_lost() -> None:
    text = tables(figures_of(rows()), "")
    assert "| LAMMPS, rock salt | Open MPI | 4 | 1.80 | 2.00 | 0.90x | 1.00x |" in text
    assert text.count("LAMMPS, rock salt") == 2


def test_the_page_changes_between_its_marks_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold figures\n{END}\nafter\n")
    for note in ("first", "second"):
        main(EXAMPLE, page, machine="a machine", note=note)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n\nMeasured on a machine; second:\n")
    assert text.endswith(f"</details>\n\n{END}\nafter\n")
    assert "old figures" not in text


def test_a_short_page_has_the_lines_of_libraries_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    main(EXAMPLE, page, machine="a machine", short=True)
    assert "| MPICH | 8 | 1 |" in page.read_text()
    assert "LAMMPS" not in page.read_text()


def test_what_programs_wait_for_has_a_column_where_they_say_it() -> None:
    """One of two programs of Open MPI prints what it exposed: 0.6 s alone, and 0.2 s with Thalweg."""
    case = next(row["case"] for row in rows() if "/openmpi/" in row["case"])
    exposed = {"case": case, "metric": "exposed time", "unit": "s", "ours": 0.2, "peer": 0.6, "ratio": 3.0}
    text = tables(figures_of([*rows(), exposed]), "")
    heads = [line for line in text.splitlines() if line.startswith(("| MPI library", "| program"))]
    assert all(line.endswith("| exposed time |") for line in heads)
    assert "| 0.60 s, 0.20 s: 3.00x |" in text
    assert text.count("| **3.00x** |") == 1
    assert text.count("12.0x |  |") + text.count("1.00x |  |") >= 2, "others have none"
    assert "exposed" not in tables(figures_of(rows()), "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_have_a_place_for_the_figures(page: Path) -> None:
    assert "new figures" in put_into(page.read_text(), "new figures")


def test_the_pages_have_the_same_figures() -> None:
    readme, page = (path.read_text().partition(BEGIN)[2].partition(END)[0].strip() for path in PAGES)
    assert page.startswith(readme)


@pytest.mark.parametrize("page", ["", BEGIN, END + BEGIN, f"{BEGIN}{END}{BEGIN}{END}"])
def test_a_page_without_a_place_is_refused(page: str) -> None:
    with pytest.raises(ThalwegError) as caught:
        put_into(page, "figures")
    assert caught.value.status == SETTINGS


@pytest.mark.parametrize("left_out", [[], [0], [1]])
def test_rows_that_are_not_the_demos_are_refused(left_out: list[int]) -> None:
    few = [row for index, row in enumerate(rows()[:2]) if index in left_out]
    with pytest.raises(ThalwegError) as caught:
        figures_of(few)
    assert "thalweg_labs.demo --json" in caught.value.remedy


def test_this_machine_has_cores_a_kernel_and_libraries() -> None:
    text = this_machine(["mpich", "openmpi"])
    assert all(part in text for part in (" cores", "Linux ", "MPICH ", "Open MPI "))
