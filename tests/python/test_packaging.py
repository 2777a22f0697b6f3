# SPDX-License-Identifier: BSD-3-Clause
"""Recipes of package managers say what the project says: its version, what it needs, and files that exist."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CMAKE = (ROOT / "CMakeLists.txt").read_text()
CONDA = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
SPACK = ROOT / "packaging" / "spack" / "spack_repo" / "thalweg" / "packages"
EASYBUILD = sorted((ROOT / "packaging" / "easybuild").glob("*.eb"))
DEBIAN = ROOT / "debian"


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    assert match, pattern
    return match[1]


VERSION = found(r"^project\(Thalweg VERSION (\S+) ", CMAKE)
CMAKE_MIN = found(r"^cmake_minimum_required\(VERSION (\S+)\)", CMAKE)
PYTHON_MIN = PROJECT["project"]["requires-python"].removeprefix(">=")
NEEDED = [Requirement(text) for text in PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]]


def spack_calls(package: str, name: str) -> list[str]:
    """Give the first words of the calls of a directive in a package of Spack."""
    tree = ast.parse((SPACK / package / "package.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]
    return [ast.literal_eval(call.args[0]) for call in named]


def spack_range(specifier: SpecifierSet) -> str:
    """Write a range as Spack does, whose upper end is part of it and stands for all that begin so."""
    lower = next(one.version for one in specifier if one.operator == ">=")
    upper = next((one.version for one in specifier if one.operator == "<"), None)
    if upper is None:
        return f"{lower}:"
    *first, last = upper.split(".")
    highest = ".".join([*first, str(int(last) - 1)])
    return highest if highest == lower else f"{lower}:{highest}"


def easyconfig() -> dict[str, Any]:
    """Run the easyconfig as EasyBuild does, with the constant that it uses."""
    names: dict[str, Any] = {"SHLIB_EXT": "so"}
    exec(compile(EASYBUILD[0].read_text(), EASYBUILD[0].name, "exec"), names)
    return names


def control() -> list[dict[str, str]]:
    """Give the fields of each paragraph of debian/control."""
    text = re.sub(r"^#.*\n", "", (DEBIAN / "control").read_text(), flags=re.MULTILINE)
    paragraphs = [re.findall(r"^([\w-]+):((?:.*\n)(?: .*\n)*)", one + "\n", re.MULTILINE) for one in text.split("\n\n")]
    return [{name: value.strip() for name, value in fields} for fields in paragraphs]


def build_depends() -> dict[str, str]:
    items = [one.strip() for one in control()[0]["Build-Depends"].split(",") if one.strip()]
    return dict(re.findall(r"^(\S+)(?: \((.*)\))?$", item)[0] for item in items)


def test_all_have_the_projects_version() -> None:
    changelog = subprocess.run(
        ["dpkg-parsechangelog", "--file", DEBIAN / "changelog", "--show-field", "Version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert changelog.stdout.strip() == VERSION
    assert found(r'^  version: "(.*)"$', CONDA) == VERSION
    assert VERSION in spack_calls("thalweg", "version")
    config = easyconfig()
    toolchain = config["toolchain"]
    assert config["version"] == VERSION
    assert [path.name for path in EASYBUILD] == [f"Thalweg-{VERSION}-{toolchain['name']}-{toolchain['version']}.eb"]


@pytest.mark.parametrize("needed", NEEDED, ids=lambda needed: needed.name)
def test_all_need_of_python_what_the_project_needs(needed: Requirement) -> None:
    """Debian's packages are filled by pip from the wheel, which says itself what it needs."""
    assert f"py-{needed.name}@{spack_range(needed.specifier)}" in spack_calls("thalweg", "depends_on")
    entry = re.search(rf"^    - (?:if: .*\n      then: )?{needed.name} (\S+)$", CONDA, re.MULTILINE)
    assert entry
    assert SpecifierSet(entry[1]) == needed.specifier
    config = easyconfig()
    own = {name: version for name, version, *_ in [*config["exts_list"], *config["builddependencies"]]}
    # Python 3.12 reads TOML; the others are in bundles that are new enough by the toolchain's choice.
    bundled = {"jinja2", "numpy", "rich", "scipy", "tomli"}
    assert (needed.name in own) == (needed.name not in bundled)
    assert needed.name in bundled or needed.specifier.contains(own[needed.name])


def test_all_need_the_same_cmake_and_python() -> None:
    assert build_depends()["cmake"] == f">= {CMAKE_MIN}"
    assert build_depends()["python3-dev"] == f">= {PYTHON_MIN}"
    assert f"cmake@{CMAKE_MIN}:" in spack_calls("thalweg", "depends_on")
    assert f"python@{PYTHON_MIN}:" in spack_calls("thalweg", "depends_on")
    assert f"    - cmake >={CMAKE_MIN}\n" in CONDA
    assert f"    - python >={PYTHON_MIN}\n" in CONDA
    labs = tomllib.loads((ROOT / "labs" / "pyproject.toml").read_text())
    assert labs["project"]["requires-python"] == PROJECT["project"]["requires-python"]


def test_debian_builds_with_what_is_prepared() -> None:
    prepared = found(r'^packages="((?:.|\n)*?)"$', (ROOT / "scripts" / "prepare").read_text()).split()
    assert set(build_depends()) - set(prepared) == {"debhelper-compat"}


def test_debians_library_is_named_by_its_interface() -> None:
    major, minor, _ = VERSION.split(".")
    packages = [fields["Package"] for fields in control()[1:]]
    assert packages == ["thalweg", f"libthalweg0.{minor}" if major == "0" else f"libthalweg{major}", "libthalweg-dev"]
    assert all((DEBIAN / f"{package}.install").is_file() for package in packages)


def test_debian_has_the_license() -> None:
    ours = (ROOT / "LICENSE").read_text().split("\n\n", 2)[2]
    theirs = (DEBIAN / "copyright").read_text().split("License: BSD-3-Clause\n")[2]
    assert [word for word in theirs.split() if word != "."] == ours.split()


RECIPES = [DEBIAN / "rules", ROOT / "packaging" / "conda" / "build.sh", SPACK / "thalweg" / "package.py", *EASYBUILD]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_settings_and_files_that_recipes_name_exist(path: Path) -> None:
    text = path.read_text()
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"), *(ROOT / "src").glob("*/building.cmake")]
    known = set(re.findall(r"\bTHALWEG_\w+", "\n".join(file.read_text() for file in files)))
    known |= {f"{name}{flavor}" for name in ("THALWEG_MPICC_", "THALWEG_MPIRUN_") for flavor in ("openmpi", "mpich")}
    assert [name for name in re.findall(r"\bTHALWEG_\w*[A-Za-z]\b", text) if name not in known] == []
    assert [name for name in re.findall(r"\bscripts/[\w./-]+", text) if not (ROOT / name).exists()] == []


def test_spack_builds_the_clone_that_its_package_lies_in() -> None:
    package = SPACK / "thalweg" / "package.py"
    assert package.parents[int(found(r"parents\[(\d+)\]", package.read_text()))] == ROOT
    for folder in SPACK.iterdir():
        ast.parse((folder / "package.py").read_text())
