# SPDX-License-Identifier: BSD-3-Clause
"""What holds of every timeline in the Trace Event Format: slices nest, arrows and requests have both ends."""

import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

Event = dict[str, Any]


def nanoseconds(microseconds: float) -> int:
    """Undo the format's unit; times are whole nanoseconds."""
    return round(microseconds * 1000)


class Timeline:
    """A file that was read and checked."""

    def __init__(self, path: Path) -> None:
        content = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
        self.document = json.loads(content)
        self.events: list[Event] = self.document["traceEvents"]
        self.rows = {
            (one["pid"], one["tid"]): one["args"]["name"] for one in self.events if one["name"] == "thread_name"
        }
        self.processes = {one["pid"]: one["args"]["name"] for one in self.events if one["name"] == "process_name"}
        self._check()

    @property
    def remarks(self) -> str:
        return "; ".join(self.document["otherData"]["remarks"])

    def slices(self, *kinds: str) -> list[Event]:
        """Slices of these kinds, with the names of their rows."""
        return [
            one | {"row": self.rows[one["pid"], one["tid"]]}
            for one in self.events
            if one["ph"] == "X" and (not kinds or one["cat"] in kinds)
        ]

    def arrows(self) -> list[tuple[str, str, int, int]]:
        """Messages: from which row to which, tag and bytes."""
        ends: dict[str, dict[str, Event]] = defaultdict(dict)
        for one in self.events:
            if one["ph"] in "sf":
                ends[one["id"]][one["ph"]] = one
        row = {key: self.rows[key] for key in self.rows}
        return [
            (
                row[both["s"]["pid"], both["s"]["tid"]],
                row[both["f"]["pid"], both["f"]["tid"]],
                both["s"]["args"]["tag"],
                both["s"]["args"]["bytes"],
            )
            for both in ends.values()
        ]

    def _check(self) -> None:
        for one in self.events:
            assert one["ph"] in {"X", "M", "s", "f", "b", "e"}, one
            assert isinstance(one["pid"], int) and isinstance(one["tid"], int) and one["ts"] >= 0, one
            if one["ph"] != "M":
                assert (one["pid"], one["tid"]) in self.rows, one
                assert one["pid"] in self.processes, one
        self._check_slices()
        self._check_arrows()
        self._check_requests()

    def _spans(self, *kinds: str) -> dict[tuple[int, int], list[tuple[int, int]]]:
        spans: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for one in self.slices(*kinds):
            assert one["dur"] >= 0, one
            begin = nanoseconds(one["ts"])
            spans[one["pid"], one["tid"]].append((begin, begin + nanoseconds(one["dur"])))
        return spans

    def _check_slices(self) -> None:
        spans = self._spans()
        for row, found in spans.items():
            inside: list[tuple[int, int]] = []
            for begin, end in sorted(found, key=lambda span: (span[0], -span[1])):
                while inside and inside[-1][1] <= begin:
                    inside.pop()
                assert not inside or end <= inside[-1][1], (self.rows[row], begin, end, inside)
                inside.append((begin, end))

    def _check_arrows(self) -> None:
        # Simulations have no calls, but what processors do.
        spans = self._spans("call", "collective", "thalweg") or self._spans("compute", "transfer")
        ends = Counter((one["id"], one["ph"]) for one in self.events if one["ph"] in "sf")
        assert all(count == 1 for count in ends.values())
        assert {number for number, kind in ends if kind == "s"} == {number for number, kind in ends if kind == "f"}
        for one in self.events:
            if one["ph"] in "sf":
                at = nanoseconds(one["ts"])
                assert any(begin <= at <= end for begin, end in spans[one["pid"], one["tid"]]), one

    def _check_requests(self) -> None:
        open_ones: dict[tuple[int, str], list[Event]] = defaultdict(list)
        for one in self.events:
            if one["ph"] == "b":
                open_ones[one["pid"], one["id"]].append(one)
            elif one["ph"] == "e":
                begun = open_ones[one["pid"], one["id"]].pop()
                assert begun["name"] == one["name"] and begun["ts"] <= one["ts"], one
        assert not any(open_ones.values())
