# SPDX-License-Identifier: BSD-3-Clause
"""What `make house` counts, on sources that are small enough to count by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from house import cpp, cycles, duplicates, sources
from house.commands import command_figures
from house.prose import prose_figures
from house.sources import Source
from house.tables import table, tables

from thalweg.cli.table import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def written(folder: Path, **texts: str) -> list[Source]:
    """Write files, named with two underscores for a slash and one for a dot before their last word."""
    found = []
    for key, text in texts.items():
        name = ".".join(key.replace("__", "/").rsplit("_", 1))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        found.append(Source(folder, name))
    return found


def test_lengths_have_nearest_ranks() -> None:
    assert sources.length_figures([9, 1, 2, 3]) == {
        "functions": 4, "lines_median": 2, "lines_p90": 9, "lines_p99": 9, "lines_max": 9,
    }  # fmt: skip
    assert sources.length_figures([])["lines_max"] == 0


def test_the_licenses_line_is_no_line() -> None:
    assert [sources.line_count(f"{head}a\n\nb\n") for head in ("", "// SPDX-License-Identifier: X\n\n")] == [3, 3]
    assert sources.line_count("#!/bin/sh\n# SPDX-License-Identifier: X\n\n# Says.\n") == 2


def test_files_are_counted_by_room(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        src__run__mpi__run__a_cpp="1\n2\n",
        src__core__base__b_hpp="1\n" * 41,
        python__thalweg__cli__c_py="1\n",
    )
    assert sources.rooms_of(files) == {
        "python/thalweg/cli": {"files": 1, "lines": 1},
        "src/core/base": {"files": 1, "lines": 41},
        "src/run/mpi": {"files": 1, "lines": 2},
    }
    figures = sources.file_figures(files)
    assert (figures["files"], figures["lines_median"], figures["lines_max"]) == (3, 2, 41)
    assert (figures["small_files_percent"], figures["files_per_10000_lines"]) == (67, 682)


CLASSES = """
namespace a {
class Large {
public:
  explicit Large(int value);
  ~Large() = default;
  template <class T> void put(T item) { kept_ = item; }
  int* get() const;
  static constexpr int size = 3;

private:
  void (*callback_)(int) = nullptr;
  int kept_ = 0, other_ = 0;
  struct Inner {
    int x;
  };
  std::function<void(int)> handler_;
};
} // namespace a
"""


def test_classes_have_methods_and_members() -> None:
    assert list(cpp.classes(cpp.parse(CLASSES))) == [cpp.Class("Large", 4, 4), cpp.Class("Inner", 0, 1)]


FUNCTIONS = """
int f() { return 1; }
int A::g() const {
  auto add = [](int i) {
    return i + 1;
  };
  return add(1);
}
struct B {
  B() = default;
  int h() {
    return 2;
  }
};
"""


def test_functions_are_those_with_a_body_and_a_name() -> None:
    assert sorted(cpp.functions(cpp.parse(FUNCTIONS))) == [1, 3, 6]


@pytest.mark.parametrize(
    "line",
    [
        "int x = 0;",
        "namespace a { namespace { std::atomic<int> x{0}; } }",
        "inline constinit thread_local Table* own = nullptr;",
        "const char* name = nullptr;",
        "void f() { static Kept* const instance = new Kept; }",
        "void f() { static std::mutex mutex; }",
        "void f() { thread_local int depth = 0; }",
        "struct A { inline static int count = 0; };",
        "#if X\nbool has_x = false;\n#endif",
        "void (*callback)(int) = nullptr;",
    ],
)
def test_what_lives_as_long_as_the_process_is_seen(line: str) -> None:
    assert len(list(cpp.process_variables(cpp.parse(line)))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "constexpr int x = 0;",
        'const std::string name = "a";',
        'const char* const name = "a";',
        "extern Runtime runtime;",
        "int f(int x);",
        "static int f(int x) { int y = x; return y; }",
        "struct A { int x = 0; static int f(); };",
        "void f() { static const int x = g(); }",
        "void f() {\n#if X\nint y = 0;\n#endif\n}",
        "using F = int (*)(int);",
    ],
)
def test_what_does_not_live_so_long_or_never_changes_is_left_out(line: str) -> None:
    assert list(cpp.process_variables(cpp.parse(line))) == []


def test_switches_are_those_over_one_enumeration() -> None:
    text = """void f(Operation o) {
  switch (o) { case Operation::scan: return; default: switch (k) { case schedule::Operation::scan: return; } }
}
void g(Mode m) { switch (m) { case Mode::a: return; } }"""
    assert cpp.switches_over(cpp.parse(text), "Operation") == 1


def test_assertions_and_lines_of_code() -> None:
    text = "// Says.\n\nstatic_assert(true);\nvoid f() {\n  THALWEG_ASSERT(1, x); // why\n  /* two\n     lines */\n}\n"
    root = cpp.parse(text)
    assert cpp.assertions(root) == 2
    assert cpp.code_lines(root) == 4


def test_units_are_headers_with_their_sources(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        src__core__r__a_hpp='#include "r/b.hpp"\n',
        src__core__r__a_cpp='#include "r/a.hpp"\n',
        src__core__r__b_hpp="",
        src__core__r__b_cpp='#include "r/b.hpp"\n#include "r/a.hpp"\n#include <vector>\n',
        src__core__r__c_h='#include "d.h"\n',
        src__core__r__d_h="",
        src__core__r__c_hpp='#include "r/c.h"\n',
    )
    graph = cycles.unit_graph(files)
    assert graph["src/core/r/c.h"] == {"src/core/r/d.h"}
    assert cycles.cycle_figures(graph) == {
        "units": 5, "units_in_cycles": 2, "largest": 2, "cycles": [["src/core/r/a", "src/core/r/b"]],
    }  # fmt: skip


def test_packages_import_each_other_when_they_run(tmp_path: Path) -> None:
    files = written(
        tmp_path,
        python__thalweg__a__x_py="from thalweg.b import y\n",
        python__thalweg__b__y_py="def f():\n    import thalweg.c.z\n",
        python__thalweg__c__z_py=(
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from thalweg.a import x\n"
            "else:\n    from thalweg import d\n"
        ),
        python__thalweg__d__v_py="from thalweg import b, version\n",
        python__thalweg__version_py="from thalweg import a\n",
    )
    graph = cycles.package_graph(files, "python/thalweg")
    assert graph == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}
    assert cycles.components(graph) == [["b", "c", "d"]]


def test_pairs_are_as_long_as_they_agree(tmp_path: Path) -> None:
    shared = "".join(f"  call({number}); // {{}}\n" for number in range(7))
    files = written(
        tmp_path,
        src__a_cpp="#include <a>\nint f() {\n" + shared.format(*"abcdefg") + "}\n",
        src__b_cpp="\nvoid g() {\n  x();\n\n" + shared.format(*"tuvwxyz") + "  y();\n}\n",
        src__c_cpp="".join(shared.splitlines(keepends=True)[:5]),
    )
    assert duplicates.pairs(files) == [("src/a.cpp:3", "src/b.cpp:5", 7)]


def test_sentences_are_judged_by_how_they_begin() -> None:
    text = """# What is here

It works. Thalweg says what it does. *So* it goes; that is all. `It` counts as code. What is it?

- That is an item
- Thatched roofs

| It | is a cell |
| --- | --- |
"""
    assert prose_figures([text]) == {
        "sentences": 7, "words": 26, "words_median": 4, "words_p90": 6,
        "weak_begin_percent": 42.9, "what_percent": 14.3,
    }  # fmt: skip


def test_commands_are_the_applications() -> None:
    figures = command_figures()
    assert figures["commands"] == len(COMMANDS)
    assert figures["options"] > figures["commands"]
    assert figures["added_options"] > figures["added_commands"] > 1


def test_the_whole_of_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "house", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT / "scripts"), "PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True, check=True)  # fmt: skip
    figures = json.loads(done.stdout)
    assert figures["src"]["function"]["lines_max"] <= 60
    assert figures["cycles"]["src"]["cycles"] == []
    page = tables(figures)
    assert "| `src` |" in page
    assert max(map(len, (line for line in page.splitlines() if not line.startswith("|")))) <= 120


def test_columns_of_numbers_stand_right() -> None:
    assert table(("a", "b"), [("x", 1), ("y", "2 %")]) == "| a | b |\n| --- | --: |\n| x | 1 |\n| y | 2 % |"
