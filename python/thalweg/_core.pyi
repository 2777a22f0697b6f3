class Error(Exception): ...

class Parameter:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def standard(self) -> int: ...
    @property
    def least(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def meaning(self) -> str: ...
    @property
    def choices(self) -> list[str]: ...

class Strategy:
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

class Verdict:
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
    def __init__(
        self,
        selection: str,
        ranks: int,
        root: int = 0,
        ranks_per_node: int = 0,
        unit_bytes: int = 0,
    ) -> None: ...
    @property
    def strategy(self) -> Strategy: ...
    def describe(self) -> str: ...
    def print(self, rank: int) -> str: ...
    def draw(self) -> str: ...
    def goal(self, unit_bytes: int) -> str: ...
    def verify(self) -> Verdict: ...

def operations() -> list[str]: ...
def strategies() -> list[Strategy]: ...
def check_selection(selection: str) -> None: ...
def value_text(parameter: Parameter, value: int) -> str: ...
def calls() -> list[str]: ...
def prove(strategy: Strategy, ranks: int, all_roots: bool) -> tuple[int, list[str]]: ...

class Figure:
    value: float
    low: float
    high: float
    def __init__(self, value: float, low: float, high: float) -> None: ...

class Level:
    core_complex: Level
    socket: Level
    node: Level
    network: Level

class MessageCost:
    bytes_max: int
    latency: Figure
    send: Figure
    send_per_byte: Figure
    receive: Figure
    receive_per_byte: Figure
    gap: Figure
    gap_per_byte: Figure
    unexpected: Figure
    unexpected_per_byte: Figure
    overlapped: Figure
    overlapped_per_byte: Figure
    two_way: Figure
    shared: Figure
    def __init__(self) -> None: ...

class Rate:
    bytes_max: int
    per_byte: Figure
    def __init__(self, bytes_max: int, per_byte: Figure) -> None: ...

class LevelCosts:
    level: Level
    ranges: list[MessageCost]
    burst_bytes: float
    pairs: int
    samples: int
    outliers: int
    worst: float
    def __init__(self) -> None: ...

class Machine:
    title: str
    parts: str
    mpi: str
    transport: str
    date: str
    cores: int
    nodes_per_machine: int
    levels: list[LevelCosts]
    copy: list[Rate]
    combine: list[Rate]
    switch_core: Figure
    step: Figure
    network: str
    def __init__(self) -> None: ...
    def to_text(self) -> str: ...

def parse_machine(text: str, name: str) -> Machine: ...
def load_machine(file: str) -> Machine: ...
def standard_machine() -> Machine: ...

class Candidate:
    text: str
    seconds: float
    cpu_seconds: float
    cpu_most: float
    is_bound: bool

def candidates(
    call: str,
    size: int,
    ranks: int,
    nodes: list[int],
    machine: Machine,
    sockets: list[int] = ...,
    complexes: list[int] = ...,
) -> list[Candidate]: ...
def predict(selection: str, size: int, ranks: int, nodes: list[int], machine: Machine) -> list[float]: ...
def closed_form(
    selection: str, size: int, ranks: int, machine: Machine, nodes: list[int] = ...
) -> tuple[float, str] | None: ...

class Fingerprint:
    processor: str
    cores: int
    quota: str
    kernel: str
    mpi: str
    transport: str
    nodes: int
    ranks_per_node: str
    def __init__(self, lines: list[str]) -> None: ...
    def describe(self) -> str: ...

class Pick:
    call: str
    ranks: int
    nodes: int
    bytes: int
    use: str
    seconds: float
    native_seconds: float
    trials: int
    source: str
    otherwise: str
    def __init__(self) -> None: ...

class Tuning:
    machine: Fingerprint
    picks: list[Pick]
    def __init__(self) -> None: ...

def local_fingerprint(environment: dict[str, str]) -> Fingerprint: ...
def load_tuning(path: str) -> list[Tuning]: ...
def save_tuning(path: str, found: Tuning) -> None: ...

class Network:
    shape: str
    hosts: int
    switches: int
    links: list[list[int]]
    def __init__(self, shape: str, hosts: int) -> None: ...
    def switch_of(self, host: int) -> int: ...
    def next(self, at_switch: int, host: int) -> int: ...
