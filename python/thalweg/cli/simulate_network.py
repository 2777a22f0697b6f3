# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate network`: routers under load, multicasts and reductions in switches, packet by packet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.cli.options import JsonFile, command_of, parameters_from, words_in
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text
from thalweg.errors import USAGE, ThalwegError

if TYPE_CHECKING:
    from thalweg.simulation.network import Routers

_ROUTER_NAMES = ("buffers", "credit_rule", "queues", "arbitration", "packet_bytes", "gigabits", "channel_ns",
                 "switch_ns", "interface_ns", "unit_subsets")  # fmt: skip
_Topology = Annotated[
    str,
    typer.Option(
        "--network",
        help="tree:16x2 (16-ary, 2 levels), xgft:…, star:8, torus:…, mesh:…, hypercube:8, dragonfly:…",
    ),
]
_Pattern = Annotated[
    str,
    typer.Option(
        help="uniform, transpose, bit_reversal, bit_complement, shuffle, tornado, permutation, shift:K, exchange:K."
    ),
]
_Load = Annotated[
    str, typer.Option(help="Offered loads: 0.1..1.0 in steps of 0.1, 0.5..0.9:0.05, or 0.2,0.7; at most 1.")
]
_Routing = Annotated[
    str,
    typer.Option(
        help="adaptive_up, up_by_destination (trees), dimension_ordered, minimal, valiant, ugal.",
        show_default="by the topology",
    ),
]
_Multicast = Annotated[
    str, typer.Option(metavar="fanout=N[,sets=M]", help="Multicasts to N random nodes.", show_default=False)
]
_Reduce = Annotated[
    str, typer.Option(metavar="units=N[,groups=M]", help="Reductions in the switches.", show_default=False)
]
_Workload = Annotated[
    str, typer.Option(metavar="md", help="Molecular dynamics' multicasts, in switches and without.", show_default=False)
]
_Sizes = Annotated[str, typer.Option("--bytes", help="Bytes of messages, for reductions and workloads.")]
_Interface = Annotated[
    str, typer.Option(help="Interfaces delay only (latency) or do one thing at a time (occupancy).", show_default=False)
]
_Router = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help=f"Other routers; may be repeated: {', '.join(_ROUTER_NAMES)}."),
]
_Senders = Annotated[int, typer.Option(help="Only the first so many nodes send; 0: all.", min=0)]
_Packets = Annotated[int, typer.Option(help="About so many are measured at each load.")]
_Seed = Annotated[int, typer.Option(help="Equal seeds give equal results.", min=0)]
_Workers = Annotated[int, typer.Option(help="Loads at a time; 0: one for each core.", min=0)]
_Plot = Annotated[str, output_file(help="Draw what comes through and latency over load.", show_default=False)]


@dataclass(frozen=True)
class Network:
    """Simulate a network, packet by packet.

    The answer is what comes through under load, and how long it takes. Routers have a buffer for each pair of an input
    and an output, virtual cut-through and credits, as in chapter 8 of S. Kumar 2005, whose figures are the usual ones.
    Saturation is a result, with its confidence interval.
    """

    topology: _Topology = "tree:16x2"
    pattern: _Pattern = "uniform"
    load: _Load = "0.1..1.0"
    routing: _Routing = ""
    multicast: _Multicast = ""
    reduce: _Reduce = ""
    workload: _Workload = ""
    sizes: _Sizes = "8,64,256,1KiB,4KiB"
    router: _Router = None
    interface: _Interface = ""
    senders: _Senders = 0
    packets: _Packets = 100_000
    seed: _Seed = 1
    workers: _Workers = 0
    plot: _Plot = ""
    json_file: JsonFile = ""

    def run(self) -> None:
        """Answer.

        Raises ThalwegError for options that exclude one another, and for words that are not known.
        """
        kinds = [name for name in ("multicast", "reduce", "workload") if getattr(self, name)]
        if len(kinds) > 1:
            raise _refused(f"--{kinds[0]} and --{kinds[1]} together", "choose one of them")
        if self.workload not in ("", "md"):
            raise _refused(f"no workload '{self.workload}'", "choose md")
        if self.interface not in ("", "latency", "occupancy"):
            raise _refused(f"--interface {self.interface}", "choose latency or occupancy")
        if not (self.reduce or self.workload) and self.interface == "occupancy":
            remedy = "choose latency: 1300 ns a packet would let no load above 0.16 through"
            raise _refused("interfaces that are occupied, under loads", remedy)
        self._answer()

    def _answer(self) -> None:
        from thalweg.simulation import network_command  # noqa: PLC0415

        sizes = [size_from_text(size) for size in words_in(self.sizes)]
        if self.reduce:
            network_command.run_reductions(
                self.topology, self.reduce, sizes, self._routers(), plot=self.plot, json_file=self.json_file
            )
        elif self.workload:
            network_command.run_molecular_dynamics(
                self.topology, sizes, self._routers(), senders=self.senders, plot=self.plot, json_file=self.json_file
            )
        else:
            network_command.run_loads(
                self.topology,
                self.pattern,
                self.load,
                self._routers(),
                routing=self.routing,
                multicast=self.multicast,
                senders=self.senders,
                packets=self.packets,
                workers=self.workers,
                plot=self.plot,
                json_file=self.json_file,
            )

    def _routers(self) -> "Routers":
        """Interfaces do one thing at a time where that is said, and in workloads where nothing else is."""
        from thalweg.simulation.network import Routers, routers_from  # noqa: PLC0415

        usual = Routers(
            occupied=self.interface == "occupancy" or bool(self.workload and not self.interface), seed=self.seed
        )
        return routers_from(usual, parameters_from("simulate network", self.router, "--router"), _ROUTER_NAMES)


def _refused(message: str, remedy: str) -> ThalwegError:
    return ThalwegError(USAGE, f"thalweg simulate network: {message}", remedy)


network = command_of(Network)
