"""Thalweg's core: the index of strategies, schedules and proofs."""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated, Final

import numpy
from numpy.typing import NDArray


class Error(Exception):
    pass

class Parameter:
    """A parameter of a strategy; bytes and counts are plain numbers."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def default(self) -> int: ...

    @property
    def min(self) -> int: ...

    @property
    def max(self) -> int: ...

    @property
    def description(self) -> str: ...

    @property
    def choices(self) -> list[str]: ...

class Strategy:
    """An entry of the index."""

    @property
    def name(self) -> str: ...

    @property
    def operation(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def wins_when(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def parameters(self) -> list[Parameter]: ...

    @property
    def keeps_rank_order(self) -> bool: ...

    @property
    def unequal_blocks(self) -> bool: ...

    @property
    def in_place(self) -> bool: ...

    @property
    def uses_nodes(self) -> bool: ...

    @property
    def offloads(self) -> bool: ...

def operations() -> list[str]: ...

def strategies() -> list[Strategy]: ...

def calls() -> list[str]:
    """What a strategy can be selected for: MPI's calls."""

def value_text(parameter: Parameter, value: int) -> str: ...

def check_selection(selection: str) -> None:
    """Raises Error if the selection is not understood or out of range."""

def read_text(path: str, remedy: str) -> bytes:
    """A file of text, as bytes, without its byte order mark."""

def write_file(path: str, content: bytes) -> None:
    """
    Replaces a regular file as a whole; follows links, writes into devices and pipes. Raises OSError.
    """

def expand_names(names: str) -> list[str]:
    """Writes out n[001-016,020],login."""

def short_name(host: str) -> str:
    """A host's name without its domain."""

def is_same_host(a: str, b: str) -> bool: ...

class NodePlaces:
    """Where a job's nodes are in a network of that shape and so many hosts."""

    def __init__(self, network: str = '', hosts: int = 0, places: Sequence[int] = []) -> None: ...

    @property
    def network(self) -> str: ...

    @property
    def hosts(self) -> int: ...

    @property
    def places(self) -> list[int]: ...

    def why_unknown(self, nodes: int) -> str:
        """Why the shape cannot be used for so many nodes; empty where it can."""

    def leaves(self, nodes: Sequence[int]) -> list[int]:
        """
        The switch of each rank's node, from 0 in order of first appearance; empty where the network is not known, or where all are on one switch.
        """

def node_places(text: str, hosts: Sequence[str], shape: str, name: str) -> NodePlaces:
    """
    Reads the places of a job's hosts from a list, whose first line may name the network's shape instead of `shape`. Raises Error, in which the list is called `name`.
    """

class Network:
    """Hosts 0 .. hosts-1 and switches from there on, with fixed routes."""

    def __init__(self, shape: str, hosts: int) -> None: ...

    @property
    def shape(self) -> str: ...

    @property
    def hosts(self) -> int: ...

    @property
    def switches(self) -> int: ...

    def switch_of(self, host: int) -> int: ...

    @property
    def links(self) -> list[list[int]]: ...

    def forwarding(self, host: int) -> list[int]:
        """Where packets for a host go from each switch; -1 where none comes by."""

class Verdict:
    """What the verifier found."""

    @property
    def faults(self) -> list[str]: ...

    @property
    def in_rank_order(self) -> bool: ...

    @property
    def same_on_all_ranks(self) -> bool: ...

    @property
    def exact_shapes(self) -> bool: ...

    @property
    def messages(self) -> int: ...

    @property
    def blocks_moved(self) -> int: ...

class Sample:
    """A strategy applied to a problem."""

    def __init__(self, selection: str, ranks: int, root: int = 0, ranks_per_node: int = 0, unit_bytes: int = 0, node_places: NodePlaces = ..., nodes: Sequence[int] = [], leaves: Sequence[int] | None = None, degree: float = 0.0) -> None: ...

    @property
    def strategy(self) -> Strategy: ...

    def describe(self) -> str: ...

    def print(self, rank: int) -> str:
        """A rank's schedule as text."""

    def draw(self) -> str:
        """All ranks' schedules in Graphviz's language."""

    def goal(self, unit_bytes: int) -> str:
        """All ranks' schedules in GOAL."""

    def verify(self) -> Verdict: ...

def prove(strategy: Strategy, ranks: int, all_roots: bool) -> tuple[int, list[str]]:
    """
    Proves a strategy for a number of ranks: how many problems, and what is wrong with it.
    """

def is_same_distance(one: float, other: float) -> bool:
    """
    May two distances be of the same cores? Each is what a cache line takes there and back; 0 may be any.
    """

class EvidenceLimits:
    """
    Constants of the rules that say whether something is surely faster, with their reasons in src/core/evidence/evidence.hpp.
    """

    gain: Final[float] = ...
    """Times as fast, or a change is not worth it."""

    error_rank_sum: Final[float] = ...
    """The rank-sum test's one-sided error rate."""

    rounds_hopeless: Final[int] = ...
    """
    Rounds of samples after which a candidate that was never nearer is given up.
    """

    hopeless: Final[float] = ...
    """Times as slow, in all of them."""

    hysteresis: Final[float] = ...
    """How many times what a change costs has to be gained."""

