# SPDX-License-Identifier: BSD-3-Clause
"""The effective settings: flags over the environment over the project's file over the user's file over defaults."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from thalweg.settings.files import configuration_files, line_of, read_file
from thalweg.settings.options import OPTIONS, Option
from thalweg.settings.values import Selections, Value, text_for_ranks, value_from_text, value_from_toml

ALWAYS_SAID = ("summary", "learn")
"""Options that the interposer has another default for: it is silent and passive where nobody started it so."""


class EffectiveValue(NamedTuple):
    """A value and who said so; selections have an origin per operation."""

    value: Value
    origin: str
    origins: dict[str, str]


Settings = dict[str, EffectiveValue]
Layer = dict[str, tuple[Value, str, dict[str, str]]]


def flags_layer(given: Mapping[str, Value]) -> Layer:
    """Take the values of flags as they were read from a command line."""
    layer: Layer = {}
    for option in OPTIONS:
        if option.name in given:
            value = given[option.name]
            layer[option.name] = (value, option.flag, _same_origin(value, option.flag))
    return layer


def environment_layer(environment: Mapping[str, str]) -> Layer:
    """Read the THALWEG_ variables; an empty one counts as not set, as is the custom."""
    layer: Layer = {}
    for option in OPTIONS:
        variable = option.variable if environment.get(option.variable) else option.former_variable
        if text := environment.get(variable):
            value = value_from_text(option, text, variable)
            layer[option.name] = (value, variable, _same_origin(value, variable))
    return layer


def file_layer(path: str) -> Layer:
    """Read one configuration file; an absent one sets nothing."""
    found = read_file(path)
    if found is None:
        return {}
    table, text = found
    layer: Layer = {}
    for option in OPTIONS:
        name = option.name if option.name in table else option.former_name
        if not name or name not in table:
            continue
        origin = f"{path}:{line_of(text, name)}"
        value = value_from_toml(option, table[name], origin, os.path.dirname(os.path.abspath(path)))
        origins = {}
        if isinstance(value, dict):
            origins = {operation: f"{path}:{line_of(text, operation, option.name)}" for operation in value}
        layer[option.name] = (value, origin, origins)
    return layer


def effective_settings(given: Mapping[str, Value], environment: Mapping[str, str], folder: str) -> Settings:
    """Merge all layers. Selections merge per operation; every other option is taken whole from its first layer."""
    layers = [flags_layer(given), environment_layer(environment)]
    layers += [file_layer(path) for path in configuration_files(environment, folder)]
    settings = {option.name: _merged(option, layers) for option in OPTIONS}
    if settings["tuning"].origin == "default":
        settings["tuning"] = EffectiveValue(default_tuning_file(environment), "default", {})
    return settings


def value_in_effect(option: Option, settings: Settings, environment: Mapping[str, str]) -> Value:
    """Give an option's value, and where nobody set one what ranks take then; None where it is nothing."""
    value = settings[option.name].value
    if value is not None or not option.unset:
        return value
    return default_patterns_folder(environment) if option.name == "patterns" else int(option.unset)


def selections_in(settings: Settings) -> Selections:
    """Give the selections (--use) that hold, by call."""
    value = settings["use"].value
    return value if isinstance(value, dict) else {}


def default_tuning_file(environment: Mapping[str, str]) -> str:
    """Say where the tuning file is if nobody says otherwise."""
    home = environment.get("XDG_DATA_HOME") or os.path.join(environment.get("HOME", "/"), ".local", "share")
    return os.path.join(home, "thalweg", "tuning.toml")


def default_patterns_folder(environment: Mapping[str, str]) -> str:
    """Say where recorded patterns are if nobody says otherwise."""
    home = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME", "/"), ".cache")
    return os.path.join(home, "thalweg", "patterns")


def variables_for_ranks(settings: Settings) -> dict[str, str]:
    """Name the variables that the interposer must see in every rank; what nobody set is left to its own defaults."""
    variables = {}
    for option in OPTIONS:
        setting = settings[option.name]
        if option.kind == "tuning":
            variables[option.variable] = str(setting.value)
        elif option.for_ranks and (setting.origin != "default" or option.name in ALWAYS_SAID):
            variables[option.variable] = text_for_ranks(setting.value)
    return variables


def _merged(option: Option, layers: list[Layer]) -> EffectiveValue:
    holders = [layer[option.name] for layer in layers if option.name in layer]
    if not holders:
        return EffectiveValue(option.default if isinstance(option.default, str | bool) else None, "default", {})
    if option.kind != "selections":
        return EffectiveValue(*holders[0])
    selections: Selections = {}
    origins: dict[str, str] = {}
    for value, _, places in holders:
        for operation, strategy in value.items() if isinstance(value, dict) else ():
            if operation not in selections:
                selections[operation] = strategy
                origins[operation] = places[operation]
    return EffectiveValue(selections, holders[0][1], origins)


def _same_origin(value: Value, origin: str) -> dict[str, str]:
    return dict.fromkeys(value, origin) if isinstance(value, dict) else {}
