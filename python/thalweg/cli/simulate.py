# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg simulate program`: what a strategy or a program takes on a machine that is not here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from thalweg.cli.options import Degree, JsonFile, Parameters, RanksPerNode, Root, command_of, parameters_from
from thalweg.cli.outputs import output_file
from thalweg.cli.printing import rate_from_text, size_from_text
from thalweg.cli.show import complete_strategy
from thalweg.errors import USAGE, ThalwegError
from thalweg.strategies import operations

if TYPE_CHECKING:
    from thalweg.simulation.ground import Costs

_STREAM = "stream"
_ROUTER_NAMES = ("buffers", "credit_rule", "queues", "arbitration", "packet_bytes", "channel_ns", "switch_ns", "window",
                 "turnaround_ns", "seed")  # fmt: skip
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
        help="Take processors away for a moment in each period, in nanoseconds; or a file of machine probe --noise.",
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
_Placement = Annotated[
    str,
    typer.Option(
        metavar="FILE", help="The slot of each rank, as `thalweg place map -o` writes it.", show_default=False
    ),
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
_Timeline = Annotated[
    str,
    output_file(help="Write the ranks' timeline for ui.perfetto.dev (.json, .json.gz) or OTF2.", show_default=False),
]
_Html = Annotated[str, output_file(help="Write the answer as a page.", show_default=False)]
_Plot = Annotated[str, output_file(help="Draw the ranks' timeline and the critical path.", show_default=False)]


@dataclass(frozen=True)
class Program:
    """Simulate a strategy, a stream or a whole program.

    The program is in GOAL, traced or recorded. The answer is how long it takes, and why. Level loggp has LogGOPSim's
    rules, to the nanosecond, and a network that only delays. On level flow messages share the links of their routes. On
    level packet they are cut into packets, which wait in routers for room. A program that cannot go on is an error,
    with a list of what waits.
    """

    operation: _Operation = ""
    strategy: _Strategy = ""
    ranks: Annotated[int | None, typer.Option("--ranks", "-n", help="Number of ranks.", show_default=False)] = None
    unit_bytes: _UnitBytes = "1KiB"
    degree: Degree = 0
    goal: _Goal = ""
    trace: _Trace = ""
    use: _Use = None
    compute_scale: _ComputeScale = 1
    write_goal: _WriteGoal = ""
    shape: Annotated[str, typer.Option(help="Of a stream's mesh, as 32x32x32.", show_default=False)] = ""
    items: Annotated[int, typer.Option(help="Items of a stream that each rank sends.", show_default=False)] = 0
    buffer_bytes: Annotated[str, typer.Option("--buffer-bytes", help="When a stream's buffer is sent.")] = "16KiB"
    machine: _Machine = ""
    network: _Network = ""
    link_bandwidth: _LinkBandwidth = ""
    link_latency: Annotated[float, typer.Option(help="What each link adds to a latency, in nanoseconds.", min=0)] = 0
    noise: _Noise = ""
    cores: _Cores = None
    loggops: _Loggops = "2500,1500,1000,6,0,65535"
    ranks_per_node: RanksPerNode = 1
    nodes: _Nodes = ""
    without: _Without = ""
    placement: _Placement = ""
    root: Root = 0
    param: Parameters = None
    level: _Level = ""
    routing: _Routing = ""
    router: _Router = None
    ties: _Ties = "order"
    plot: _Plot = ""
    timeline: _Timeline = ""
    html: _Html = ""
    json_file: JsonFile = ""

    def run(self) -> None:
        """Answer.

        Raises ThalwegError where nothing is to be simulated, or two things.
        """
        if bool(self.goal) + bool(self.operation) + bool(self.trace) > 1:
            raise ThalwegError(
                USAGE, "thalweg simulate program: both a strategy and --goal or --trace", "leave one out"
            )
        if self.timeline:
            from thalweg.timeline.files import check_name  # noqa: PLC0415

            check_name(self.timeline, "thalweg simulate program: --timeline")
        if self.trace:
            self._run_trace()
        elif self.operation == _STREAM:
            self._run_stream()
        elif self.goal or (self.operation and self.strategy and self.ranks):
            self._run_strategy()
        else:
            remedy = "name an operation, a strategy and --ranks, or a program with --goal or --trace"
            raise ThalwegError(USAGE, "thalweg simulate program: nothing to simulate", remedy)

    def _run_trace(self) -> None:
        from thalweg.simulation.command import Pictures, run_trace  # noqa: PLC0415

        run_trace(
            self.trace,
            self._costs(),
            use=self.use or [],
            compute_scale=self.compute_scale,
            write_goal=self.write_goal,
            pictures=Pictures(self.plot, self.timeline, self.html),
            json_file=self.json_file,
        )

    def _run_stream(self) -> None:
        from thalweg.simulation.command import Pictures, run_stream  # noqa: PLC0415

        run_stream(
            self.shape,
            self.items,
            self._costs(),
            ranks=self.ranks or 0,
            item_bytes=size_from_text(self.unit_bytes),
            buffer_bytes=size_from_text(self.buffer_bytes),
            pictures=Pictures(self.plot, self.timeline, self.html),
            json_file=self.json_file,
        )

    def _run_strategy(self) -> None:
        from thalweg.simulation.command import Pictures, run_strategy  # noqa: PLC0415

        run_strategy(
            self.operation,
            self.strategy,
            self._costs(),
            ranks=self.ranks or 0,
            unit_bytes=size_from_text(self.unit_bytes),
            degree=self.degree,
            root=self.root,
            parameters=parameters_from("simulate program", self.param),
            goal=self.goal,
            ties=self.ties,
            pictures=Pictures(self.plot, self.timeline, self.html),
            json_file=self.json_file,
        )

    def _costs(self) -> "Costs":
        from thalweg.simulation.command import node_numbers, nodes_on  # noqa: PLC0415
        from thalweg.simulation.ground import PROGRAM_ROUTERS, Costs  # noqa: PLC0415
        from thalweg.simulation.network import routers_from  # noqa: PLC0415
        from thalweg.simulation.placed import is_network, read_placement  # noqa: PLC0415

        network = self.network or (self.machine if is_network(self.machine) else "")
        routers = parameters_from("simulate program", self.router, "--router")
        return Costs(
            machine=self.machine or None,
            loggops=self.loggops,
            ranks_per_node=self.ranks_per_node,
            network=self.network,
            nodes=nodes_on(self.nodes, network) if self.nodes else None,
            placement=read_placement(self.placement) if self.placement else None,
            link_bandwidth=rate_from_text(self.link_bandwidth) if self.link_bandwidth else 0.0,
            link_latency=self.link_latency / 1e9,
            level=self.level,
            without=node_numbers(self.without),
            routing=self.routing,
            routers=routers_from(PROGRAM_ROUTERS, routers, _ROUTER_NAMES) if routers else None,
            noise=self.noise,
            cores=self.cores,
        )


program = command_of(Program)