class Figure:
    """
    A measured figure: the median, and a tenth and nine tenths of the measurements.
    """

    def __init__(self, value: float, low: float, high: float) -> None: ...

    @property
    def value(self) -> float: ...

    @value.setter
    def value(self, arg: float, /) -> None: ...

    @property
    def low(self) -> float: ...

    @low.setter
    def low(self, arg: float, /) -> None: ...

    @property
    def high(self) -> float: ...

    @high.setter
    def high(self, arg: float, /) -> None: ...

class Level(enum.Enum):
    core_complex = 0

    socket = 1

    node = 2

    network = 3

class MessageCost:
    """
    LogGP parameters of messages of up to bytes_max; seconds, bytes and factors.
    """

    def __init__(self) -> None: ...

    @property
    def bytes_max(self) -> int: ...

    @bytes_max.setter
    def bytes_max(self, arg: int, /) -> None: ...

    @property
    def latency(self) -> Figure: ...

    @latency.setter
    def latency(self, arg: Figure, /) -> None: ...

    @property
    def send(self) -> Figure: ...

    @send.setter
    def send(self, arg: Figure, /) -> None: ...

    @property
    def send_per_byte(self) -> Figure: ...

    @send_per_byte.setter
    def send_per_byte(self, arg: Figure, /) -> None: ...

    @property
    def receive(self) -> Figure: ...

    @receive.setter
    def receive(self, arg: Figure, /) -> None: ...

    @property
    def receive_per_byte(self) -> Figure: ...

    @receive_per_byte.setter
    def receive_per_byte(self, arg: Figure, /) -> None: ...

    @property
    def gap(self) -> Figure: ...

    @gap.setter
    def gap(self, arg: Figure, /) -> None: ...

    @property
    def gap_per_byte(self) -> Figure: ...

    @gap_per_byte.setter
    def gap_per_byte(self, arg: Figure, /) -> None: ...

    @property
    def unexpected(self) -> Figure: ...

    @unexpected.setter
    def unexpected(self, arg: Figure, /) -> None: ...

    @property
    def unexpected_per_byte(self) -> Figure: ...

    @unexpected_per_byte.setter
    def unexpected_per_byte(self, arg: Figure, /) -> None: ...

    @property
    def overlapped(self) -> Figure: ...

    @overlapped.setter
    def overlapped(self, arg: Figure, /) -> None: ...

    @property
    def overlapped_per_byte(self) -> Figure: ...

    @overlapped_per_byte.setter
    def overlapped_per_byte(self, arg: Figure, /) -> None: ...

    @property
    def two_way(self) -> Figure: ...

    @two_way.setter
    def two_way(self, arg: Figure, /) -> None: ...

    @property
    def shared(self) -> Figure: ...

    @shared.setter
    def shared(self, arg: Figure, /) -> None: ...

    @property
    def trip_two_way(self) -> Figure: ...

    @trip_two_way.setter
    def trip_two_way(self, arg: Figure, /) -> None: ...

    @property
    def trip_shared(self) -> Figure: ...

    @trip_shared.setter
    def trip_shared(self, arg: Figure, /) -> None: ...

    @property
    def trip_shared_two_way(self) -> Figure: ...

    @trip_shared_two_way.setter
    def trip_shared_two_way(self, arg: Figure, /) -> None: ...

    @property
    def overlapped_shared(self) -> Figure: ...

    @overlapped_shared.setter
    def overlapped_shared(self, arg: Figure, /) -> None: ...

    @property
    def overlapped_shared_per_byte(self) -> Figure: ...

    @overlapped_shared_per_byte.setter
    def overlapped_shared_per_byte(self, arg: Figure, /) -> None: ...

class Rate:
    """Seconds per byte at working sets of up to bytes_max."""

    def __init__(self, bytes_max: int, per_byte: Figure) -> None: ...

    @property
    def bytes_max(self) -> int: ...

    @bytes_max.setter
    def bytes_max(self, arg: int, /) -> None: ...

    @property
    def per_byte(self) -> Figure: ...

    @per_byte.setter
    def per_byte(self, arg: Figure, /) -> None: ...

