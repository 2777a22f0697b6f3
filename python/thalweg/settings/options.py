# SPDX-License-Identifier: BSD-3-Clause
"""The one table of options: flags, environment variables, file keys and documentation all come from here."""

from typing import NamedTuple


class Option(NamedTuple):
    """A setting of `thalweg run`.

    `former_name` and `former_choices` are what earlier versions called it: still read, and documented nowhere.

    `kind` is one of selections, tuning, choice, microseconds, percent, file, place, switch and mpi; `choices` belongs
    to choice alone. `variable` is what the command reads from the environment and, where `for_ranks` holds, the
    interposer in each rank.
    """

    name: str
    kind: str
    default: object
    help: str
    short: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    former_name: str = ""
    former_choices: tuple[str, ...] = ()
    unset: str = ""
    """What holds where the default is None, for the documentation; the interposer and the tuner know it themselves."""
    for_ranks: bool = True
    panel: str = "More"
    """The heading under which help shows it."""

    @property
    def variable(self) -> str:
        """The environment variable: THALWEG_POLL_US for poll_us."""
        return "THALWEG_" + self.name.upper()

    @property
    def flag(self) -> str:
        """The flag: --poll-us for poll_us."""
        return "--" + self.name.replace("_", "-")

    @property
    def former_variable(self) -> str:
        """The environment variable of earlier versions; empty where there was none."""
        return "THALWEG_" + self.former_name.upper() if self.former_name else ""

    @property
    def former_flag(self) -> str:
        """The flag of earlier versions; empty where there was none."""
        return "--" + self.former_name.replace("_", "-") if self.former_name else ""

    @property
    def negation(self) -> str:
        """The flag that turns a switch off: --no-summary for summary."""
        return "--no-" + self.name.replace("_", "-")


