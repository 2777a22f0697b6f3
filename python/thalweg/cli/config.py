# SPDX-License-Identifier: BSD-3-Clause
"""`thalweg config`: the effective configuration and where each value came from."""

import os

import typer

from thalweg.answers.answer import answered
from thalweg.cli.options import JsonFile
from thalweg.launch.execute import check_selections
from thalweg.settings.layers import EffectiveValue, effective_settings, value_in_effect
from thalweg.settings.options import OPTIONS
from thalweg.settings.variables import unknown_variables


def config(*, json_file: JsonFile = "") -> None:
    """Print the settings in effect, and where each comes from.

    Flags win over THALWEG_ variables, these over ./thalweg.toml, that over the user's file, that over defaults.
    """
    environment = dict(os.environ)
    settings = effective_settings({}, environment, ".")
    in_effect = {option.name: value_in_effect(option, settings, environment) for option in OPTIONS}
    rows = [row for name, value in in_effect.items() for row in _rows(name, settings[name]._replace(value=value))]
    for line in unknown_variables(environment):
        typer.echo(f"thalweg: {line}", err=True)
    named = [{"setting": name, "value": value, "origin": origin} for name, value, origin in rows]
    if not answered("config", {"settings": named}, json_file):
        _print_table(rows)
    # What is set is shown even where it is wrong: one sees then where it comes from.
    check_selections(settings["use"].origins, settings["use"].value)


def _print_table(rows: list[tuple[str, object, str]]) -> None:
    from thalweg.terminal import print_table  # noqa: PLC0415 - JSON does without

    print_table(
        ["setting", "value", "comes from"],
        [(name, _shown(value), origin) for name, value, origin in rows],
        texts=(0, 1, 2),
    )


def _rows(name: str, setting: EffectiveValue) -> list[tuple[str, object, str]]:
    if isinstance(setting.value, dict) and setting.value:
        return [(f"{name}.{operation}", text, setting.origins[operation]) for operation, text in setting.value.items()]
    return [(name, setting.value or None if isinstance(setting.value, dict) else setting.value, setting.origin)]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
