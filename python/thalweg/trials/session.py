# SPDX-License-Identifier: BSD-3-Clause
"""A job that tries strategies on request: the trial program under `thalweg run`."""

import contextlib
import enum
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from thalweg.errors import FAILED, ThalwegError
from thalweg.lab.hosts import node_list_of_lab
from thalweg.settings.layers import effective_settings
from thalweg.trials.distance import like_turns
from thalweg.trials.places import Place, find_places

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing itself from Python 3.11 on

NATIVE = "native"
PASSED_ON = "passed_on"
"""A candidate: through Thalweg, with no strategy chosen for it."""
_PATIENCE_S = 10
_REPETITIONS = 2
"""Of a trial in which the ranks' cores changed places."""


class Mode(enum.Enum):
    """How the job is started."""

    ENGINE = "so that strategies can be tried"
    RECORDED = "with a summary, without learning"
    TUNED = "with a tuning file, without summary and learning"
    NATIVE = "without Thalweg"


class Samples(NamedTuple):
    """What a candidate took, batch by batch: microseconds per call of the slowest rank, and of all ranks' CPUs.

    Of nonblocking calls CPU times are without those of the computation beside them. There is then also by how much the
    rank was held up that had the most of it.
    """

    completion_us: tuple[float, ...]
    cpu_us: tuple[float, ...]
    calls: int
    exposed_us: tuple[float, ...] = ()
    """In the start, in tests and in the wait."""
    lost_us: tuple[float, ...] = ()
    """That its computation took longer."""
    waited_us: tuple[float, ...] = ()
    """Of exposed time, in the wait."""
    distance_ns: float = 0
    """What a cache line took there and back between the ranks of a node that were farthest apart; 0: not known."""

    @property
    def held_up_us(self) -> tuple[float, ...]:
        """Give exposed and lost time together."""
        return tuple(exposed + lost for exposed, lost in zip(self.exposed_us, self.lost_us, strict=True))

    def of_turns(self, turns: Sequence[int], distance_ns: float) -> "Samples":
        """Leave out all other turns, if it was measured in several."""
        if len(self.completion_us) == 1:
            return self._replace(distance_ns=distance_ns)
        left: dict[str, Any] = {
            name: tuple(row[turn] for turn in turns)
            for name, row in self._asdict().items()
            if isinstance(row, tuple) and row
        }
        return self._replace(**left, distance_ns=distance_ns)


class Job(NamedTuple):
    """What the job says of itself."""

    ranks: int
    nodes: tuple[int, ...]
    """The node of each rank, numbered from 0."""
    machines: int
    """Booted machines that the nodes are on."""
    fingerprint: tuple[str, ...]
    places: tuple[Place, ...]
    """Where in its node each rank stays."""
    hosts: tuple[str, ...] = ()
    """The name of each node."""
    node_list: str = ""
    """The file with their places in the network, as ranks have it; empty: none."""
    leaves: tuple[int, ...] = ()
    """The switch of each rank's host, numbered from 0, as the hosts' agents say; (): not known, or one for all."""