class LevelCosts:
    """Costs between ranks that are so far apart."""

    def __init__(self) -> None: ...

    @property
    def level(self) -> Level: ...

    @level.setter
    def level(self, arg: Level, /) -> None: ...

    @property
    def ranges(self) -> list[MessageCost]:
        """Copies: assign them to change them."""

    @ranges.setter
    def ranges(self, arg: Sequence[MessageCost], /) -> None: ...

    @property
    def burst_bytes(self) -> float: ...

    @burst_bytes.setter
    def burst_bytes(self, arg: float, /) -> None: ...

    @property
    def pairs(self) -> int: ...

    @pairs.setter
    def pairs(self, arg: int, /) -> None: ...

    @property
    def samples(self) -> int: ...

    @samples.setter
    def samples(self, arg: int, /) -> None: ...

    @property
    def outliers(self) -> int: ...

    @outliers.setter
    def outliers(self, arg: int, /) -> None: ...

    @property
    def worst(self) -> float: ...

    @worst.setter
    def worst(self, arg: float, /) -> None: ...

    @property
    def round_trip(self) -> Figure:
        """Of a cache line between the pair's cores; 0: not known."""

    @round_trip.setter
    def round_trip(self, arg: Figure, /) -> None: ...

    @property
    def per_posted(self) -> Figure:
        """Of each further receive that is posted; 0: not known."""

    @per_posted.setter
    def per_posted(self, arg: Figure, /) -> None: ...

    @property
    def hops(self) -> int:
        """Between the pair's nodes; 0: not known."""

    @hops.setter
    def hops(self, arg: int, /) -> None: ...

    @property
    def hop(self) -> Figure:
        """What each further hop adds to a latency."""

    @hop.setter
    def hop(self, arg: Figure, /) -> None: ...

    @property
    def hop_per_byte(self) -> Figure:
        """And to gap_per_byte."""

    @hop_per_byte.setter
    def hop_per_byte(self, arg: Figure, /) -> None: ...

class DeviceCosts:
    """What network devices that run a collective cost; seconds."""

    def __init__(self) -> None: ...

    @property
    def start(self) -> Figure: ...

    @start.setter
    def start(self, arg: Figure, /) -> None: ...

    @property
    def hop(self) -> Figure: ...

    @hop.setter
    def hop(self, arg: Figure, /) -> None: ...

    @property
    def wake(self) -> Figure: ...

    @wake.setter
    def wake(self, arg: Figure, /) -> None: ...

    @property
    def is_known(self) -> bool: ...

class DistanceClass:
    """
    Pairs of cores that are about equally far apart: seconds for a cache line there and back, seconds per byte, and the cores of each group.
    """

    def __init__(self, round_trip: Figure, write_per_byte: Figure, read_per_byte: Figure, groups: Sequence[Sequence[int]]) -> None: ...

    @property
    def round_trip(self) -> Figure: ...

    @property
    def write_per_byte(self) -> Figure: ...

    @property
    def read_per_byte(self) -> Figure: ...

    @property
    def groups(self) -> list[list[int]]: ...

class CoreDistances:
    """How far a node's cores are apart, by classes of pairs."""

    def __init__(self) -> None: ...

    @property
    def classes(self) -> list[DistanceClass]:
        """Nearest first. Copies: assign them to change them."""

    @classes.setter
    def classes(self, arg: Sequence[DistanceClass], /) -> None: ...

    @property
    def looks(self) -> int: ...

    @looks.setter
    def looks(self, arg: int, /) -> None: ...

    @property
    def changes(self) -> int:
        """Pairs that were not of one class each time they were measured."""

    @changes.setter
    def changes(self, arg: int, /) -> None: ...

    @property
    def is_known(self) -> bool: ...

    def between(self, one: int, other: int) -> DistanceClass | None:
        """The class of two cores; None where they were not measured."""

def cores_text(cores: Sequence[int]) -> str:
    """Cores as 0-3,8."""

class Machine:
    """What predictions need to know of a machine."""

    def __init__(self) -> None: ...

    @property
    def title(self) -> str: ...

    @title.setter
    def title(self, arg: str, /) -> None: ...

    @property
    def parts(self) -> str: ...

    @parts.setter
    def parts(self, arg: str, /) -> None: ...

    @property
    def mpi(self) -> str: ...

    @mpi.setter
    def mpi(self, arg: str, /) -> None: ...

    @property
    def transport(self) -> str: ...

    @transport.setter
    def transport(self, arg: str, /) -> None: ...

    @property
    def date(self) -> str: ...

    @date.setter
    def date(self, arg: str, /) -> None: ...

    @property
    def cores(self) -> int: ...

    @cores.setter
    def cores(self, arg: int, /) -> None: ...

    @property
    def nodes_per_machine(self) -> int: ...

    @nodes_per_machine.setter
    def nodes_per_machine(self, arg: int, /) -> None: ...

    @property
    def levels(self) -> list[LevelCosts]:
        """Copies: assign them to change them."""

    @levels.setter
    def levels(self, arg: Sequence[LevelCosts], /) -> None: ...

    @property
    def copy(self) -> list[Rate]: ...

    @copy.setter
    def copy(self, arg: Sequence[Rate], /) -> None: ...

    @property
    def combine(self) -> list[Rate]: ...

    @combine.setter
    def combine(self, arg: Sequence[Rate], /) -> None: ...

    @property
    def switch_core(self) -> Figure: ...

    @switch_core.setter
    def switch_core(self, arg: Figure, /) -> None: ...

    @property
    def step(self) -> Figure: ...

    @step.setter
    def step(self, arg: Figure, /) -> None: ...

    @property
    def device(self) -> DeviceCosts: ...

    @device.setter
    def device(self, arg: DeviceCosts, /) -> None: ...

    @property
    def distances(self) -> CoreDistances: ...

    @distances.setter
    def distances(self, arg: CoreDistances, /) -> None: ...

    @property
    def network(self) -> str: ...

    @network.setter
    def network(self, arg: str, /) -> None: ...

    @property
    def nodes(self) -> list[tuple[str, int]]:
        """Hosts with their nodes."""

    @nodes.setter
    def nodes(self, arg: Sequence[tuple[str, int]], /) -> None: ...

    def to_text(self) -> str:
        """The machine file's text."""

