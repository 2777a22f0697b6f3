# SPDX-License-Identifier: BSD-3-Clause
"""Patterns of every kind, damaged: each is read, or refused with the file, the line and what helps."""

import json
import re
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from report_answers import report_document
from support import Command, examples
from thalweg.errors import SETTINGS, USAGE, ThalwegError
from thalweg.networks.read import read_machine
from thalweg.placement.files import read_pattern
from thalweg.tune.store import FINGERPRINT_LINES

PATTERNS = {
    "a.csv": "0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n",
    "a.graph": "4 4 001\n2 5 4 7\n1 5 3 1\n2 1 4 2\n1 7 3 2\n",
    "a.mtx": "%%MatrixMarket matrix coordinate real general\n% c\n4 4 3\n1 2 5\n2 3 1\n4 1 2\n",
    "a.dat": "2\n0 1\n1 0\n0 5\n5 0\n",
    "a.pattern": "thalweg-pattern 1\ncommand ./a\nseconds 1\nranks 4\nsite 0 call MPI_Send a.c:1\n"
    "phase 1 all\n0 1 100 2 0\n1 2 50 1 0\n",
    "a.json": '{"format": "thalweg-pattern", "version": 1, "ranks": 2,\n'
    '"phases": [{"name": "1", "repeats": 2, "sent": [[0, 1, 8, 1]]}]}\n',
}
WORDS = (
    "",
    "x",
    "-1",
    "nan",
    "1e999",
    "0.5",
    "٣",
    "9" * 30,
    "9" * 5000,
    "\0",
    "[",
    '"',
    "phase",
    "\ufeff",
    "1 2 3",
    "\n",
)


@given(name=st.sampled_from(sorted(PATTERNS)), data=st.data())
@settings(max_examples=examples(400), deadline=None)
def test_damaged_patterns_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    parts = re.split(r"([ ,\n])", PATTERNS[name])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(parts) - 1))
        parts[place] = data.draw(st.sampled_from(WORDS))
    path = tmp_path_factory.getbasetemp() / name
    path.write_text("".join(parts[: data.draw(st.integers(1, len(parts)))]))
    try:
        assert read_pattern(str(path)).tasks >= 0
    except ThalwegError as error:
        assert error.status == SETTINGS
        assert error.message.startswith(str(path))
        assert error.remedy
        assert "invalid literal" not in error.message
        assert "out of range" not in error.message


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("a.pattern", "1 2 50 1 0", "1 2 50", ":8: '1 2 50' is no line of a pattern"),
        ("a.pattern", "phase 1 all\n", "", ":6: '0 1 100 2 0' is no line of a pattern"),
        ("a.pattern", "thalweg-pattern 1", "thalweg-pattern 2", ":1: 'thalweg-pattern 2', and not"),
        ("a.mtx", "4 4 3", "4 4 three", ":3: '4 4 three' is no size"),
        ("a.mtx", "4 1 2\n", "4 1", ":6: 2 words, where 3 are expected"),
        ("a.mtx", "4 1 2\n", "4 1 ٣", ":6: '٣' is no number of bytes"),
        ("a.csv", "0,1,0,1\n1", "0,٣,0,1\n1", ":1: '٣' is no number of bytes"),
        ("a.mtx", "4 4 3", "4 4", ":3: a size of 2 numbers"),
        ("a.mtx", "2 3 1", "2.5 3 1", ":5: '2.5 3' is no row and column"),
        ("a.json", '"phases"', '"phases" 1', ":2: it is no JSON: Expecting ':' delimiter at column 10"),
    ],
)
def test_patterns_are_refused_with_the_line(tmp_path: Path, name: str, before: str, after: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(PATTERNS[name].replace(before, after))
    with pytest.raises(ThalwegError) as caught:
        read_pattern(str(path))
    assert caught.value.message.startswith(f"{path}{said}")


def test_long_lines_take_no_time_for_each_letter_again(tmp_path: Path) -> None:
    """A line of 200,000 letters took minutes as one of Slurm's; that it is read at all is what is asked."""
    path = tmp_path / "topology.conf"
    path.write_text("SwitchName=s0 Nodes=n0\n" + "x" * 200_000 + "\n")
    with pytest.raises(ThalwegError, match=":2: "):
        read_machine(str(path))


def test_words_of_thousands_of_letters_are_shortened(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "net").write_text("node n0\n" + "x" * 100_000 + " n0\n")
    done = thalweg("machine", "net", cwd=tmp_path)
    assert done.returncode == SETTINGS.number
    assert done.stderr.startswith("thalweg: net:2: 'xxx")
    assert len(done.stderr) < 1000
    assert done.stderr.splitlines()[-1].startswith("  ")


def _with_fingerprint(mpi: str, cores: str) -> str:
    fingerprint = ["x86", cores, "", "6.1", mpi, "shm", "1", "2"]
    assert len(fingerprint) == FINGERPRINT_LINES
    return json.dumps(report_document(fingerprint=fingerprint))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format": "thalweg-report", "version": 1}', "r.json is no whole report of a run"),
        (json.dumps(report_document(mpi=[])), "r.json is no whole report of a run"),
        (json.dumps(report_document(calls=[{}])), "r.json is no whole report of a run"),
        ('{"format":\n "thalweg-report"', "r.json:2: it is no JSON"),
        ("[]", "r.json is no report of a run"),
    ],
)
def test_damaged_reports_are_refused(thalweg: Command, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "r.json").write_text(text)
    done = thalweg("tune", "explain", "r.json", cwd=tmp_path)
    assert done.returncode in (USAGE.number, SETTINGS.number)
    assert done.stderr.startswith(f"thalweg: {said}")
    assert "thalweg run --report FILE writes one" in done.stderr


@pytest.mark.parametrize(("mpi", "cores"), [("p", "many"), ("p", "9" * 50), ("p" * 300, "2"), ("", "-1")])
def test_odd_fingerprints_hinder_nothing(thalweg: Command, tmp_path: Path, mpi: str, cores: str) -> None:
    (tmp_path / "r.json").write_text(_with_fingerprint(mpi, cores))
    done = thalweg("tune", "explain", "r.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_settings_that_are_no_text_name_the_line(thalweg: Command, tmp_path: Path) -> None:
    (tmp_path / "thalweg.toml").write_bytes(b'wait = "auto"\n# caf\xe9\n')
    done = thalweg("config", cwd=tmp_path)
    assert done.returncode == SETTINGS.number
    assert "thalweg.toml:2: it is not UTF-8 text\n  " in done.stderr


def test_a_tuning_file_that_check_is_given_has_to_be_there(thalweg: Command) -> None:
    """Before anything is measured."""
    done = thalweg("machine", "check", "-n", "2", "--tuning", "nowhere.toml")
    assert (done.returncode, done.stdout) == (SETTINGS.number, "")
    assert "there is no tuning file nowhere.toml" in done.stderr
