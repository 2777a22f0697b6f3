# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate network`: routers under load, multicasts and reductions in switches, packet by packet."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import size_from_text

_Topology = Annotated[
    str, typer.Option(help="tree:16x2 (16-ary, 2 levels), xgft:…, star:8, torus:…, mesh:…, hypercube:8, dragonfly:…")
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
_Buffers = Annotated[int, typer.Option(help="Packets that a crosspoint has room for.")]
_CreditRule = Annotated[
    str, typer.Option("--credits", help="A sender's counters: one a crosspoint behind it, or one a link.")
]
_Queues = Annotated[str, typer.Option(help="Where packets wait: output, or input (with --credits link).")]
_Arbitration = Annotated[str, typer.Option(help="What an output serves next: round_robin, oldest or fair.")]
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
_UnitSubsets = Annotated[str, typer.Option("--subsets", help="Inputs of combine units: fixed or round_robin.")]
_PacketBytes = Annotated[int, typer.Option(help="Bytes of a packet.")]
_Gigabits = Annotated[float, typer.Option(help="Of a channel, a second.")]
_ChannelNs = Annotated[float, typer.Option(help="Delay of a channel.")]
_SwitchNs = Annotated[float, typer.Option(help="Delay of a switch.")]
_InterfaceNs = Annotated[float, typer.Option(help="What each end of a message takes.")]
_Interface = Annotated[
    str, typer.Option(help="Interfaces delay only (latency) or do one thing at a time (occupancy).", show_default=False)
]
_Senders = Annotated[int, typer.Option(help="Only the first so many nodes send; 0: all.", min=0)]
_Packets = Annotated[int, typer.Option(help="About so many are measured at each load.")]
_Seed = Annotated[int, typer.Option(help="Equal seeds give equal results.", min=0)]
_Workers = Annotated[int, typer.Option(help="Loads at a time; 0: one for each core.", min=0)]
_Plot = Annotated[str, output_file(help="Draw what comes through and latency over load.", show_default=False)]


def network(
    *,
    topology: _Topology = "tree:16x2",
    pattern: _Pattern = "uniform",
    load: _Load = "0.1..1.0",
    routing: _Routing = "",
    buffers: _Buffers = 4,
    credit_rule: _CreditRule = "crosspoint",
    queues: _Queues = "output",
    arbitration: _Arbitration = "round_robin",
    multicast: _Multicast = "",
    reduce: _Reduce = "",
    workload: _Workload = "",
    sizes: _Sizes = "8,64,256,1KiB,4KiB",
    unit_subsets: _UnitSubsets = "fixed",
    packet_bytes: _PacketBytes = 256,
    gigabits: _Gigabits = 10,
    channel_ns: _ChannelNs = 20,
    switch_ns: _SwitchNs = 90,
    interface_ns: _InterfaceNs = 1300,
    interface: _Interface = "",
    senders: _Senders = 0,
    packets: _Packets = 100_000,
    seed: _Seed = 1,
    workers: _Workers = 0,
    plot: _Plot = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate a network of routers, packet by packet: what comes through under load, and how long it takes.

    Routers have a buffer for each pair of an input and an output, virtual cut-through and credits, as in chapter 8 of
    S. Kumar 2005, whose figures are the usual ones. Saturation is a result, with its confidence interval.
    """
    options = {name: value for name, value in locals().items() if name != "as_json"}
    options["sizes"] = [size_from_text(size.strip()) for size in sizes.split(",") if size.strip()]
    module = importlib.import_module("thalweg.simulation.network_command")
    module.run(module.request_from(options), as_json=as_json)
