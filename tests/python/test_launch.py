# SPDX-License-Identifier: BSD-3-Clause
"""The commands that `thalweg run` builds: launchers, forms, and what the user gave already."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import Programs
from thalweg.errors import INSTALLATION, LAUNCHER, PROGRAM, SETTINGS, USAGE, ThalwegError
from thalweg.launch import plan as planning
from thalweg.launch.arguments import read_arguments
from thalweg.launch.cores import core_count
from thalweg.launch.execute import check_settings
from thalweg.launch.launchers import (
    FLUX,
    HYDRA,
    OPEN_RTE,
    PRRTE,
    SLURM,
    Kind,
    Launcher,
    recognize,
    with_variables,
    word_for,
)
from thalweg.launch.mpis import named_mpi
from thalweg.launch.plan import Plan, make_plan
from thalweg.libraries import interposer
from thalweg.programs.families import MPICH, OPENMPI, Family
from thalweg.settings.layers import default_tuning_file, effective_settings
from thalweg.settings.options import OPTIONS
from thalweg.settings.own_settings import own_settings
from thalweg.settings.variables import unknown_variables

KINDS = (OPEN_RTE, PRRTE, HYDRA, SLURM, FLUX)
VARIABLES = {"LD_PRELOAD": "/ours.so", "THALWEG_USE": "a=b;c=d:e=1,f=2", "THALWEG_SUMMARY": "1"}


@pytest.fixture(autouse=True)
def interposers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every interposer be there, under a name that is easy to compare."""
    monkeypatch.setattr(planning, "interposer", lambda family: f"/lib/{family.name}.so")


def launcher(kind: Kind) -> Launcher:
    return Launcher(kind, f"/bin/{kind.name}")


def plan_for(environment: dict[str, str], *words: str) -> Plan:
    arguments = read_arguments(words)
    return make_plan(arguments, effective_settings(arguments.flags, environment, "/nowhere"), environment)


REST = ("-np", "8", "--mca", "btl", "self", "./app", "arguments", ":", "-np", "1", "./other")


