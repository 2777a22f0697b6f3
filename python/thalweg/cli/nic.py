# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg nic`: collectives on the hosts' network devices."""

from typing import Annotated

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile
from thalweg.terminal import print_line

_Device = Annotated[str, typer.Option(help="The network device that the hosts reach each other by.")]
_Operators = Annotated[
    str, typer.Option(metavar="FOLDER", help="Operators of users, compiled: files *.o; see docs/nic.md.")
]


def serve(
    *,
    device: _Device = "eth0",
    hook: Annotated[str, typer.Option(help="best, tcx (Linux 6.6) or clsact.")] = "best",
    aggregator: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where one aggregates for this host's jobs, or this switch's hosts."),
    ] = "",
    aggregate: Annotated[bool, typer.Option("--aggregate", help="Aggregate for the jobs of other hosts.")] = False,
    switch: Annotated[
        str, typer.Option(metavar="BRIDGE", help="Aggregate on this bridge, which has an address, and its ports.")
    ] = "",
    router: Annotated[
        str, typer.Option(metavar="DEVICE", help="Aggregate on this router: all devices, the address of this one.")
    ] = "",
    operators: _Operators = "",
) -> None:
    """Serve this host's jobs until it is ended.

    Needs root, or CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON.
    """
    from thalweg.nic.agent import serve as serve_device  # noqa: PLC0415

    if aggregate or switch or router:
        aggregator = f"self,{aggregator}" if aggregator else "self"
    served = f"{router}/all" if router else switch or device
    serve_device(served, hook, aggregator, operators)


def status(*, json_file: JsonFile = "") -> None:
    """Say what this host's agent serves.

    These are groups, calls so far, and which ranks are missing.
    """
    from thalweg.nic.status import ask, lines  # noqa: PLC0415

    found = ask()
    if not answered("nic status", found, json_file):
        print("\n".join(lines(found)))


def check(
    *,
    device: _Device = "eth0",
    switch: Annotated[str, typer.Option(metavar="BRIDGE", help="As a switch: this bridge.")] = "",
    router: Annotated[str, typer.Option(metavar="DEVICE", help="As a router: with the address of this one.")] = "",
    operators: _Operators = "",
    json_file: JsonFile = "",
) -> None:
    """Look whether this host can run collectives so.

    The exit status is 1 where something is missing.
    """
    from thalweg.nic.check import findings  # noqa: PLC0415

    role = "switch" if switch else "router" if router else ""
    found = findings(switch or router or device, role, operators)
    if not answered("nic check", {"findings": [finding._asdict() for finding in found]}, json_file):
        for finding in found:
            print_line(f"{'yes' if finding.is_good else 'no ':3}  {finding.text}")
    if not all(finding.is_good for finding in found):
        raise typer.Exit(1)
