# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg run`, `try` and `lab run`, whose words are read by the table of their flags; their help and completion."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from thalweg.launch.flags import HELP, LAB_FLAGS, RUN_FLAGS, TRY_FLAGS, Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thalweg.settings.options import Option

_PROGRAM = "PROGRAM [ARGUMENT]…"
TEXTS = {
    "run": """Run a program unmodified, its collectives on Thalweg's strategies.

`thalweg run -n 8 -- ./app args`: the launcher of the program's MPI is found.
`thalweg run mpirun -np 8 ./app args`: a launcher's command as it is.
`srun thalweg run ./app args`: inside each rank, whatever started it.

`thalweg run --report run.json -n 8 -- ./app`: keep all that was seen, for `thalweg tune explain run.json`.
`thalweg run --use allreduce=ring -n 8 -- ./app`: choose a strategy; `thalweg strategies` lists them.
`thalweg run --place auto -n 8 -- ./app`: record who talks to whom; the next run places its ranks by it.

Options stand before the program; everything from the first other word on is passed on as it is.""",
    "try": """Run a program natively and under Thalweg, in turns, and say what is gained.

`thalweg try -n 8 -- ./app args`, or `thalweg try mpirun -np 8 ./app args`.

The outputs of both are compared, as far as they do not change from run to run. The medians of wall time, processor time
and memory stand beside each other, and a difference is called one only if a rank-sum test is sure of it. The exit
status is 1 if the outputs differ. All options of `thalweg run` hold for the runs under Thalweg.""",
    "lab run": """Run an MPI program across the hosts.

Messages take TCP. The options are those of `thalweg run`, --native and --name.""",
}
_FLAGS = {"run": RUN_FLAGS, "try": TRY_FLAGS, "lab run": LAB_FLAGS}


def run(words: Sequence[str]) -> int:
    """Run what stands behind `thalweg run`; returns when it has ended."""
    from thalweg.launch.execute import run as start  # noqa: PLC0415 - completion does without

    status = start(words, _write_page)
    return _show_help("run") if status is None else status


def _write_page(report: str, page: str, opens: bool) -> str:  # noqa: FBT001 - launch/page.py calls it
    from thalweg.pages.writing import write_page  # noqa: PLC0415 - the job has ended, and may take its time
    from thalweg.report.page import page as page_of  # noqa: PLC0415
    from thalweg.report.run_report import read_report  # noqa: PLC0415

    return write_page(page_of(read_report(report), report), page, opens=opens)


def try_program(words: Sequence[str]) -> int:
    """Run what stands behind `thalweg try` in pairs."""
    from thalweg.cli.ending import ends_at_signals  # noqa: PLC0415
    from thalweg.pairs.command import try_words  # noqa: PLC0415

    with ends_at_signals():
        status = try_words(words)
    return _show_help("try") if status is None else status


def run_in_lab(words: Sequence[str]) -> int:
    """Run what stands behind `thalweg lab run`, which takes this process's place."""
    from thalweg.lab.launch import run_words  # noqa: PLC0415

    run_words(words)  # returns where it asks for help
    return _show_help("lab run")


def _show_help(name: str) -> int:
    from thalweg.cli.pages import page  # noqa: PLC0415

    panels = dict.fromkeys(flag.panel for flag in _FLAGS[name])
    sections = [
        (panel or "Options", [(_names(flag), flag.help) for flag in _FLAGS[name] if flag.panel == panel])
        for panel in panels
    ]
    print(page(f"thalweg {name} [OPTION]… {_PROGRAM}", [TEXTS[name]], sections), end="")
    return 0


def _names(flag: Flag) -> str:
    names = ", ".join((*reversed(flag.names), *([flag.negation] if flag.negation else [])))
    return f"{names} {flag.metavar}".rstrip()


def declaration_of(name: str) -> Callable[..., None]:
    """Declare the command with its flags for typer, which completes its words and describes it, and never runs it."""
    import inspect  # noqa: PLC0415
    from typing import Annotated  # noqa: PLC0415

    import typer  # noqa: PLC0415

    def declared(**_: object) -> None:
        raise AssertionError

    def parameter(flag_name: str, kind: Any, declaration: Any) -> inspect.Parameter:
        annotation = Annotated[kind, declaration]
        return inspect.Parameter(flag_name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)

    parameters = [
        parameter(flag.name.replace("-", "_"), str | None if flag.metavar else bool, _typer_option(flag))
        for flag in _FLAGS[name]
        if flag is not HELP
    ]
    argument = typer.Argument(metavar=_PROGRAM, show_default=False)
    parameters.append(parameter("command", list[str] | None, argument))
    declared.__doc__ = TEXTS[name]
    declared.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    declared.__annotations__ = {one.name: one.annotation for one in parameters}
    return declared


def _typer_option(flag: Flag) -> Any:
    import typer  # noqa: PLC0415

    return typer.Option(
        "/".join([flag.names[0], *([flag.negation] if flag.negation else [])]),
        *flag.names[1:],
        help=flag.help,
        metavar=flag.metavar or None,
        show_default=False,
        autocompletion=_completion(flag.option) if flag.option else None,
    )


def _completion(option: Option) -> Any:
    if option.kind == "choice":
        return lambda incomplete: [choice for choice in option.choices if choice.startswith(incomplete)]
    if option.kind == "selections":
        return _complete_selection
    return None


def _complete_selection(incomplete: str) -> list[str]:
    from thalweg.cli.bash_completion import rest_of  # noqa: PLC0415
    from thalweg.strategies import all_strategies  # noqa: PLC0415 - loads the compiled core

    words = [f"{strategy.operation}={strategy.name}" for strategy in all_strategies()]
    return rest_of(words, incomplete, os.environ)
