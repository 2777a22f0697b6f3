# SPDX-License-Identifier: BSD-3-Clause
"""A program that is linked with the Thalweg library for another MPI than its own is told so, by Thalweg."""

from pathlib import Path

import pytest
from jobs import BUILD, compile_with, run
from mpis import ROOT, named

PROGRAM = """
#include <stdio.h>
#include <string.h>
#include <thalweg/{room}.h>
int deliver(void* context, const char* items, size_t bytes) {{
  return context == NULL && items == NULL && bytes == 0;
}}
int main(int count, char** words) {{
  MPI_Init(&count, &words);
  thalweg_{room}* made = NULL;
  {create}
  puts(thalweg_error_message());
  MPI_Finalize();
  return made != NULL;
}}
"""
CREATE = {
    "team": "thalweg_team_create(MPI_COMM_WORLD, &made);",
    "stream": "thalweg_stream_options how = THALWEG_STREAM_OPTIONS_INIT; how.item_bytes = 8;"
    " thalweg_stream_handler handler = THALWEG_STREAM_HANDLER_INIT; handler.deliver = deliver;"
    " thalweg_stream_create(MPI_COMM_WORLD, &how, &handler, &made);",
}


@pytest.mark.parametrize(
    ("mpi", "other", "expected"),
    [
        ("mpich4", "openmpi", "this Thalweg library is for Open MPI, and the program runs on MPICH"),
        ("openmpi4", "mpich", "this Thalweg library is for MPICH, and the program runs on Open MPI"),
    ],
)
@pytest.mark.parametrize("room", CREATE)
def test_program_is_told(room: str, mpi: str, other: str, expected: str, tmp_path: Path) -> None:
    """Not by a library that does not know a handle."""
    source, target = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM.format(room=room, create=CREATE[room]))
    link = [f"-L{BUILD}", f"-lthalweg-{room}-{other}", f"-Wl,-rpath,{BUILD}", "-o", str(target)]
    compile_with([*named(mpi).compile, f"-I{ROOT / 'include'}", str(source), *link], target, [source])
    result = run(named(mpi), 1, [str(target)])
    assert expected in result.out, result.explain()
    assert f"-{named(mpi).family}" in result.out
    assert result.status == 0, result.explain()
