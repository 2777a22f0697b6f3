"""`thalweg run`: read, plan, and let the command take this process's place.

Nothing of Thalweg stays behind as a parent, so the program's exit status, signals and terminal are its own.
"""

import os
import shlex
import sys
from collections.abc import Sequence

from thalweg.errors import NOT_EXECUTABLE, ThalwegError
from thalweg.launch.arguments import read_arguments
from thalweg.launch.plan import Plan, make_plan
from thalweg.settings.layers import effective_settings


def run(words: Sequence[str]) -> int:
    """Run what stands behind `thalweg run`; returns only from --dry-run."""
    arguments = read_arguments(words)
    environment = dict(os.environ)
    settings = effective_settings(arguments.flags, environment, ".")
    check_selections(settings["use"].origins, settings["use"].value)
    plan = make_plan(arguments, settings, environment)
    for remark in plan.remarks:
        print(f"thalweg: {remark}", file=sys.stderr)
    if arguments.dry_run:
        print(describe(plan, environment))
        return 0
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(plan.path, plan.command, plan.environment)
    except OSError as error:
        raise ThalwegError(NOT_EXECUTABLE, f"{plan.path} cannot be started: {error.strerror}") from error


def describe(plan: Plan, environment: dict[str, str]) -> str:
    """Write a plan as a shell command, with the variables that differ from the user's environment in front."""
    changed = [f"{name}={value}" for name, value in plan.environment.items() if environment.get(name) != value]
    return shlex.join([*(["env", *changed] if changed else []), *plan.command])


def check_selections(origins: dict[str, str], selections: object) -> None:
    """Let the index of strategies refuse what it does not know, before anything starts."""
    if not isinstance(selections, dict) or not selections:
        return
    from thalweg.strategies import check_selection  # noqa: PLC0415 - loads the compiled core, which most runs do without

    for operation, strategy in selections.items():
        check_selection(operation, strategy, origins[operation])
