# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg lab`: hosts in a box. `thalweg lab run` reads its words as `thalweg run` does, see thalweg.cli.run."""

from typing import Annotated

import typer

from thalweg.terminal import print_next

_Name = Annotated[
    str, typer.Option("--name", envvar="THALWEG_LAB", help="Of the lab, if there are several: its hosts are NAME-h0, …")
]
_Nic = Annotated[
    bool,
    typer.Option("--nic", help="Start an agent on hosts, and on switches of several: collectives run on devices."),
]
_HostRate = Annotated[str, typer.Option("--host-rate", help="Of the hosts' own links.", show_default="as the others")]
_Network = Annotated[
    str,
    typer.Option("--network", help="star, fat-tree:HOSTSxSPINES, ring, torus:XxY…, or another of docs/machines.md."),
]
_Operators = Annotated[
    str, typer.Option(metavar="FOLDER", help="With agents that have these operators of users; see docs/nic.md.")
]
_Shuffle = Annotated[
    int, typer.Option(metavar="SEED", help="Jobs get the hosts in a random order by this seed; 0: in order.")
]


def up(
    *,
    hosts: Annotated[int, typer.Option(help="How many hosts.")] = 8,
    rate: Annotated[str, typer.Option(help="Of each link in each direction: 200mbit, 1gbit.")] = "200mbit",
    host_rate: _HostRate = "",
    topology: _Network = "star",
    shuffle: _Shuffle = 0,
    nic: _Nic = False,
    operators: _Operators = "",
    name: _Name = "thalweg",
) -> None:
    """Make hosts on a network.

    Their links have the rate that is given, and the network has the shape.
    """
    from thalweg.lab import network  # noqa: PLC0415
    from thalweg.lab.hosts import checked  # noqa: PLC0415

    lab = checked(name, hosts, rate, topology, shuffle, host_rate)._replace(
        nic=nic or bool(operators), operators=operators
    )
    network.up(lab)
    shuffled = f"; jobs get them as {', '.join(lab.dealt)}" if shuffle else ""
    print(f"{hosts} hosts are up: {lab.names[0]} to {lab.names[-1]}, {rate} each, {topology}{shuffled}")
    print_next(f"thalweg lab run{'' if name == 'thalweg' else f' --name {name}'} -n {hosts} -- ./program")


def down(*, name: _Name = "thalweg") -> None:
    """Take the lab away.

    Whatever still runs on its hosts ends, and what a crash left goes too.
    """
    from thalweg.lab import network  # noqa: PLC0415

    count = network.down(name)
    print(f"{count} hosts are gone" if count else "there was no lab")
