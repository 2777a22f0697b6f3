# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a report that lie on other hosts, where hosts share no folder: who lacks them, and how they get here.

In an allocation of Slurm a step of its own brings them, while Slurm starts any. Else they stay where they are.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import tarfile
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from thalweg.documents import Document

JOURNAL_END = ".journal"
_JOB = "SLURM_JOB_ID"
_KEPT = ("SLURM_CONF", _JOB, "SLURM_JOBID")
_HOLE = 1 << 16
# Folders are arguments. What has left the host is taken away there.
_SEND = """
for folder; do set -- "$@" "$folder"/*.journal; shift; done
tar -cPSzf - "$@" 2>/dev/null | base64 -w 1000 && rm -f "$@" && rmdir $(dirname "$@" | sort -u) 2>/dev/null
"""


class Missing(NamedTuple):
    """Ranks that a report has nothing of; `part` is their file on their host, or empty."""

    host: str
    ranks: str
    part: str
    number: int = 1
    """How many they are."""


def missing_in(report: str) -> list[Missing]:
    """Read who is missing in a report; nobody where there is none."""
    try:
        with open(report, encoding="utf-8") as file:
            found = json.load(file).get("missing", [])
    except (OSError, ValueError):
        return []
    return [Missing(one["host"], one["ranks"], one["part"], one["count"]) for one in found]


def missing_of(document: Document) -> tuple[Missing, ...]:
    """Read who is missing in a report that is open."""
    parts = [] if document.value("missing") is None else document.parts("missing")
    return tuple(
        Missing(part.text("host"), part.text("ranks"), part.text("part"), part.whole_number("count")) for part in parts
    )


def can_bring(environment: Mapping[str, str]) -> bool:
    """Say whether something here could reach other hosts."""
    return _JOB in environment and shutil.which("srun", path=environment.get("PATH")) is not None


def bring(missing: Iterable[Missing], folder: str, environment: Mapping[str, str], patience_s: int) -> None:
    """Bring the parts of other hosts into the folder here, as far as Slurm still starts steps in the allocation."""
    parts = [one for one in missing if one.part]
    hosts = sorted({one.host.partition(".")[0] for one in parts})
    folders = sorted({os.path.dirname(one.part) for one in parts})
    if not hosts:
        return
    own = {name: value for name, value in environment.items() if name in _KEPT or not name.startswith("SLURM_")}
    size = [f"--nodes={len(hosts)}", f"--ntasks={len(hosts)}", f"--nodelist={','.join(hosts)}"]
    how = ["--overlap", "--mem=0", "--mpi=none", "--quiet", "--label", "--chdir=/", f"--immediate={patience_s}"]
    words = ["srun", f"--jobid={environment[_JOB]}", *size, *how, "sh", "-c", _SEND, "sh", *folders]
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            words,
            env=own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=patience_s,
            check=False,
        )
        for text in _by_task(done.stdout).values():
            _unpack(text, folder)


def _by_task(labeled: bytes) -> dict[bytes, bytes]:
    """Take apart what tasks have said: each line begins with the task's number."""
    texts: dict[bytes, bytes] = {}
    for line in labeled.splitlines():
        task, _, text = line.partition(b": ")
        texts[task.strip()] = texts.get(task.strip(), b"") + text.strip()
    return texts


def _unpack(text: bytes, folder: str) -> None:
    """Write the files of an archive into the folder, whatever folders the archive names."""
    os.makedirs(folder, exist_ok=True)
    with (
        suppress(ValueError, OSError, tarfile.TarError, EOFError),
        tarfile.open(fileobj=io.BytesIO(base64.b64decode(text)), mode="r:gz") as archive,
    ):
        for member in archive:
            name = os.path.basename(member.name)
            content = archive.extractfile(member) if member.isreg() and name.endswith(JOURNAL_END) else None
            if content is not None:
                _write_with_holes(content, os.path.join(folder, name))


def _write_with_holes(content: IO[bytes], path: str) -> None:
    """Write a file of which the larger part is zeros."""
    with open(path, "wb") as file:
        while piece := content.read(_HOLE):
            if piece.strip(b"\0"):
                file.write(piece)
            else:
                file.seek(len(piece), os.SEEK_CUR)
        file.truncate()


def keep_memory(memory: int, folder: str) -> None:
    """Write the memory of this host's ranks as a part beside those of other hosts."""
    os.makedirs(folder, exist_ok=True)
    with os.fdopen(os.dup(memory), "rb") as file:
        file.seek(0)
        path = os.path.join(folder, f"{os.uname().nodename}-{os.getpid()}{JOURNAL_END}")
        _write_with_holes(file, path)


def missing_text(missing: Sequence[Missing]) -> str:
    """Say which ranks a report lacks, and where they have counted."""
    return "; ".join(_of_host(one) for one in missing)


def _of_host(one: Missing) -> str:
    ranks = f"rank {one.ranks}" if one.ranks.isdecimal() else f"ranks {one.ranks}"
    return f"{ranks} of {one.host}" + (f", counted in {one.part} there" if one.part else "")


def remark_on(missing: Sequence[Missing], report: str, folder: str) -> str:
    """Say what a report lacks, and how it gets there."""
    remedy = f"copy that into {folder}, and run: thalweg report {folder}"
    return f"{report} lacks {missing_text(missing)}; {remedy}"
