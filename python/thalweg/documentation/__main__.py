# SPDX-License-Identifier: BSD-3-Clause
"""Write all generated documents into a folder."""

import sys
from pathlib import Path

from thalweg.documentation.man import man_pages
from thalweg.documentation.pages import configuration_page, exit_status_page


def documents() -> dict[str, str]:
    """Every generated document by its place in docs/."""
    pages = {f"man/{name}.1": text for name, text in man_pages().items()}
    return pages | {"configuration.md": configuration_page(), "exit-status.md": exit_status_page()}


def main() -> None:
    """Write them."""
    folder = Path(sys.argv[1])
    for name, text in documents().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