class TestHandingVariablesToRanks:
    @pytest.mark.parametrize(("kind", "own"), list(itertools.product(KINDS, ("", "/tool.so"))))
    def test_the_users_words_stay_and_his_preload_comes_first(self, kind: Kind, own: str) -> None:
        rest = ["run", *REST] if kind == FLUX else list(REST)
        command = with_variables(launcher(kind), rest, VARIABLES, {"LD_PRELOAD": own} if own else {})
        preload = f"{own}:/ours.so" if own else "/ours.so"
        open_mpi = ["-x", "THALWEG_USE", "-x", "THALWEG_SUMMARY", "-x", f"LD_PRELOAD={preload}"]
        slurm = [f"--export=ALL,LD_PRELOAD={preload}"]
        hydra = ["-genv", "THALWEG_USE", "a=b;c=d:e=1,f=2", "-genv", "THALWEG_SUMMARY", "1", "-genv", "LD_PRELOAD"]
        first, colon, second = REST[: REST.index(":")], [":"], REST[REST.index(":") + 1 :]
        expected = {
            "openrte": [*open_mpi, *first, *colon, *open_mpi, *second],
            "prrte": [*open_mpi, *first, *colon, *open_mpi, *second],
            "hydra": [*hydra, preload, *REST],
            "slurm": [*slurm, *first, *colon, *slurm, *second],
            "flux": ["run", f"--env=LD_PRELOAD={preload}", *REST],
        }
        assert command == expected[kind.name]

    @pytest.mark.parametrize("kind", [OPEN_RTE, PRRTE])
    def test_a_preload_given_to_open_mpi_is_kept_in_its_place(self, kind: Kind) -> None:
        command = with_variables(launcher(kind), ["-np", "2", "-x", "LD_PRELOAD=/tool.so", "./app"], VARIABLES, {})
        assert command[4:] == ["-np", "2", "-x", "LD_PRELOAD=/tool.so:/ours.so", "./app"]

    @pytest.mark.parametrize("option", ["-env", "-genv"])
    def test_a_preload_given_to_hydra_is_kept_in_its_place(self, option: str) -> None:
        rest = ["-n", "1", option, "LD_PRELOAD", "/tool.so", "./app"]
        command = with_variables(launcher(HYDRA), rest, {"LD_PRELOAD": "/ours.so"}, {})
        assert command == ["-n", "1", option, "LD_PRELOAD", "/tool.so:/ours.so", "./app"]

    @pytest.mark.parametrize(
        ("given_export", "expected"),
        [
            ("ALL", "ALL,LD_PRELOAD=/ours.so"),
            ("ALL,A=1", "ALL,A=1,LD_PRELOAD=/ours.so"),
            ("NONE", "THALWEG_USE,THALWEG_SUMMARY,LD_PRELOAD=/ours.so"),
            ("HOME,A=1", "HOME,A=1,THALWEG_USE,THALWEG_SUMMARY,LD_PRELOAD=/ours.so"),
            ("ALL,LD_PRELOAD=/tool.so", "ALL,LD_PRELOAD=/tool.so:/ours.so"),
        ],
    )
    def test_slurms_export_is_kept(self, given_export: str, expected: str) -> None:
        command = with_variables(launcher(SLURM), ["-n", "2", f"--export={given_export}", "./app"], VARIABLES, {})
        assert command == ["-n", "2", f"--export={expected}", "./app"]

    def test_slurms_export_may_be_two_words(self) -> None:
        command = with_variables(launcher(SLURM), ["--export", "A=1", "-n", "2", "./app"], {"LD_PRELOAD": "/o.so"}, {})
        assert command == ["--export=A=1,LD_PRELOAD=/o.so", "-n", "2", "./app"]

    @pytest.mark.parametrize(
        ("inherited", "expected"),
        [("NONE", "THALWEG_USE,THALWEG_SUMMARY,LD_PRELOAD=/ours.so"), ("ALL,A", "ALL,A,LD_PRELOAD=/ours.so")],
    )
    def test_slurms_export_of_the_batch_script_holds(self, inherited: str, expected: str) -> None:
        environment = {"SLURM_EXPORT_ENV": inherited}
        command = with_variables(launcher(SLURM), ["./app"], VARIABLES, environment)
        assert command == [f"--export={expected}", "./app"]
        own = with_variables(launcher(SLURM), ["--export=ALL", "./app"], VARIABLES, environment)
        assert own == ["--export=ALL,LD_PRELOAD=/ours.so", "./app"]

    @pytest.mark.parametrize("before", [[], ["-n", "2"], ["-l"], ["--mpi=pmix"], ["--epilog", "/bin/true", "-n", "2"]])
    def test_options_of_the_program_are_not_slurms(self, before: list[str]) -> None:
        words = [*before, "/bin/cat", "--export=x", "--export", "y"]
        command = with_variables(launcher(SLURM), words, {"LD_PRELOAD": "/o.so"}, {})
        assert command == ["--export=ALL,LD_PRELOAD=/o.so", *words]
        command = with_variables(launcher(SLURM), ["--export=A", *words], {"LD_PRELOAD": "/o.so"}, {})
        assert command == ["--export=A,LD_PRELOAD=/o.so", *words]

    def test_flux_needs_a_command_that_starts_programs(self) -> None:
        with pytest.raises(ThalwegError, match="flux starts programs with one of"):
            with_variables(launcher(FLUX), ["jobs"], VARIABLES, {})


