"""`thalweg lab`: hosts in a box."""

import importlib
from typing import Annotated

import typer

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

    @app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
    def run(
        program: Annotated[list[str], typer.Argument(metavar="PROGRAM [ARGUMENT]…", help="The program, behind --.")],
        *,
        ranks: Annotated[int, typer.Option("--ranks", "-n", help="How many ranks, as many on each host as need be.")],
        native: Annotated[bool, typer.Option("--native", help="Without Thalweg.")] = False,
        use: Annotated[list[str] | None, typer.Option("--use", "-u", help="As for thalweg run.")] = None,
        tuning: Annotated[str | None, typer.Option(help="As for thalweg run.")] = None,
        learn: Annotated[str | None, typer.Option(help="As for thalweg run.")] = None,
        report: Annotated[str | None, typer.Option(help="As for thalweg run.")] = None,
        record: Annotated[bool, typer.Option("--record", help="As for thalweg run.")] = False,
        trace: Annotated[bool, typer.Option("--trace", help="As for thalweg run.")] = False,
        place: Annotated[str | None, typer.Option(metavar="auto|off|FILE", help="As for thalweg run.")] = None,
        patterns: Annotated[str | None, typer.Option(metavar="FOLDER", help="As for thalweg run.")] = None,
        name: _Name = "thalweg",
    ) -> None:
        """Run an MPI program across the hosts, over TCP."""
        options = [word for selection in use or [] for word in ("--use", selection)]
        given = {"tuning": tuning, "learn": learn, "report": report, "place": place, "patterns": patterns}
        for flag, value in given.items():
            options += [f"--{flag}", value] if value else []
        options += [flag for flag, is_on in (("--record", record), ("--trace", trace)) if is_on]
        importlib.import_module("thalweg.lab.launch").run(name, ranks, program, options, native=native)

    @app.command()
    def down(*, name: _Name = "thalweg") -> None:
        """Take the lab away, with whatever still runs on its hosts; also what a crash left."""
        count = importlib.import_module("thalweg.lab.network").down(name)
        print(f"{count} hosts are gone" if count else "there was no lab")

    return app
