# SPDX-License-Identifier: BSD-3-Clause
"""Which kinds of files timelines are written as, by their names. Runs look at it before they start."""

import os

from thalweg.errors import INSTALLATION, SETTINGS, ThalwegError

JSON = (".json", ".json.gz")
OTF2 = ".otf2"


def check_name(path: str, origin: str) -> None:
    """Refuse a name that no kind of timeline has, and OTF2 where nothing here writes it."""
    if path.endswith(OTF2):
        from importlib.util import find_spec  # noqa: PLC0415 - for OTF2 alone

        if find_spec("otf2") is None:
            remedy = "pip install 'thalweg[otf2]', or write .json"
            raise ThalwegError(INSTALLATION, f"{origin}: {path} needs the Python package otf2", remedy)
    elif not path.endswith(JSON):
        name = os.path.basename(path)
        remedy = "name it .json or .json.gz, for ui.perfetto.dev, or .otf2"
        raise ThalwegError(SETTINGS, f"{origin}: {name}: no kind of timeline is called so", remedy)