class TestRecognizingLaunchers:
    @pytest.mark.parametrize(
        ("name", "version", "kind"),
        [
            ("mpirun", "mpirun (Open MPI) 5.0.11", PRRTE),
            ("mpirun", "mpirun (Open MPI) 4.1.4", OPEN_RTE),
            ("mpiexec", "mpiexec (OpenRTE) 4.1.4", OPEN_RTE),
            ("mpirun", "HYDRA build details:\n    Version: 5.0", HYDRA),
            ("mpiexec.custom", "HYDRA build details:", HYDRA),
            ("mpirun", "Intel(R) MPI Library for Linux* OS, Version 2021.18", HYDRA),
            ("prterun", "", PRRTE),
            ("orterun", "", OPEN_RTE),
            ("srun", "", SLURM),
            ("flux", "", FLUX),
        ],
    )
    def test_by_name_or_version(self, tmp_path: Path, name: str, version: str, kind: Kind) -> None:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\ncat <<'END'\n{version}\nEND\n")
        path.chmod(0o755)
        found = recognize(str(path), dict(os.environ))
        assert found == Launcher(kind, str(path))

    def test_debians_launchers(self) -> None:
        for name, kind in (("mpirun.openmpi", OPEN_RTE), ("mpirun.mpich", HYDRA)):
            found = recognize(name, dict(os.environ))
            assert found is not None
            assert found.kind == kind

    def test_programs_are_no_launchers(self, programs: Programs) -> None:
        for word in ("env", "ls", programs.mpich(), "no-such-program"):
            assert recognize(word, dict(os.environ)) is None

    def test_unknown_launchers_are_explained(self, tmp_path: Path) -> None:
        path = tmp_path / "mpirun"
        path.write_text("#!/bin/sh\necho something else\n")
        path.chmod(0o755)
        for word in (str(path), "jsrun", "aprun"):
            with pytest.raises(ThalwegError) as caught:
                recognize(word, dict(os.environ))
            assert caught.value.status == LAUNCHER
            assert f"{word} … thalweg run PROGRAM" in caught.value.remedy

    def test_a_missing_launcher_is_explained(self) -> None:
        with pytest.raises(ThalwegError, match="the launcher srun does not exist") as caught:
            recognize("srun", {"PATH": "/nowhere"})
        assert caught.value.status == LAUNCHER


