# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg run`: read, plan, and start.

Inside a rank, or where nothing is to be told of the job, the command takes this process's place: ranks leave what they
count in a folder then. Else this process stays to report a job that does not end by MPI_Finalize (attend.py).
"""

import os
import sys
from collections.abc import Mapping, Sequence

from thalweg.errors import NOT_EXECUTABLE, SETTINGS, ThalwegError
from thalweg.launch.arguments import read_arguments
from thalweg.launch.attend import Attended, Wanted, attend, is_nothing, make_journal, variables_of
from thalweg.launch.become import become
from thalweg.launch.page import HTML, PageAtEnd, PageWriter, refuse_page, with_report
from thalweg.launch.plan import Plan, make_plan
from thalweg.launch.screen import bars, keeping, report_name
from thalweg.settings.layers import Settings, effective_settings
from thalweg.settings.variables import unknown_variables

_TITLE_MAX = 60
"""Letters of a command that name its timeline: the program stands at the end."""


def run(words: Sequence[str], write_page: PageWriter) -> int | None:
    """Run what stands behind `thalweg run`; returns when it has ended, and None if help is asked for."""
    arguments = read_arguments(words)
    if arguments.asks_for_help:
        return None
    environment = dict(os.environ)
    settings = with_report(effective_settings(arguments.flags, environment, "."), arguments.page)
    check_settings(settings)
    check_output(os.path.abspath(arguments.page) if arguments.page else None, HTML)
    wanted = Wanted(
        report=str(settings["report"].value or ""),
        summary=bool(settings["summary"].value),
        timeline=str(settings["timeline"].value or ""),
        logs=str(settings["logs"].value or ""),
    )
    if settings["disable"].value:
        refuse_page(arguments.page, "Thalweg is disabled")
    is_attended = not is_nothing(wanted) and not arguments.dry_run and not settings["disable"].value
    attended = _attended(wanted, settings, arguments.command) if is_attended else None
    own = variables_of(attended, wanted) | bars(environment) if attended else {}
    network, doubts = _network(settings, environment)
    plan = make_plan(arguments, settings, environment, own | network)
    for remark in (*unknown_variables(environment), *doubts, *plan.remarks):
        print(f"thalweg: {remark}", file=sys.stderr)
    if arguments.dry_run:
        print(describe(plan, environment))
        return 0
    sys.stdout.flush()
    sys.stderr.flush()
    if plan.mpi and settings["setup"].value:
        from thalweg.launch.first_run import look_first  # noqa: PLC0415 - ranks that are started otherwise do without

        look_first(plan.mpi, plan.ranks, settings, environment)
    if attended is not None and plan.starts_ranks:
        plan.environment.update(keeping(words) | report_name(wanted.report))
        page = PageAtEnd(wanted.report, arguments.page, write_page, opens=arguments.opens_page)
        return attend(plan, attended, wanted, page)
    refuse_page(arguments.page, "this is one rank of a job, or a program without MPI's launcher")
    try:
        become(plan.path, plan.command, plan.environment)
    except OSError as error:
        raise ThalwegError(NOT_EXECUTABLE, f"{plan.path} cannot be started: {error.strerror}") from error


def _network(settings: Settings, environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Give what tells ranks of the network between their nodes, if a batch system knows it, and remarks."""
    if "SLURM_JOB_ID" not in environment or settings["disable"].value:
        return {}, []
    from thalweg.networks.batch import variables_for_ranks  # noqa: PLC0415 - most runs do without

    return variables_for_ranks(environment, has_list=bool(settings["node_list"].value))


def _attended(wanted: Wanted, settings: Settings, command: Sequence[str]) -> Attended | None:
    """Make what ranks of this host leave behind; None where no memory can be had for it."""
    journal = make_journal()
    if not wanted.timeline:
        return Attended(journal) if journal else None
    from thalweg.timeline.memory import DEFAULT_MEBIBYTES, make_memory  # noqa: PLC0415 - most runs do without

    mebibytes = settings["timeline_size"].value
    memory = make_memory(mebibytes if isinstance(mebibytes, int) else DEFAULT_MEBIBYTES)
    title = " ".join(map(os.path.basename, command))
    return Attended(journal, memory, title if len(title) <= _TITLE_MAX else f"…{title[-_TITLE_MAX:]}")


def describe(plan: Plan, environment: Mapping[str, str]) -> str:
    """Write a plan as a shell command, with the variables that differ from the user's environment in front."""
    import shlex  # noqa: PLC0415 - only printed commands are quoted

    changed = [f"{name}={value}" for name, value in plan.environment.items() if environment.get(name) != value]
    return shlex.join([*(["env", *changed] if changed else []), *plan.command])


def check_settings(settings: Settings) -> None:
    """Refuse what would go wrong later, before anything starts."""
    check_selections(settings["use"].origins, settings["use"].value)
    check_output(settings["report"].value, settings["report"].origin)
    check_timeline(settings["timeline"].value, settings["timeline"].origin)


def check_selections(origins: dict[str, str], selections: object) -> None:
    """Let the index of strategies refuse what it does not know, before anything starts."""
    if not isinstance(selections, dict) or not selections:
        return
    from thalweg.strategies import check_selection  # noqa: PLC0415 - loads the compiled core, which most runs do without

    for operation, strategy in selections.items():
        check_selection(operation, strategy, origins[operation])


def check_output(path: object, origin: str) -> None:
    """Refuse a file that could not be written at the end, before anything starts; `origin` is what named it."""
    if not isinstance(path, str):
        return
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        raise ThalwegError(SETTINGS, f"{origin}: {path} is a folder", "name a file in it")
    if not os.path.isdir(folder):
        raise ThalwegError(SETTINGS, f"{origin}: the folder {folder} does not exist", f"make it: mkdir -p {folder}")
    is_plain = os.path.isfile(path) or not os.path.exists(path)
    if not os.access(folder if is_plain else path, os.W_OK):
        raise ThalwegError(SETTINGS, f"{origin}: {path} cannot be written", "name a file that you may write")


def check_timeline(path: object, origin: str) -> None:
    """Refuse a timeline that could not be written at the end."""
    if isinstance(path, str):
        from thalweg.timeline.files import check_name  # noqa: PLC0415 - most runs do without

        check_name(path, origin)
        check_output(path, origin)
