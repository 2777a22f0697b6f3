"""`thalweg simulate network`: routers under load, multicasts and reductions in switches, packet by packet."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.printing import size_from_text


def network(
    *,
    topology: Annotated[
        str,
        typer.Option(help="tree:16x2 (16-ary, 2 levels), xgft:…, star:8, torus:…, mesh:…, hypercube:8, dragonfly:…"),
    ] = "tree:16x2",
    pattern: Annotated[
        str,
        typer.Option(
            help="uniform, transpose, bit_reversal, bit_complement, shuffle, tornado, permutation, shift:K, exchange:K."
        ),
    ] = "uniform",
    load: Annotated[
        str, typer.Option(help="Offered loads: 0.1..1.0 in steps of 0.1, 0.5..0.9:0.05, or 0.2,0.7; at most 1.")
    ] = "0.1..1.0",
    routing: Annotated[
        str,
        typer.Option(
            help="adaptive_up, up_by_destination (trees), dimension_ordered, minimal, valiant, ugal.",
            show_default="by the topology",
        ),
    ] = "",
    buffers: Annotated[int, typer.Option(help="Packets that a crosspoint has room for.")] = 4,
    credits_: Annotated[
        str, typer.Option("--credits", help="A sender's counters: one a crosspoint behind it, or one a link.")
    ] = "crosspoint",
    queues: Annotated[str, typer.Option(help="Where packets wait: output, or input (with --credits link).")] = "output",
    arbitration: Annotated[
        str, typer.Option(help="What an output serves next: round_robin or oldest.")
    ] = "round_robin",
    multicast: Annotated[
        str, typer.Option(metavar="fanout=N[,sets=M]", help="Multicasts to N random nodes.", show_default=False)
    ] = "",
    reduce: Annotated[
        str, typer.Option(metavar="units=N[,groups=M]", help="Reductions in the switches.", show_default=False)
    ] = "",
    workload: Annotated[
        str,
        typer.Option(metavar="md", help="Molecular dynamics' multicasts, in switches and without.", show_default=False),
    ] = "",
    sizes: Annotated[
        str, typer.Option("--bytes", help="Bytes of messages, for reductions and workloads.")
    ] = "8,64,256,1KiB,4KiB",
    subsets: Annotated[str, typer.Option(help="Inputs of combine units: fixed or round_robin.")] = "fixed",
    packet_bytes: Annotated[int, typer.Option(help="Bytes of a packet.")] = 256,
    gigabits: Annotated[float, typer.Option(help="Of a channel, a second.")] = 10,
    channel_ns: Annotated[float, typer.Option(help="Delay of a channel.")] = 20,
    switch_ns: Annotated[float, typer.Option(help="Delay of a switch.")] = 90,
    interface_ns: Annotated[float, typer.Option(help="What each end of a message takes.")] = 1300,
    interface: Annotated[
        str,
        typer.Option(help="Interfaces delay only (latency) or do one thing at a time (occupancy).", show_default=False),
    ] = "",
    senders: Annotated[int, typer.Option(help="Only the first so many nodes send; 0: all.", min=0)] = 0,
    packets: Annotated[int, typer.Option(help="About so many are measured at each load.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal results.", min=0)] = 1,
    workers: Annotated[int, typer.Option(help="Loads at a time; 0: one for each core.", min=0)] = 0,
    plot: Annotated[
        str, typer.Option(metavar="FILE", help="Draw what comes through and latency over load.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate a network of routers, packet by packet: what comes through under load, and how long it takes.

    Routers have a buffer for each pair of an input and an output, virtual cut-through and credits, as in chapter 8 of
    S. Kumar 2005, whose figures are the usual ones. Saturation is a result, with its confidence interval.
    """
    module = importlib.import_module("thalweg.simulation.network_command")
    request = module.Request(
        topology=topology,
        pattern=pattern,
        load=load,
        routing=routing,
        multicast=multicast,
        reduce=reduce,
        workload=workload,
        sizes=[size_from_text(size.strip()) for size in sizes.split(",") if size.strip()],
        interface=interface,
        senders=senders,
        packets=packets,
        workers=workers,
        plot=plot,
        routers={
            "buffers": buffers,
            "credits": credits_,
            "queues": queues,
            "arbitration": arbitration,
            "packet_bytes": packet_bytes,
            "gigabits": gigabits,
            "channel_ns": channel_ns,
            "switch_ns": switch_ns,
            "interface_ns": interface_ns,
            "unit_subsets": subsets,
            "seed": seed,
        },
    )
    module.run(request, as_json=as_json)