def parse_machine(text: str, name: str) -> Machine: ...

def load_machine(file: str) -> Machine: ...

def default_machine() -> Machine: ...

class Candidate:
    """A strategy with its parameters, and what the model expects of it."""

    @property
    def text(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    @property
    def cpu_seconds(self) -> float: ...

    @property
    def cpu_max(self) -> float: ...

    @property
    def is_bound(self) -> bool:
        """
        It takes at least `seconds`, which is far behind the best; how much longer nobody has looked.
        """

def candidates(call: str, size: int, ranks: int, nodes: Sequence[int], machine: Machine, sockets: Sequence[int] = [], complexes: Sequence[int] = [], node_places: NodePlaces = ..., leaves: Sequence[int] | None = None, degree: float = 0.0, cores: Sequence[int] = []) -> list[Candidate]:
    """
    All candidates for a call with units of so many bytes, fastest first by the model. `leaves`: the switch of each rank's node, from 0, or none for one switch; None: as the network's shape says. `degree`, of alltoallv and alltoallw: to how many others a rank has a unit; 0: to all. `cores`: the one that each rank stays on, as its system numbers it, or -1.
    """

def predict(selection: str, size: int, ranks: int, nodes: Sequence[int], machine: Machine, node_places: NodePlaces = ..., leaves: Sequence[int] | None = None, degree: float = 0.0) -> list[float]:
    """Completion time, mean and maximum CPU time of a rank, in seconds."""

def closed_form(selection: str, size: int, ranks: int, machine: Machine, nodes: Sequence[int] = [], degree: float = 0.0) -> tuple[float, str] | None:
    """
    Seconds by the papers' equation for a selection, and whose it is; None where there is none. Between ranks on nodes of their own, or with all ranks on one node within it.
    """

class Fingerprint:
    """What must be the same for measured times to hold again."""

    def __init__(self, lines: Sequence[str]) -> None: ...

    @property
    def processor(self) -> str: ...

    @property
    def cores(self) -> int: ...

    @property
    def quota(self) -> str: ...

    @property
    def kernel(self) -> str: ...

    @property
    def mpi(self) -> str: ...

    @property
    def transport(self) -> str: ...

    @property
    def nodes(self) -> int: ...

    @property
    def ranks_per_node(self) -> str: ...

    def describe(self) -> str: ...

class Overlap:
    """
    How a nonblocking call and a computation behind its start fit together, in seconds.
    """

    def __init__(self, exposed: float, lost: float, completion: float) -> None: ...

    @property
    def exposed(self) -> float:
        """Time that the rank spends in the start, in tests and the wait."""

    @property
    def lost(self) -> float:
        """Time by which its computation takes longer."""

    @property
    def completion(self) -> float:
        """Time from the start until the end is known."""

class Overlaps:
    """A nonblocking call's pick, and the library's own call beside it."""

    def __init__(self, pick: Overlap, native: Overlap) -> None: ...

    @property
    def pick(self) -> Overlap: ...

    @property
    def native(self) -> Overlap: ...

class Pick:
    """What was found best for one case."""

    def __init__(self) -> None: ...

    @property
    def call(self) -> str: ...

    @call.setter
    def call(self, arg: str, /) -> None: ...

    @property
    def ranks(self) -> int: ...

    @ranks.setter
    def ranks(self, arg: int, /) -> None: ...

    @property
    def nodes(self) -> int: ...

    @nodes.setter
    def nodes(self, arg: int, /) -> None: ...

    @property
    def bytes(self) -> int: ...

    @bytes.setter
    def bytes(self, arg: int, /) -> None: ...

    @property
    def mode(self) -> str:
        """
        Of a team's call: its synchronization before and after it, as "mine-all"; else empty.
        """

    @mode.setter
    def mode(self, arg: str, /) -> None: ...

    @property
    def degree(self) -> int:
        """
        Of calls whose blocks may be empty: to how many others a rank has something; 0: to all.
        """

    @degree.setter
    def degree(self, arg: int, /) -> None: ...

    @property
    def use(self) -> str:
        """
        What was found best, as behind "=" in a selection. Set the call first: the text is checked for it.
        """

    @use.setter
    def use(self, arg: str, /) -> None: ...

    @property
    def library_algorithm(self) -> str:
        """
        The library's own algorithm that was found best, empty where it is none by name.
        """

    @property
    def seconds(self) -> float: ...

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

    @property
    def native_seconds(self) -> float: ...

    @native_seconds.setter
    def native_seconds(self, arg: float, /) -> None: ...

    @property
    def trials(self) -> int: ...

    @trials.setter
    def trials(self, arg: int, /) -> None: ...

    @property
    def source(self) -> str: ...

    @source.setter
    def source(self, arg: str, /) -> None: ...

    @property
    def fallback(self) -> str:
        """What runs where that does not take effect; empty: native."""

    @fallback.setter
    def fallback(self, arg: str, /) -> None: ...

    @property
    def objective(self) -> str:
        """
        The figure by which it was chosen: time, cpu or overlap; empty in older files.
        """

    @objective.setter
    def objective(self, arg: str, /) -> None: ...

    @property
    def overlaps(self) -> Overlaps | None:
        """Of nonblocking calls, where it was measured; None elsewhere."""

    @overlaps.setter
    def overlaps(self, arg: Overlaps | None, /) -> None: ...

class Tuning:
    """What is known of one machine."""

    def __init__(self) -> None: ...

    @property
    def machine(self) -> Fingerprint: ...

    @machine.setter
    def machine(self, arg: Fingerprint, /) -> None: ...

    @property
    def picks(self) -> list[Pick]:
        """Copies: assign them to change them."""

    @picks.setter
    def picks(self, arg: Sequence[Pick], /) -> None: ...

    @property
    def nonblocking(self) -> list[Pick]:
        """
        Of nonblocking calls, with the time that they hold up a rank which computes meanwhile.
        """

    @nonblocking.setter
    def nonblocking(self, arg: Sequence[Pick], /) -> None: ...

    @property
    def of_teams(self) -> list[Pick]:
        """
        Of teams' calls, each with its mode. Native is what a team runs without a pick.
        """

    @of_teams.setter
    def of_teams(self, arg: Sequence[Pick], /) -> None: ...

def local_fingerprint(environment: Mapping[str, str]) -> Fingerprint:
    """
    Fills in processor, kernel and the environment's transport; the rest is a job's to know.
    """

def load_tuning(path: str) -> list[Tuning]:
    """Reads a tuning file; one that is not there is empty."""

def save_tuning(path: str, found: Tuning) -> str:
    """
    Merges into the file under a lock and replaces it atomically. Gives the name under which a file that does not read is kept; empty otherwise.
    """

class Grid:
    """A mesh or torus; a place's number has coordinate 0 vary fastest."""

    def __init__(self, name: str) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def extents(self) -> list[int]: ...

    @property
    def wraps(self) -> bool: ...

    @property
    def places(self) -> int: ...

    @property
    def diameter(self) -> int: ...

    def hops(self, a: int, b: int) -> int: ...

def tour(grid: Grid, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """
    An order of places in which neighbors are near, by Hilbert curves; as indices.
    """

class Interconnect:
    """What lies between a machine's nodes; docs/machines.md has the names."""

    def __init__(self, name: str, nodes: int = 0) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def nodes(self) -> int: ...

    @property
    def rank_nodes(self) -> int: ...

    @property
    def vertices(self) -> int: ...

    @property
    def links(self) -> int: ...

    @property
    def diameter(self) -> int: ...

    @property
    def mean_hops(self) -> float: ...

    @property
    def bisection(self) -> float: ...

    @property
    def spreads(self) -> bool: ...

    @property
    def grid(self) -> Grid:
        """Of the switches, where they are on a mesh or torus."""

    def hops(self, a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    def route(self, a: int, b: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """Links, and the part of the bytes that each carries."""

    def link_loads(self, a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def capacity(self, link: int) -> float: ...

    def link_name(self, link: int) -> str: ...

    def ends(self, link: int) -> tuple[int, int]:
        """
        The vertices that a link comes from and leads to; -1 where there is no link.
        """

    def node_named(self, name: str) -> int: ...

    def switch_places(self, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    def nodes_for_ranks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

def parse_graph(text: str, file: str) -> Interconnect: ...

def slots(machine: Interconnect, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slots_per_node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """The node of each slot."""

def parse_node_list(text: str, machine: Interconnect, name: str) -> list[tuple[str, int]]:
    """Hosts with their nodes."""

class FlowMetrics:
    """A flow's figures; those that end in _max are the maximum over ranks."""

    @property
    def receives_max(self) -> int: ...

    @property
    def tasks_received_max(self) -> int: ...

    @property
    def sends_max(self) -> int: ...

    @property
    def tasks_sent_max(self) -> int: ...

    @property
    def messages(self) -> int: ...

    @property
    def tasks(self) -> int: ...

class Flow:
    """Messages with tasks, in rows of one length."""

    @property
    def senders(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @property
    def receivers(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @property
    def tasks(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    def __len__(self) -> int: ...

class Scheme:
    """A way of balancing loads."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def wins_when(self) -> str: ...

def schemes() -> list[Scheme]: ...

class BalanceCandidate:
    """A scheme's flow, and what it is predicted to take."""

    @property
    def scheme(self) -> str: ...

    @property
    def flow(self) -> Flow: ...

    @property
    def figures(self) -> FlowMetrics: ...

    @property
    def hop_tasks(self) -> int: ...

    @property
    def exchange_seconds(self) -> float: ...

    @property
    def work_seconds(self) -> float: ...

class BalanceCosts:
    """What the choice of a scheme depends on beside the loads."""

    def __init__(self, machine: Machine, task_bytes: int, task_seconds: float, steps: float, links: int, hysteresis: float) -> None: ...

class BalanceProblem:
    """Ranks with tasks. An empty order or speeds stand for the usual ones."""

    def __init__(self, loads: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], speeds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], spread: str) -> None: ...

    def is_able(self, scheme: str) -> bool: ...

    def flow(self, scheme: str) -> Flow:
        """The scheme's flow; it has to be able."""

    def candidate(self, scheme: str, costs: BalanceCosts, places: tuple[Interconnect, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None) -> BalanceCandidate:
        """The same with its predictions."""

    def choose(self, costs: BalanceCosts, places: tuple[Interconnect, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None, incumbent: str) -> tuple[list[BalanceCandidate], int]:
        """All schemes that are able, and the index of the one to run."""

def parse_seconds(text: str) -> float:
    """Reads 1.5us, 80ns or 2s."""

def task_cuts(weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], amounts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

class Recording:
    """What a run of a program sent."""

    @property
    def ranks(self) -> int: ...

    @property
    def seconds(self) -> float:
        """That the run took; 0: not known."""

    @property
    def command(self) -> str: ...

    def sites(self) -> list[tuple[str, int, str, tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]]]:
        """
        Each phase's call sites: phase, how often it began, name, and senders, receivers, bytes, messages.
        """

def load_recording(file: str) -> Recording: ...

class CallTrace:
    """What a run of a program called, rank by rank and in order."""

    @property
    def ranks(self) -> int: ...

    @property
    def seconds(self) -> float:
        """That the run took."""

    @property
    def command(self) -> str: ...

    @property
    def is_cpu_time(self) -> bool:
        """Is computation the processor's time, or the clock's?"""

    @property
    def calls(self) -> int: ...

    @property
    def computed(self) -> list[float]:
        """How many seconds each rank computed between its calls."""

    def to_text(self) -> str: ...

def load_call_trace(file: str) -> CallTrace: ...

def replay_program(trace: CallTrace, selections: str, computation_scale: float, machine: Machine | None, ranks_per_node: int, loggops: str, nodes: Sequence[int]) -> tuple[SimulatedProgram, list[str]]:
    """
    The program of a trace, and remarks on what is not as it was asked for.
    """

def write_goal(program: SimulatedProgram) -> str:
    """A program as a GOAL text."""

class Simulation:
    """What a simulation says; times in nanoseconds."""

    @property
    def finish(self) -> int: ...

    @property
    def last_rank(self) -> int: ...

    @property
    def ends(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def busy(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    @property
    def operations(self) -> int: ...

    @property
    def messages(self) -> int: ...

    @property
    def events(self) -> int: ...

    @property
    def packets(self) -> int: ...

    @property
    def packet_hops(self) -> int: ...

    @property
    def fingerprint(self) -> int: ...

    def path(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """The critical path: ranks, kinds, begins, ends and links."""

    def path_by_kind(self) -> list[int]:
        """How long each kind of cost is on the critical path."""

    def timeline(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """What all processors did when: ranks, kinds, begins, ends and links."""

    def deliveries(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """
        The messages of the timeline: senders, receivers, tags, bytes, begins and ends.
        """

    def path_by_link(self) -> list[tuple[int, int]]:
        """
        The links on the critical path with their nanoseconds there, longest first.
        """

    def links(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        What links carried: their numbers, bytes, and the nanoseconds that these take them.
        """

def cost_kinds() -> list[str]: ...

class RankNetwork:
    """What lies between the ranks of a simulated program."""

    def __init__(self, interconnect: Interconnect, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], hop_latency: int, shares_links: bool) -> None:
        """Of ranks on these nodes; the latency of a link is in nanoseconds."""

    def use_packets(self, routers: RouterOptions, routing: str, window: int, turnaround: int) -> None:
        """
        Messages become packets. Rates and the channels' delay are not the routers' but the messages'.
        """

class SharedCores:
    """Machines whose ranks share their cores."""

    def __init__(self, machines: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], cores: int, switching: int) -> None:
        """
        The machine of each rank, the cores of each machine, and the nanoseconds to hand one over.
        """

class SimulatedProgram:
    """What ranks send, receive and compute, with costs."""

    @property
    def ranks(self) -> int: ...

    @property
    def operations(self) -> int: ...

    @property
    def patterns(self) -> int: ...

    @property
    def looked_at(self) -> int:
        """How many ranks were found alike, where one stands for all; else 0."""

    @property
    def like_rounds(self) -> int:
        """
        How many rounds that are alike the shortest of its rows of them has, where one rank stands for all.
        """

    def with_fewer_rounds(self, removed: int) -> SimulatedProgram:
        """
        The same of all ranks, with so many rounds less in each of its rows of like rounds.
        """

    def run(self, ties: str, explained_max: int, has_timeline: bool, progress: object | None, network: RankNetwork | None = None, noise: str = '', cores: SharedCores | None = None) -> Simulation: ...

def check_noise(text: str, name: str) -> None:
    """Refuse what is no file of measured noise, with its line."""

def check_noise_words(words: str) -> None:
    """Refuse what is no PERIOD,DURATION or the like."""

def strategy_program(sample: Sample, unit_bytes: int, machine: Machine | None, loggops: str, may_fold: bool = True) -> SimulatedProgram:
    """A strategy's program; without a machine of LogGOPS' costs."""

def goal_program(data: bytes, name: str, machine: Machine | None, ranks_per_node: int, loggops: str, nodes: Sequence[int] = []) -> SimulatedProgram:
    """A program in GOAL, text or binary."""

def sample_program(name: str, ranks: int, bytes: int, loggops: str) -> SimulatedProgram:
    """A program of LogGOPSim's generator."""

def exchange_program(ranks: int, senders: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], receivers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rounds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], machine: Machine | None, ranks_per_node: int, loggops: str, nodes: Sequence[int]) -> SimulatedProgram:
    """
    Messages in rounds: a rank's next begins when its messages of one have been sent and have come.
    """

def item_nanoseconds(bytes: float) -> float:
    """A processor's time for a hop of a stream's item."""

def stream_program(ranks: int, sides: Sequence[int], items: int, item_bytes: int, buffer_bytes: int, item_nanoseconds: float, machine: Machine | None, ranks_per_node: int, loggops: str, nodes: Sequence[int]) -> SimulatedProgram:
    """A stream of items over a virtual mesh."""

class RouterOptions:
    """What routers are made of; times in picoseconds."""

    def __init__(self) -> None: ...

    @property
    def packet_bytes(self) -> int: ...

    @packet_bytes.setter
    def packet_bytes(self, arg: int, /) -> None: ...

    @property
    def bits_per_second(self) -> int: ...

    @bits_per_second.setter
    def bits_per_second(self, arg: int, /) -> None: ...

    @property
    def channel_delay(self) -> int: ...

    @channel_delay.setter
    def channel_delay(self, arg: int, /) -> None: ...

    @property
    def switch_delay(self) -> int: ...

    @switch_delay.setter
    def switch_delay(self, arg: int, /) -> None: ...

    @property
    def buffers(self) -> int: ...

    @buffers.setter
    def buffers(self, arg: int, /) -> None: ...

    @property
    def combine_units(self) -> int: ...

    @combine_units.setter
    def combine_units(self, arg: int, /) -> None: ...

    @property
    def cycle(self) -> int: ...

    @cycle.setter
    def cycle(self, arg: int, /) -> None: ...

    @property
    def element_cycles(self) -> int: ...

    @element_cycles.setter
    def element_cycles(self, arg: int, /) -> None: ...

    @property
    def element_bytes(self) -> int: ...

    @element_bytes.setter
    def element_bytes(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def credits(self) -> str: ...

    @credits.setter
    def credits(self, arg: str, /) -> None: ...

    @property
    def discipline(self) -> str: ...

    @discipline.setter
    def discipline(self, arg: str, /) -> None: ...

    @property
    def arbitration(self) -> str: ...

    @arbitration.setter
    def arbitration(self, arg: str, /) -> None: ...

    @property
    def unit_subsets(self) -> str: ...

    @unit_subsets.setter
    def unit_subsets(self, arg: str, /) -> None: ...

class LoadPoint:
    """What a network does under a load; latencies in nanoseconds."""

    @property
    def load(self) -> float: ...

    @property
    def accepted(self) -> float: ...

    @property
    def accepted_half_width(self) -> float: ...

    @property
    def latency(self) -> float: ...

    @property
    def latency_half_width(self) -> float: ...

    @property
    def is_saturated(self) -> bool: ...

    @property
    def packets(self) -> int: ...

    @property
    def hops(self) -> int: ...

    @property
    def events(self) -> int: ...

    @property
    def measured(self) -> int: ...

    @property
    def fingerprint(self) -> int: ...

class MessageTimes:
    """When messages have come; picoseconds."""

    @property
    def finish(self) -> int: ...

    @property
    def ends(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    @property
    def packets(self) -> int: ...

    @property
    def hops(self) -> int: ...

    @property
    def events(self) -> int: ...

    @property
    def fingerprint(self) -> int: ...

class PacketInterface:
    """What network interfaces take; picoseconds."""

    def __init__(self, send: int, receive: int, is_occupied: bool) -> None: ...

class PacketNetwork:
    """Routers on an interconnect."""

    def __init__(self, shape: Interconnect, routing: str, options: RouterOptions) -> None: ...

    @property
    def nodes(self) -> int: ...

    @property
    def switches(self) -> int: ...

    @property
    def virtual_channels(self) -> int: ...

    def measure(self, pattern: str, load: float, senders: int, fanout: int, sets: int, interface_latency: int, packets: int, progress: object | None) -> LoadPoint:
        """What the network does under a load."""

    def send_to(self, destinations: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: int, interface: PacketInterface) -> MessageTimes:
        """
        When each node's message to its destination has come, all beginning at once.
        """

    def reduce(self, members: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: int, bytes: int, reductions: int, interface: PacketInterface) -> MessageTimes: ...

    def molecular_dynamics(self, senders: int, fanout: int, bytes: int, rounds: int, is_in_switches: bool, interface: PacketInterface) -> MessageTimes: ...

    def contention(self, destinations: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, bool, int, int]:
        """
        The largest load of a channel by destination; is it free any way; else level and subtree.
        """

def destinations(pattern: str, nodes: int, seed: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
    """Where each node sends to; none for uniform."""

amount_max: float = 1e+30

class TrafficPattern:
    """Who sends whom how much, by phase."""

    def __init__(self, tasks: int) -> None: ...

    @property
    def tasks(self) -> int: ...

    def add_phase(self, name: str, repeats: float, senders: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], receivers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bytes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Adds what is sent at once, in rows of one length."""

class PlacementMetrics:
    """What a mapping costs."""

    @property
    def hop_bytes(self) -> float: ...

    @property
    def hops_per_byte(self) -> float: ...

    @property
    def link_max(self) -> float: ...

    @property
    def between_max(self) -> float:
        """Of the links that are no node's own."""

    @property
    def phase_link_max(self) -> float: ...

    @property
    def seconds(self) -> float: ...

class PlacementResult:
    """A slot for each task."""

    @property
    def slot_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @property
    def numbered(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    @property
    def identity(self) -> PlacementMetrics: ...

    @property
    def placed(self) -> PlacementMetrics: ...

    @property
    def method(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    @property
    def is_proven(self) -> bool:
        """All mappings were gone through."""

def map_tasks(pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], goal: str, seconds: float, proposals: int, cpu_time: bool, seed: int, base_load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: tuple[float, float, float] | None = None, pinned: bool = False, sharing: tuple[Sequence[float], float] | None = None, threads: int = 1) -> PlacementResult:
    """
    Searches a slot for each task within a budget; pinned, the first task stays on the first slot. Tasks may share slots with their weights, or none for alike ones, and the imbalance that is allowed.
    """

def job_slots(known: NodePlaces, node_of: Sequence[int], nodes: int) -> tuple[Interconnect, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    The machine and the slots of a job's ranks, as the running job sees them; `node_of` has each rank's.
    """

def kept_trial(pattern_text: str, trials_text: str, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[str, list[float], float, list[int]] | None:
    """
    What runs with --place auto found on these slots: verdict, how many times as fast each round was, seconds left for trying, and the slot of each rank; or None.
    """

def kept_runs(pattern_text: str, runs_text: str, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[str, list[float], list[float], list[int]] | None:
    """
    How long runs with --place auto took on these slots, if whole runs decide there: verdict, seconds as started, seconds placed, and the slot of each rank; or None.
    """

def placement_metrics(pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slot_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], base_load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: tuple[float, float, float] | None = None) -> PlacementMetrics:
    """
    What a mapping costs; costs are a link's bytes per second, and seconds of a hop and of a message's end.
    """

def link_loads(pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slot_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Bytes on each link over its capacity, all phases together."""

def injection_bound(pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    Bytes that some link carries over its capacity under any mapping, as tasks send or receive them.
    """

def near_bound(pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    Hop-bytes that no mapping is below, as partners are no nearer than slots are.
    """

def messages_over(link: int, pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slot_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[tuple[int, int, float]]:
    """Sender, receiver and bytes of what crosses a link, the most first."""

def best_relief(pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slot_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], base_load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int, float, int] | None:
    """
    The rank and the slot whose swap relieves the most loaded links best, their load then, and how many they are; or None.
    """

def recognized_mesh(pattern: TrafficPattern) -> list[int]:
    """
    The extents of the mesh that a pattern is, under any numbering; empty where it is none.
    """

def published_heuristics() -> list[str]: ...

def map_as_published(heuristic: str, pattern: TrafficPattern, machine: Interconnect, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """A slot for each task, by a heuristic as it was published."""

def quadratic_tabu(size: int, flows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seconds: float, seed: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], int, int]:
    """
    The best assignment that robust tabu search meets; its places, cost, and 0.
    """

def quadratic_exact(size: int, flows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seconds: float, seed: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], int, int]:
    """
    The best assignment: its places, cost, and a bound, which is the cost where that is proven least.
    """

def gilmore_lawler(size: int, flows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

def quadratic_relaxation(size: int, flows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_first_anywhere: bool, seconds: float) -> int:
    """
    A bound by the dual of the linear relaxation with RLT rows; 0 where numbers are too large.
    """