OPTIONS: tuple[Option, ...] = (
    Option(
        name="use",
        kind="selections",
        panel="Choose",
        default=None,
        short="-u",
        metavar="SELECTION",
        help="OPERATION=STRATEGY[:PARAMETER=VALUE,…][+thread]: the strategy for a collective; `native` is the "
        "library's own. With +thread a thread of each rank advances nonblocking calls while the program computes.",
    ),
    Option(
        name="tuning",
        kind="tuning",
        panel="Choose",
        default=None,
        metavar="FILE",
        help="The tuning file, with the strategies that were found best on this machine; `off` uses none.",
        unset="`~/.local/share/thalweg/tuning.toml`",
    ),
    Option(
        name="learn",
        kind="choice",
        panel="Choose",
        default="exact",
        choices=("exact", "all", "off"),
        help="Learn which strategy is fastest while the program runs: only where results cannot change (exact), "
        "also for floating-point numbers (all), or not at all (off). Under `all`, the last digits of sums may change "
        "within a run.",
    ),
    Option(
        name="learn_budget",
        kind="percent",
        panel="Choose",
        default=None,
        metavar="PERCENT",
        help="The bound on the cost of learning: a share of the time in the calls that it learns about. 100 sets none.",
        unset="2",
    ),
    Option(
        name="wait",
        kind="choice",
        panel="Wait",
        default="auto",
        choices=("auto", "yield", "spin"),
        former_name="polite",
        former_choices=("auto", "always", "never"),
        help="How ranks wait: yield the core (poll, then yield, then sleep), spin as the library does, or, with auto, "
        "yield if ranks outnumber cores.",
    ),
    Option(
        name="poll_us",
        kind="microseconds",
        panel="Wait",
        default=None,
        metavar="MICROSECONDS",
        help="How long a yielding wait polls before it yields the core.",
        unset="0",
    ),
    Option(
        name="yield_us",
        kind="microseconds",
        panel="Wait",
        default=None,
        metavar="MICROSECONDS",
        help="How long a yielding wait yields before it sleeps; in shared memory, where messages wake, 200 at most.",
        unset="5000",
    ),
    Option(
        name="sleep_us",
        kind="microseconds",
        panel="Wait",
        default=None,
        metavar="MICROSECONDS",
        help="How long a yielding wait sleeps between two looks, at most.",
        unset="1000",
    ),
    Option(
        name="node_list",
        kind="file",
        panel="Place",
        default=None,
        metavar="FILE",
        help="Positions of hosts in the network: a line for each, its name and its place. Strategies can follow it.",
    ),
    Option(
        name="report",
        kind="file",
        panel="Observe",
        default=None,
        metavar="FILE",
        help="Write all figures, per collective and call site, to this JSON file at the end.",
    ),
    Option(
        name="logs",
        kind="file",
        panel="Observe",
        default=None,
        metavar="FOLDER",
        help="Keep a few kilobytes of JSON of each job in this folder, for `thalweg site`. %Y, %m and %d in its name "
        "stand for the day.",
    ),
    Option(
        name="summary",
        kind="switch",
        panel="Observe",
        default=True,
        help="Print a table on stderr at the end of the run.",
    ),
    Option(
        name="record",
        kind="switch",
        panel="Observe",
        default=False,
        help="Record who sends how much to whom, by phase and call site, and keep it for placing the program's ranks.",
    ),
    Option(
        name="trace",
        kind="switch",
        panel="Observe",
        default=False,
        help="Keep the ranks' calls in their order, and the computation between them, for `thalweg simulate --trace`.",
    ),
    Option(
        name="timeline",
        kind="file",
        panel="Timeline",
        default=None,
        metavar="FILE",
        help="Write when each rank computed, waited and sent to this file, which ui.perfetto.dev opens: .json or "
        ".json.gz, or .otf2 for OTF2's tools.",
    ),
    Option(
        name="timeline_size",
        kind="mebibytes",
        panel="Timeline",
        default=None,
        metavar="MEBIBYTES",
        help="How much of the timeline a rank keeps: about 20,000 events each. Later events replace the oldest.",
        unset="8",
    ),
    Option(
        name="place",
        kind="place",
        panel="Place",
        default="off",
        metavar="auto|off|FILE",
        help="Number the ranks so that partners are near each other: by the pattern of an earlier run (auto), or "
        "by a file with the slot of each rank. With auto, the first run records.",
    ),
    Option(
        name="patterns",
        kind="file",
        panel="Place",
        default=None,
        metavar="FOLDER",
        help="The folder in which recorded patterns are kept.",
        unset="`~/.cache/thalweg/patterns`",
    ),
    Option(
        name="reorder",
        kind="switch",
        panel="Place",
        default=True,
        help="Let communicators that the program makes with reorder=1 be numbered for the machine.",
    ),
    Option(
        name="progress_thread",
        kind="switch",
        panel="Wait",
        default=False,
        help="Progress nonblocking collectives in a thread of their own, whichever strategy runs them.",
    ),
    Option(
        name="shared_memory",
        kind="switch",
        default=True,
        help="Let the ranks of a node send each other messages through memory that they share.",
    ),
    Option(
        name="stream_progress",
        kind="switch",
        default=True,
        help="Let the program's streams progress in its MPI calls.",
    ),
    Option(
        name="gpu_buffers",
        former_name="device_buffers",
        kind="choice",
        default="auto",
        choices=("auto", "yes", "no"),
        help="Whether the program may pass a GPU's memory to collectives: yes, no, or if a GPU's runtime is loaded "
        "when MPI starts (auto). Such collectives are left to the MPI library.",
    ),
    Option(
        name="verbose",
        kind="switch",
        panel="Observe",
        default=False,
        short="-v",
        help="Report on stderr the steps of the start-up, and the calls left to the MPI library, with the reasons.",
    ),
    Option(
        name="disable",
        kind="switch",
        default=False,
        help="Start the program as if Thalweg was not there.",
    ),
    Option(
        name="mpi",
        kind="mpi",
        panel="Choose",
        default=None,
        metavar="MPI",
        for_ranks=False,
        help="The program's MPI if it cannot be found out: openmpi, mpich, mpiabi, or a prefix, library or launcher.",
    ),
)

BY_NAME = {option.name: option for option in OPTIONS}
FORMER_NAMES = {option.former_name for option in OPTIONS if option.former_name}