class TestPlans:
    @pytest.mark.parametrize(("family", "name"), [(OPENMPI, "mpirun.openmpi"), (MPICH, "mpirun.mpich")])
    def test_the_launcher_of_the_programs_mpi_is_found(
        self, programs: Programs, environment: dict[str, str], family: Family, name: str
    ) -> None:
        plan = plan_for(environment, "-n", "1", "--", programs.of(family.name), "x")
        assert os.path.basename(plan.path) == name
        assert plan.command[-4:] == ("-n", "1", programs.of(family.name), "x")
        assert f"/lib/{family.name}.so" in " ".join(plan.command)
        assert plan.environment["THALWEG_SUMMARY"] == "1"
        assert "LD_PRELOAD" not in plan.environment

    # Open MPI's launcher, called by its whole path, would put its own folder in front of PATH.
    def test_the_users_path_stays_in_front(self, environment: dict[str, str], tmp_path: Path) -> None:
        own = tmp_path / "python3"
        own.write_text("#!/bin/sh\necho own\n")
        own.chmod(0o755)
        plan = plan_for(
            environment | {"PATH": f"{tmp_path}:{environment['PATH']}"}, "--mpi", "openmpi", "-n", "1", "python3"
        )
        assert plan.command[0] == "mpirun.openmpi"
        done = subprocess.run(
            plan.command,
            executable=plan.path,
            env=plan.environment | {"THALWEG_DISABLE": "1"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stdout == "own\n"

    def test_a_launcher_that_is_not_in_path_is_called_by_its_own(self) -> None:
        launcher = Launcher(OPEN_RTE, "/opt/mpi/bin/mpirun")
        assert word_for(launcher, {"PATH": "/usr/bin:/bin"}) == "/opt/mpi/bin/mpirun"

    def test_the_nearest_launcher_wins(self, programs: Programs, environment: dict[str, str], tmp_path: Path) -> None:
        library = tmp_path / "lib" / "libmpi.so.12"
        library.parent.mkdir()
        library.write_bytes((programs.library("libmpi.so.12") / "libmpi.so.12").read_bytes())
        near = tmp_path / "bin" / "mpiexec"
        near.parent.mkdir()
        near.write_text("#!/bin/sh\necho HYDRA build details\n")
        near.chmod(0o755)
        path = programs.linked("near", "libmpi.so.12", runpath=False)
        plan = plan_for(environment | {"LD_LIBRARY_PATH": str(library.parent)}, "-n", "3", path)
        assert plan.path == str(near)

    def test_open_mpi_is_told_of_more_ranks_than_cores(self, programs: Programs, environment: dict[str, str]) -> None:
        for ranks in (core_count(), core_count() + 1):
            plan = plan_for(environment, "-n", str(ranks), programs.openmpi())
            assert ("--oversubscribe" in plan.command) == (ranks > core_count())
        allocated = plan_for(environment | {"SLURM_JOB_ID": "1"}, "-n", "999", programs.openmpi())
        assert "--oversubscribe" not in allocated.command

    @pytest.mark.parametrize("elsewhere", ["", "SLURM_JOB_ID", "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"])
    def test_hydra_is_told_that_all_ranks_are_on_this_host(
        self, programs: Programs, environment: dict[str, str], elsewhere: str
    ) -> None:
        plan = plan_for(environment | ({elsewhere: "1"} if elsewhere else {}), "-n", "3", programs.mpich())
        assert ("-ppn" in plan.command) == (not elsewhere)

    @pytest.mark.parametrize("before", [{}, {"THALWEG_OWN_SETTINGS": "MPIR_CVAR_X"}])
    def test_what_thalweg_sets_for_open_mpi_is_marked_as_its_own(
        self, programs: Programs, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, before: dict[str, str]
    ) -> None:
        monkeypatch.setattr("thalweg.launch.absent_networks.variables", lambda *_: {"OMPI_MCA_mtl": "^psm2"})
        plan = plan_for(environment | before, "-n", "1", programs.openmpi())
        assert plan.environment["OMPI_MCA_mtl"] == "^psm2"
        assert own_settings(plan.environment) == [*own_settings(before), "OMPI_MCA_mtl"]

    @pytest.mark.parametrize("form", ["flag", "launcher", "in place"])
    def test_disabled_means_absent(self, programs: Programs, environment: dict[str, str], form: str) -> None:
        words = {"flag": ["-n", "1"], "launcher": ["mpirun.mpich", "-n", "1"], "in place": []}[form]
        plan = plan_for(environment, "--disable", *words, programs.mpich())
        assert "LD_PRELOAD" not in " ".join(plan.command)
        assert plan.environment == environment

    def test_a_launchers_command_stays_as_it_is(self, programs: Programs, environment: dict[str, str]) -> None:
        words = ["mpirun.mpich", "-np", "2", programs.mpich(), ":", "-np", "1", "env", programs.mpich()]
        plan = plan_for(environment, *words)
        assert plan.command == (
            words[0],
            *("-genv", "THALWEG_TUNING", default_tuning_file(environment)),
            *("-genv", "THALWEG_LEARN", "exact"),
            *("-genv", "THALWEG_SUMMARY", "1"),
            "-genv",
            "LD_PRELOAD",
            "/lib/mpich.so",
            *words[1:],
        )
        assert plan.remarks == ()

    @pytest.mark.parametrize("use", ["native", "direct", "direct+thread", "bruck:radix=4+thread"])
    def test_ranks_hear_of_choices_for_the_progress_thread(
        self, programs: Programs, environment: dict[str, str], tmp_path: Path, use: str
    ) -> None:
        tuning, empty = tmp_path / "tuning.toml", tmp_path / "empty.toml"
        tuning.write_text(f'use = "{use}"')
        empty.write_text("")
        for words in (["--tuning", str(tuning)], ["--tuning", str(empty), "--use", f"alltoall={use}"]):
            plan = plan_for(environment, *words, "-n", "2", programs.openmpi())
            assert ("THALWEG_THREADS_ON_HOSTS" in plan.environment) == use.endswith("+thread")

    @pytest.mark.parametrize("words", [["-n", "1"], ["mpirun.mpich", "-n", "1"], []])
    def test_a_named_mpi_overrules_what_cannot_be_found_out(
        self, environment: dict[str, str], tmp_path: Path, words: list[str]
    ) -> None:
        package = tmp_path / "mpi4py"
        package.mkdir()
        (package / "__init__.py").write_text("raise RuntimeError\n")
        variables = environment | {"PYTHONPATH": str(tmp_path)}
        with pytest.raises(ThalwegError, match="mpi4py"):
            plan_for(variables, *words, sys.executable, "a.py")
        plan = plan_for(variables, "--mpi", "mpich", *words, sys.executable, "a.py")
        assert "/lib/mpich.so" in " ".join(plan.command) + plan.environment.get("LD_PRELOAD", "")

    def test_programs_of_two_mpis_in_one_job_are_refused(self, programs: Programs, environment: dict[str, str]) -> None:
        with pytest.raises(ThalwegError, match="the programs of this job use different MPIs") as caught:
            plan_for(environment, "mpirun.mpich", "-n", "1", programs.mpich(), ":", "-n", "1", programs.openmpi())
        assert caught.value.status == PROGRAM
        with pytest.raises(ThalwegError, match="the programs of this job use different MPIs"):
            plan_for(environment, "-n", "1", programs.mpich(), ":", "-n", "1", programs.openmpi())

    def test_ranks_of_all_programs_count(self, programs: Programs, environment: dict[str, str]) -> None:
        """Open MPI refuses more ranks than cores unless it is told, and Hydra puts as many on this host."""
        many = str(core_count())
        words = ("-n", "1", programs.openmpi(), ":", "-np", many, programs.openmpi())
        assert "--oversubscribe" in plan_for(environment, *words).command
        plan = plan_for(
            environment, "-n", "2", programs.mpich(), ":", "-n", "3", programs.mpich(), ":", programs.mpich()
        )
        assert plan.command[plan.command.index("-ppn") :][:4] == ("-ppn", "6", "-n", "2")

    def test_ranks_beside_a_launcher_are_refused(self, programs: Programs, environment: dict[str, str]) -> None:
        with pytest.raises(ThalwegError, match="-n 4 beside a launcher, mpirun.mpich") as caught:
            plan_for(environment, "-n", "4", "mpirun.mpich", "-n", "2", programs.mpich())
        assert caught.value.status == USAGE
        assert "thalweg run mpirun.mpich -n 4" in caught.value.remedy

    def test_a_launcher_of_another_mpi_is_remarked(self, programs: Programs, environment: dict[str, str]) -> None:
        plan = plan_for(environment, "mpirun.mpich", "-n", "2", programs.openmpi())
        assert plan.remarks[0].endswith("every rank may start alone")

    def test_a_script_under_a_launcher_takes_the_launchers_mpi(
        self, programs: Programs, environment: dict[str, str]
    ) -> None:
        script = programs.script("job.sh", "#!/bin/sh\n./app\n")
        assert "/lib/mpich.so" in plan_for(environment, "mpirun.mpich", "-n", "2", script).command

    def test_a_script_alone_is_asked_about(self, programs: Programs, environment: dict[str, str]) -> None:
        script = programs.script("job.sh", "#!/bin/sh\n./app\n")
        for words in (["-n", "2", script], [script]):
            with pytest.raises(ThalwegError, match="is a script, and which MPI") as caught:
                plan_for(environment, *words)
            assert "--mpi openmpi" in caught.value.remedy
        assert "/lib/mpich.so" in " ".join(plan_for(environment, "--mpi", "mpich", "-n", "2", script).command)

    @pytest.mark.parametrize(
        ("variable", "family"), [("OMPI_COMM_WORLD_RANK", OPENMPI), ("PMI_RANK", MPICH), ("HYDI_CONTROL_FD", MPICH)]
    )
    def test_in_a_rank_a_script_takes_the_launchers_mpi(
        self, programs: Programs, environment: dict[str, str], variable: str, family: Family
    ) -> None:
        script = programs.script("job.sh", "#!/bin/sh\n./app\n")
        plan = plan_for(environment | {variable: "0"}, script, "x")
        assert plan.command == (script, "x")
        assert plan.environment["LD_PRELOAD"] == f"/lib/{family.name}.so"

    def test_in_place_the_users_preload_comes_first(self, programs: Programs, environment: dict[str, str]) -> None:
        plan = plan_for(environment | {"LD_PRELOAD": "/tool.so"}, "--use", "barrier=native", programs.mpich())
        assert plan.environment["LD_PRELOAD"] == "/tool.so:/lib/mpich.so"
        assert plan.environment["THALWEG_USE"] == "barrier=native"
        assert plan.path == programs.mpich()

    @pytest.mark.parametrize("words", [["-n", "2"], []])
    def test_a_program_without_mpi_is_refused(
        self, programs: Programs, environment: dict[str, str], words: list[str]
    ) -> None:
        with pytest.raises(ThalwegError, match="is no MPI program") as caught:
            plan_for(environment, *words, programs.plain())
        assert caught.value.status == PROGRAM
        assert "--mpi openmpi, mpich, mpiabi or a path" in caught.value.remedy

    def test_root_is_told_what_open_mpi_wants(
        self, programs: Programs, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        bare = {name: value for name, value in environment.items() if not name.startswith("OMPI_")}
        for words in (["-n", "2"], ["mpirun.openmpi", "-n", "2"]):
            with pytest.raises(ThalwegError, match="refuses to run as root") as caught:
                plan_for(bare, *words, programs.openmpi())
            assert "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" in caught.value.remedy
        plan_for(bare, "mpirun.openmpi", "--allow-run-as-root", "-n", "2", programs.openmpi())
        plan_for(bare, "-n", "2", programs.mpich())


class TestNamedMpi:
    def test_families_paths_and_launchers(
        self, programs: Programs, environment: dict[str, str], tmp_path: Path
    ) -> None:
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib" / "libmpi.so.40").touch()
        assert named_mpi("mpich", environment).family == MPICH
        assert named_mpi(str(tmp_path), environment).family == OPENMPI
        assert named_mpi(str(programs.library("libmpi.so.12") / "libmpi.so.12"), environment).family == MPICH
        assert named_mpi("mpirun.openmpi", environment).family == OPENMPI

    @pytest.mark.parametrize("name", ["lam", "/usr/share", "/nowhere/libmpi.so.12", sys.executable])
    def test_what_is_none_is_refused(self, environment: dict[str, str], name: str) -> None:
        with pytest.raises(ThalwegError, match="--mpi ") as caught:
            named_mpi(name, environment)
        assert caught.value.status == SETTINGS


@pytest.mark.parametrize(
    ("word", "remedy"), [("sbatch", "put thalweg run into the script"), ("salloc", "salloc … thalweg run -n 8")]
)
def test_commands_of_batch_systems_are_explained(
    programs: Programs, environment: dict[str, str], tmp_path: Path, word: str, remedy: str
) -> None:
    (tmp_path / word).symlink_to(programs.plain())
    path = f"{tmp_path}:{environment['PATH']}"
    with pytest.raises(ThalwegError) as caught:
        plan_for(environment | {"PATH": path}, word, "job.sh")
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("report", "message"),
    [("nowhere/x.json", "the folder .*nowhere does not exist"), (".", "is a folder")],
)
def test_a_report_that_cannot_be_written_is_refused_before_the_start(
    environment: dict[str, str], tmp_path: Path, report: str, message: str
) -> None:
    settings = effective_settings({"report": str(tmp_path / report)}, environment, "/nowhere")
    with pytest.raises(ThalwegError, match=message) as caught:
        check_settings(settings)
    assert caught.value.status == SETTINGS
    for written in ("/dev/null", str(tmp_path / "x.json")):
        check_settings(effective_settings({"report": written}, environment, "/nowhere"))


def test_unknown_variables_are_said() -> None:
    known = {option.variable: "1" for option in OPTIONS} | {"THALWEG_MACHINE": "m", "THALWEG_LAB": "l", "PATH": "p"}
    assert unknown_variables(known) == []
    assert unknown_variables(known | {"THALWEG_LERN": "off", "THALWEG_QQQQ": "1"}) == [
        "THALWEG_LERN is no variable of Thalweg's; did you mean THALWEG_LEARN?",
        "THALWEG_QQQQ is no variable of Thalweg's",
    ]


def test_a_missing_interposer_is_an_error_and_no_silent_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("thalweg.libraries.library_folders", lambda: [str(tmp_path)])
    with pytest.raises(
        ThalwegError, match="libthalweg-mpich.so, the interposer for MPICH or Intel MPI, is missing"
    ) as caught:
        interposer(MPICH)
    assert caught.value.status == INSTALLATION


def test_a_sanitizers_library_comes_before_the_users(programs: Programs, environment: dict[str, str]) -> None:
    path = programs.linked("sanitized", "libmpi.so.12", "libasan.so.8")
    first = str(programs.library("libasan.so.8") / "libasan.so.8")
    own = environment | {"LD_PRELOAD": "/own.so"}
    assert plan_for(own, path).environment["LD_PRELOAD"] == f"{first}:/own.so:/lib/mpich.so"
    launched = plan_for(own, "mpiexec.hydra", "-n", "2", path)
    assert f"{first}:/own.so:/lib/mpich.so" in launched.command
    assert launched.environment["LD_PRELOAD"] == "/own.so"  # the launcher's
    again = environment | {"LD_PRELOAD": first}
    assert plan_for(again, path).environment["LD_PRELOAD"] == f"{first}:/lib/mpich.so"
