# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate`: what a strategy or a program takes on a machine that is not here."""

import importlib
from typing import Annotated

import typer

from thalweg.cli.outputs import output_file
from thalweg.cli.printing import rate_from_text, size_from_text
from thalweg.cli.show import complete_strategy, parameters_from
from thalweg.strategies import operations

_Operation = Annotated[
    str, typer.Argument(help="The collective, or stream.", autocompletion=operations, show_default=False)
]
_Strategy = Annotated[str, typer.Argument(help="The strategy.", autocompletion=complete_strategy, show_default=False)]
_UnitBytes = Annotated[str, typer.Option("--bytes", help="Bytes of a unit of the buffers, or of a stream's item.")]
_Goal = Annotated[
    str, typer.Option(metavar="FILE", help="Simulate this program in GOAL, text or binary.", show_default=False)
]
_Trace = Annotated[
    str,
    typer.Option(metavar="FILE", help="Play what `thalweg run --trace` or `--record` kept.", show_default=False),
]
_Machine = Annotated[
    str,
    typer.Option(
        metavar="FILE|NETWORK",
        help="The machine file that says what messages cost, or the network, such as torus:16x16x16.",
        show_default=False,
    ),
]
_Network = Annotated[
    str, typer.Option(help="The network, beside a machine file.", show_default="the machine file's on level flow")
]
_LinkBandwidth = Annotated[
    str, typer.Option(metavar="RATE", help="Of a link, as 12.5GB/s.", show_default="as messages cost")
]
_Loggops = Annotated[
    str, typer.Option(metavar="L,o,g,G,O,S", help="What they cost without one, in nanoseconds and bytes.")
]
_Noise = Annotated[
    str,
    typer.Option(
        metavar="[random:]PERIOD,DURATION[,SEED] or FILE",
        help="Take each processor away for a moment in each period, in nanoseconds; or as thalweg probe --noise found.",
        show_default="none",
    ),
]
_Cores = Annotated[
    int | None,
    typer.Option(
        help="Of each machine, for its ranks to share; 0: each rank has a core of its own.",
        min=0,
        show_default="what the machine file says",
    ),
]
_Nodes = Annotated[
    str, typer.Option(metavar="FILE", help="The nodes of the job, a line each.", show_default="all of the network")
]
_RanksPerNode = Annotated[int, typer.Option(help="Ranks on each node; 0: all on one.", min=0)]
_Placement = Annotated[
    str,
    typer.Option(metavar="FILE", help="The slot of each rank, as `thalweg map -o` writes it.", show_default=False),
]
_Param = Annotated[
    list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter; may be repeated.")
]
_Level = Annotated[
    str,
    typer.Option(
        help="loggp, flow (messages share links) or packet (routers pass them on).",
        show_default="flow where there is a network",
    ),
]
_Without = Annotated[
    str, typer.Option(metavar="N,M", help="Nodes that the job does not have, by number.", show_default=False)
]
_Routing = Annotated[
    str,
    typer.Option(
        help="On level packet: adaptive_up, up_by_destination, dimension_ordered, minimal, valiant, ugal, along_routes",
        show_default="the network's routes",
    ),
]
_Router = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="On level packet: buffers, credit_rule, packet_bytes, switch_ns, window and others; may be repeated.",
    ),
]
_Use = Annotated[
    list[str] | None,
    typer.Option(metavar="OP=NAME", help="A strategy for a traced program's collectives.", show_default=False),
]
_WriteGoal = Annotated[str, output_file(help="Write a traced program as GOAL, too.", show_default=False)]
_ComputeScale = Annotated[
    float, typer.Option(help="How many times as long a traced program computes.", min=0, show_default="as traced")
]
_Ties = Annotated[
    str, typer.Option(help="What begins first of operations that become free together: order, or loggopsim.")
]
_Plot = Annotated[str, output_file(help="Draw the ranks' timeline and the critical path.", show_default=False)]


def simulate(
    operation: _Operation = "",
    strategy: _Strategy = "",
    *,
    ranks: Annotated[int | None, typer.Option("--ranks", "-n", help="Number of ranks.", show_default=False)] = None,
    unit_bytes: _UnitBytes = "1KiB",
    goal: _Goal = "",
    trace: _Trace = "",
    use: _Use = None,
    compute_scale: _ComputeScale = 1,
    write_goal: _WriteGoal = "",
    shape: Annotated[str, typer.Option(help="Of a stream's mesh, as 32x32x32.", show_default=False)] = "",
    items: Annotated[int, typer.Option(help="Items of a stream that each rank sends.", show_default=False)] = 0,
    buffer_bytes: Annotated[str, typer.Option("--buffer", help="When a stream's buffer is sent.")] = "16KiB",
    machine: _Machine = "",
    network: _Network = "",
    link_bandwidth: _LinkBandwidth = "",
    link_latency: Annotated[float, typer.Option(help="What each link adds to a latency, in nanoseconds.", min=0)] = 0,
    noise: _Noise = "",
    cores: _Cores = None,
    loggops: _Loggops = "2500,1500,1000,6,0,65535",
    ranks_per_node: _RanksPerNode = 1,
    nodes: _Nodes = "",
    without: _Without = "",
    placement: _Placement = "",
    root: Annotated[int, typer.Option(help="The root, for operations that have one.")] = 0,
    param: _Param = None,
    level: _Level = "",
    routing: _Routing = "",
    router: _Router = None,
    ties: _Ties = "order",
    plot: _Plot = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate a strategy, a stream, a program in GOAL, a traced or a recorded one: how long it takes, and why.

    Level loggp has LogGOPSim's rules, to the nanosecond, and a network that only delays. On level flow messages share
    the links of their routes. On level packet they are cut into packets, which wait in routers for room. A program that
    cannot go on is an error, with a list of what waits.
    """
    given = {name: value for name, value in locals().items() if name not in ("param", "router", "as_json")}
    given |= {
        "use": use or [],
        "unit_bytes": size_from_text(unit_bytes),
        "buffer_bytes": size_from_text(buffer_bytes),
        "link_bandwidth": rate_from_text(link_bandwidth) if link_bandwidth else 0.0,
        "link_latency": link_latency / 1e9,
        "parameters": parameters_from("simulate", param),
        "routers": parameters_from("simulate", router, "--router"),
    }
    importlib.import_module("thalweg.simulation.command").Request(**given).answer(as_json=as_json)
