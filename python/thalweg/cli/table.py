# SPDX-License-Identifier: BSD-3-Clause
"""The one table of commands, in reading order: dispatch, help, completion and man pages all come from it.

Nothing is imported for it. A command's module is imported when the command runs.
"""

from typing import NamedTuple


class Command(NamedTuple):
    """A command: the words that call it, its line in help, and its function as `module:function`.

    With `reads_words` the function takes the words behind the name, and gives the exit status. The functions of all
    others say by their signature what they take.
    """

    name: str
    summary: str
    target: str
    reads_words: bool = False


class Group(NamedTuple):
    """Commands under one word. `usual` is the one that runs where none is named; empty where there is no such one.

    The summary is a line in help, before the commands' names.
    """

    name: str
    summary: str
    usual: str = ""


COMMANDS = (
    Command(
        "run",
        "Run a program unmodified, its collectives on Thalweg's strategies",
        "thalweg.cli.run:run",
        reads_words=True,
    ),
    Command(
        "try",
        "Run a program natively and under Thalweg, in turns, and say what is gained",
        "thalweg.cli.run:try_program",
        reads_words=True,
    ),
    Command("report", "Show a run's report as a page", "thalweg.cli.report:report"),
    Command("timeline", "Put timelines one above the other", "thalweg.cli.timeline:timeline"),
    Command("top", "Show where running jobs spend their time", "thalweg.cli.top:top"),
    Command("site", "Say where the jobs of a center lose the most time", "thalweg.cli.site:site"),
    Command("compare", "Compare the reports of two runs", "thalweg.cli.compare:compare"),
    Command("doctor", "Say what works on this host, what does not, and what to do", "thalweg.cli.doctor:doctor"),
    Command(
        "setup",
        "Find out within seconds what is surely faster on this machine than the MPI library",
        "thalweg.cli.setup:setup",
    ),
    Command("schema", "Print the JSON Schema of a command's answer", "thalweg.cli.schema:schema"),
    Command("config", "Print the settings in effect, and where each comes from", "thalweg.cli.config:config"),
    Command("strategies list", "List the strategies", "thalweg.cli.strategies:list_strategies"),
    Command("strategies show", "Show the schedule of a strategy", "thalweg.cli.show:show"),
    Command("strategies verify", "Prove strategies", "thalweg.cli.verify:verify"),
    Command("machine probe", "Measure what messages, copies and sums cost", "thalweg.cli.probe:probe"),
    Command("machine show", "Show how large a network is, and how far its nodes are apart", "thalweg.cli.machine:show"),
    Command("machine check", "Find collectives of the MPI library that contradict others", "thalweg.cli.check:check"),
    Command("tune search", "Find the best strategies, and keep them in the tuning file", "thalweg.cli.tune:search"),
    Command("tune explain", "Say which strategy runs for a call, and why", "thalweg.cli.explain:explain"),
    Command("tune export", "Write the best algorithms as the MPI library's own rules", "thalweg.cli.export:export"),
    Command("place map", "Say which rank goes where", "thalweg.cli.place:map_ranks"),
    Command("place advise", "Say which allocation to ask for", "thalweg.cli.place:advise"),
    Command("balance", "Say who sends how many tasks to whom, so that loads even out", "thalweg.cli.balance:balance"),
    Command("simulate program", "Simulate a strategy, a stream or a whole program", "thalweg.cli.simulate:program"),
    Command("simulate network", "Simulate a network, packet by packet", "thalweg.cli.simulate_network:network"),
    Command("nic serve", "Serve this host's jobs until it is ended", "thalweg.cli.nic:serve"),
    Command("nic status", "Say what this host's agent serves", "thalweg.cli.nic:status"),
    Command("nic check", "Look whether this host can run collectives so", "thalweg.cli.nic:check"),
    Command("lab up", "Make hosts on a network", "thalweg.cli.lab:up"),
    Command("lab run", "Run an MPI program across the hosts", "thalweg.cli.run:run_in_lab", reads_words=True),
    Command("lab down", "Take the lab away", "thalweg.cli.lab:down"),
)

GROUPS = {
    group.name: group
    for group in (
        Group("strategies", "The collectives' algorithms", "list"),
        Group("machine", "This machine, and what messages cost on it", "show"),
        Group("tune", "The best strategies here, and why they are", "search"),
        Group("place", "Ranks that talk near each other"),
        Group("simulate", "What is not here", "program"),
        Group("nic", "Collectives on the hosts' network devices"),
        Group("lab", "A cluster in a box, on this machine"),
    )
}

BY_NAME = {command.name: command for command in COMMANDS}
EXTENSIONS = "thalweg.commands"
"""The group of entry points by which an installed package adds a command: each gives a function that makes a Typer."""


def names_in(group: str) -> list[str]:
    """Name the commands of a group, without its own name."""
    return [name.partition(" ")[2] for name in BY_NAME if name.startswith(f"{group} ")]


def top_names() -> list[str]:
    """Name the commands and groups, in their order."""
    return list(dict.fromkeys(name.partition(" ")[0] for name in BY_NAME))


def function_of(command: Command) -> object:
    """Import the function of a command."""
    import importlib  # noqa: PLC0415 - typer's commands alone need it, a moment after the start

    module, _, name = command.target.partition(":")
    return getattr(importlib.import_module(module), name)
