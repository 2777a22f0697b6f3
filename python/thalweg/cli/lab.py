# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg lab`: hosts in a box."""

import importlib
import inspect
import sys
from typing import Annotated

import typer

from thalweg.cli.run import parameter, register_words

_Name = Annotated[
    str, typer.Option("--name", envvar="THALWEG_LAB", help="Of the lab, if there are several: its hosts are NAME-h0, …")
]

_Nic = Annotated[
    bool,
    typer.Option("--nic", help="Start an agent on hosts, and on switches of several: collectives run on devices."),
]

_HostRate = Annotated[str, typer.Option("--host-rate", help="Of the hosts' own links.", show_default="as the others")]
_Topology = Annotated[
    str, typer.Option(help="star, fat-tree:HOSTSxSPINES, ring, torus:XxY…, or another of docs/machines.md.")
]
_Operators = Annotated[
    str, typer.Option(metavar="FOLDER", help="With agents that have these operators of users; see docs/nic.md.")
]
_Shuffle = Annotated[
    int, typer.Option(metavar="SEED", help="Jobs get the hosts in a random order by this seed; 0: in order.")
]


def make_application() -> typer.Typer:
    """Make the group of the lab's commands."""
    app = typer.Typer(
        help="Make a cluster in a box: hosts with links of limited rate, on this machine. Needs root.",
        no_args_is_help=True,
    )

    @app.command()
    def up(
        *,
        hosts: Annotated[int, typer.Option(help="How many hosts.")] = 8,
        rate: Annotated[str, typer.Option(help="Of each link in each direction: 200mbit, 1gbit.")] = "200mbit",
        host_rate: _HostRate = "",
        topology: _Topology = "star",
        shuffle: _Shuffle = 0,
        nic: _Nic = False,
        operators: _Operators = "",
        name: _Name = "thalweg",
    ) -> None:
        """Make hosts with links of that rate, on a network of that shape."""
        checked = importlib.import_module("thalweg.lab.hosts").checked
        lab = checked(name, hosts, rate, topology, shuffle, host_rate)._replace(
            nic=nic or bool(operators), operators=operators
        )
        importlib.import_module("thalweg.lab.network").up(lab)
        shuffled = f"; jobs get them as {', '.join(lab.dealt)}" if shuffle else ""
        print(f"{hosts} hosts are up: {lab.names[0]} to {lab.names[-1]}, {rate} each, {topology}{shuffled}")

    native = typer.Option("--native", help="Without Thalweg.", show_default=False)
    register_words(
        app,
        "Run an MPI program across the hosts, over TCP. The options are those of `thalweg run`, and these two.",
        lambda: importlib.import_module("thalweg.lab.launch").run_words(sys.argv[3:]) or 0,
        [
            parameter("native", bool, native),
            inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default="thalweg", annotation=_Name),
        ],
    )

    @app.command()
    def down(*, name: _Name = "thalweg") -> None:
        """Take the lab away, with whatever still runs on its hosts; also what a crash left."""
        count = importlib.import_module("thalweg.lab.network").down(name)
        print(f"{count} hosts are gone" if count else "there was no lab")

    return app
