# SPDX-License-Identifier: BSD-3-Clause
"""Build the site: `make docs`. Nothing comes over the network, now or when it is read.

python -m website OUTPUT        the site in OUTPUT/html; scripts/ is in PYTHONPATH
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from website import api, pages, pictures

HERE = Path(__file__).resolve().parent


REMOTE = re.compile(r"""<(?:script|img|link|iframe|source)\b[^>]*\b(?:src|href)=["']?(?:https?:)?//[^"'> ]*""")


def remote_sources(site: Path) -> list[str]:
    """Name what the pages of a folder would load from elsewhere; links that a reader follows are none of it."""
    pages = ((path, path.read_text(errors="replace")) for path in sorted(site.rglob("*.html")))
    return [f"{path.relative_to(site)}: {found[0]}" for path, text in pages for found in REMOTE.finditer(text)]


def main() -> int:
    """Build it, and return Sphinx's status: 1 if a link is broken or a page has a fault."""
    parser = argparse.ArgumentParser(prog="website", description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    output = parser.parse_args().output.resolve()
    source = output / "source"
    pages.stage(source)
    xml = api.read_headers(output / "doxygen")
    if missing := api.without_comment(xml):
        sys.exit("website: functions without a comment:\n  " + "\n  ".join(missing))
    api.write_pages(source / "api")
    pictures.draw(source)
    command = [
        *(sys.executable, "-m", "sphinx", "--builder", "html", "--conf-dir", str(HERE)),
        *("--fail-on-warning", "--keep-going", "--quiet", "--doctree-dir", str(output / "doctrees")),
        *("--define", f"breathe_projects.thalweg={xml}", "--define", f"html_extra_path={source / 'extra'}"),
        *(str(source), str(output / "html")),
    ]
    paths = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    status = subprocess.run(command, check=False, env=os.environ | {"PYTHONPATH": paths}).returncode
    if remote := remote_sources(output / "html"):
        sys.exit("website: what comes over the network:\n  " + "\n  ".join(remote))
    if status == 0:
        print(f"site: {output / 'html' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