class Session:
    """Starts the job, and ends it with the `with` block.

    The trial program is started by `command`, a launcher's words with the program at their end, under `thalweg run`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        lab: str = "",
        mode: Mode = Mode.ENGINE,
        tuning: str = "off",
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """`lab`: on the hosts of the lab of that name; the command is then `-n RANKS -- PROGRAM`.

        `tuning` is the tuning file that runs use; `variables` are set for the job.
        """
        summary = ["--summary" if mode is Mode.RECORDED else "--no-summary"]
        # Any strategy will do: it makes communicators ready for the engine; the program chooses afterwards.
        use = [
            "--learn",
            "off",
            "--tuning",
            tuning,
            *(["--use", "barrier=dissemination"] if mode is Mode.ENGINE else []),
        ]
        if mode is Mode.NATIVE:
            command = [*command, "native"]
            words = ["lab", "run", "--name", lab, "--native"] if lab else ["run", "--disable"]
        else:
            command = [*command, "tuned"] if mode is Mode.TUNED else command
            words = ["lab", "run", "--name", lab, *use] if lab else ["run", *summary, *use]
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in __exit__
        consent = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if lab else {}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "thalweg", *words, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"THALWEG_SETUP": "0"} | consent | dict(variables or {}),
            start_new_session=True,
        )
        self.job = _job_of(self._answer())._replace(node_list=_node_list(lab))

    def __enter__(self) -> "Self":
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the job; one that does not end by itself is ended."""
        del kind, error, trace
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._end()
        self._close()

    def _close(self) -> None:
        """Close the pipes of the job, which has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # of a request that it did not live to read
            self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    def _end(self) -> int:
        """Wait for the job's end, and bring it about if need be; returns its status."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                return self._process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                # The launcher and its helpers are in the group too; without them the ranks end.
                os.killpg(self._process.pid, number)
        return self._process.wait()

    def measure(  # noqa: PLR0913
        self,
        operation: str,
        size: int,
        candidates: Sequence[str],
        *,
        batches: int,
        limit: float = 0,
        alone: bool = False,
        tests: int | None = None,
    ) -> dict[str, Samples]:
        """Try candidates in turns; those slower than `limit` times the fastest have one sample only.

        Short calls are timed in rows, or each alone as soon as all ranks are there. Where ranks share cores, a call
        alone is timed together with bringing them there. `tests`: how often a nonblocking call is tested while its rank
        computes; None: a few times.

        All batches of the answer were taken at one distance of the ranks' cores. Where too few were, all are repeated.
        """
        way = "a" if alone else "" if tests is None else f"t{tests}"
        request = f"{operation} {size} {batches}{way} {limit} {' '.join(candidates)}"
        best, turns, distance = self._measured(request, batches)
        for _ in range(_REPETITIONS):
            if 2 * len(turns) > batches:
                break
            results, others, other_distance = self._measured(request, batches)
            if len(others) > len(turns):
                best, turns, distance = results, others, other_distance
        if not turns:
            return best
        return {name: samples.of_turns(turns, distance) for name, samples in best.items()}

    def _measured(self, request: str, batches: int) -> tuple[dict[str, Samples], list[int], float]:
        """Make a request once; also gives the turns that are alike, and their distance."""
        self._ask(request)
        results = {}
        turns, distance = list(range(batches)), 0.0
        while isinstance(line := self._answer(), dict):
            if "distances_ns" in line:
                turns, distance = like_turns(line["distances_ns"])
                continue
            results[line["candidate"]] = Samples(
                tuple(line["completion_us"]),
                tuple(line["cpu_us"]),
                line["calls"],
                exposed_us=tuple(line.get("exposed_us", ())),
                lost_us=tuple(line.get("lost_us", ())),
                waited_us=tuple(line.get("waited_us", ())),
            )
        return results, turns, distance

    def probe(self, request: str) -> tuple[float, ...]:
        """Make one of the measurements of src/run/trial/probes.h; microseconds."""
        self._ask(f"@{request}")
        answer = self._answer()
        assert isinstance(answer, dict)
        self._answer()
        return tuple(answer["us"])

    def has_devices(self) -> bool:
        """Tell whether network devices ran some of the collectives so far that were to run there."""
        self._ask("@devices")
        answer = self._answer()
        assert isinstance(answer, dict)
        self._answer()
        return bool(answer["devices"])

    def _ask(self, request: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{request}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._fail()

    def _answer(self) -> dict[str, Any] | str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._fail()
        if line.strip() == "done":
            return "done"
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise ThalwegError(FAILED, f"the trial program wrote what is no answer: {line!r}") from error
        assert isinstance(answer, dict)
        return answer

    def _fail(self) -> None:
        status = self._end()
        self._errors.seek(0)
        said = self._errors.read()[-3000:]
        self._close()
        raise ThalwegError(FAILED, f"the trial job ended with status {status}\n{said}")


def start_words(launcher: Sequence[str], ranks: int, program: str) -> list[str]:
    """Write what starts the trial program, as Session wants it."""
    return [*launcher, program] if launcher else ["-n", str(ranks), "--", program]


def _job_of(answer: dict[str, Any] | str) -> Job:
    assert isinstance(answer, dict)
    hosts = list(dict.fromkeys(answer["hosts"]))
    nodes = tuple(hosts.index(host) for host in answer["hosts"])
    places = find_places(answer["hosts"], answer["places"])
    fingerprint = tuple(answer["fingerprint"].split("\n"))
    leaves = tuple(leaf for leaf in answer["leaves"] if leaf >= 0)
    return Job(len(nodes), nodes, len(set(answer["machines"])), fingerprint, places, tuple(hosts), leaves=leaves)


def _node_list(lab: str) -> str:
    """Name the list of hosts that a job uses."""
    if lab:
        return node_list_of_lab(lab)
    return str(effective_settings({}, os.environ, os.getcwd())["node_list"].value or "")
