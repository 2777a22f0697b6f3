# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under a real Slurm: every way to start one, on nodes with unequal numbers of ranks."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from cluster import Cluster
from slurm_programs import HERE_SOURCE, PAIRS_SOURCE

from support import Programs

pytestmark = pytest.mark.xdist_group("slurm")

# Not Debian's MPICH 4.0.2 on several nodes: it hangs in MPI_Finalize now and then, natively too (docs/lab.md).
MPICH5 = Path(__file__).parents[3] / ".mpi" / "mpich5" / "bin" / "mpicc"
COMPILERS = {"openmpi": "mpicc.openmpi", "mpich5": str(MPICH5), "mpich4": "mpicc.mpich"}
PLUGINS = {"openmpi": "pmix", "mpich5": "pmi2", "mpich4": "pmi2"}
WAYS = ("in front of srun", "behind srun", "in an allocation")


def command(way: str, mpi: str, size: list[str], program: list[str], *options: str) -> list[str]:
    run, srun = ["thalweg", "run", *options], ["srun", f"--mpi={PLUGINS[mpi]}", *size]
    if way == "in front of srun":
        return [*run, *srun, *program]
    if way == "behind srun":
        return [*srun, *run, *program]
    return ["salloc", "--quiet", *size, *run, "-n", size[-1], *program]


def report(cluster: Cluster, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((cluster.shared / name).read_text())
    return document


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("mpi", "nodes"),
    [("openmpi", 2), ("mpich4", 1), pytest.param("mpich5", 2, marks=pytest.mark.exhaustive)],
)
def test_three_ranks_on_one_node_and_one_on_the_other(
    cluster: Cluster, programs: Programs, way: str, mpi: str, nodes: int
) -> None:
    # A short path: with a long one MPICH 5 and Slurm 22.05 take each other's addresses wrong, natively too.
    program = shutil.copy(programs.build(f"here_{mpi}", HERE_SOURCE, COMPILERS[mpi]), cluster.shared / mpi)
    size = ["-N", str(nodes), "-n", "4"]
    done = cluster.run(*command(way, mpi, size, [str(program)], "--report", "three.json"))
    assert done.status == 0, done.err
    hosts = [cluster.nodes[0]] * 3 + [cluster.nodes[nodes - 1]]
    assert sorted(done.out.splitlines()) == [f"rank {i} on {host}, sum 6, FLAVOR -" for i, host in enumerate(hosts)]
    seen = report(cluster, "three.json")
    assert [one["host"] for one in seen["ranks"]] == hosts
    assert (seen["nodes"], seen["ended_by"]) == (nodes, "MPI_Finalize")
    site = next(one for one in seen["calls"] if one["function"] == "MPI_Allreduce")
    assert site["calls"] == 40


@pytest.mark.parametrize(
    ("ranks", "options"), [(5, ["-n", "5", "--distribution=cyclic"]), (4, ["--ntasks-per-node=2"])]
)
def test_ranks_may_be_dealt_out_in_any_way(cluster: Cluster, here: str, ranks: int, options: list[str]) -> None:
    """Their hosts are theirs in the report, and strategies give the right sums."""
    run = ["thalweg", "run", "--use", "allreduce=ring", "--report", "dealt.json"]
    done = cluster.run(*run, "srun", "--mpi=pmix", "-N", "2", *options, here)
    assert done.status == 0, done.err
    said = sorted(re.findall(r"rank (\d+) on (\S+), sum (\d+),", done.out))
    hosts = [host for _, host, _ in said]
    assert {total for *_, total in said} == {str(sum(range(ranks)))}
    assert set(hosts) == set(cluster.nodes)
    assert hosts[0] != hosts[1] or "--distribution=cyclic" not in options
    seen = report(cluster, "dealt.json")
    assert [(one["rank"], one["host"]) for one in seen["ranks"]] == list(enumerate(hosts))
    (site,) = (one for one in seen["calls"] if one["function"] == "MPI_Allreduce")
    assert {one["strategy"] for one in site["ran_on"]} == {"ring"}


def test_a_batch_script_runs_both_ways(cluster: Cluster, here: str) -> None:
    job = cluster.submit(f"""#!/bin/sh
#SBATCH --nodes=2 --ntasks=4
thalweg run --report front.json srun --mpi=pmix {here}
srun --mpi=pmix thalweg run --report behind.json {here}
thalweg run --report mpirun.json -n 4 {here}
""")
    cluster.wait(job, "COMPLETED")
    assert cluster.output(job).count("sum 6") == 12
    for name in ("front.json", "behind.json", "mpirun.json"):
        assert [one["rank"] for one in report(cluster, name)["ranks"]] == [0, 1, 2, 3]


def test_parts_of_a_job_may_differ(cluster: Cluster, here: str) -> None:
    """Slurm gives each part nodes of its own, and the program its own options."""
    words = ["thalweg", "run", "--report", "parts.json", "srun", "--mpi=pmix", "-n", "1", here, "10", "--export=x", ":"]
    done = cluster.run(*words, "-n", "3", "--export=ALL,FLAVOR=sweet", here)
    assert done.status == 0, done.err
    first, second = cluster.nodes
    assert sorted(done.out.splitlines()) == [
        f"rank 0 on {first}, sum 6, FLAVOR -", *(f"rank {rank} on {second}, sum 6, FLAVOR sweet" for rank in (1, 2, 3))
    ]  # fmt: skip
    assert len(report(cluster, "parts.json")["ranks"]) == 4


def test_the_script_of_the_page_is_submitted_as_it_stands(cluster: Cluster, here: str) -> None:
    text = (Path(__file__).parents[3] / "docs" / "cluster.md").read_text()
    script, _ = re.findall(r"^```sh\n(#!.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shutil.copy(here, cluster.shared / "app")
    job = cluster.submit(script)
    cluster.wait(job, "COMPLETED")
    assert cluster.output(job).count("sum 6") == 4
    seen = report(cluster, f"run-{job}.json")
    assert [one["rank"] for one in seen["ranks"]] == [0, 1, 2, 3]
    assert {one["host"] for one in seen["ranks"]} == set(cluster.nodes)


@pytest.mark.parametrize(("size", "ranks"), [(["-N", "1", "-n", "3"], 3), (["-N", "2", "--ntasks-per-node=2"], 4)])
def test_an_allocation_has_the_librarys_own_algorithms(
    cluster: Cluster, here: str, size: list[str], ranks: int
) -> None:
    run = ["thalweg", "run", "--use", "allreduce=library:ring", "--report", "own.json", "-n", str(ranks), here]
    done = cluster.run("salloc", "--quiet", *size, *run)
    assert done.status == 0, done.err
    assert "takes no effect" not in done.err
    site = next(one for one in report(cluster, "own.json")["calls"] if one["function"] == "MPI_Allreduce")
    assert [one["strategy"] for one in site["ran_on"]] == ["native"]


def test_the_doctor_sees_the_cluster(cluster: Cluster) -> None:
    done = cluster.run("srun", "thalweg", "doctor", "--json")
    assert done.status == 0, done.out + done.err
    found = {one["subject"]: one for one in json.loads(done.out)["findings"]}
    assert "pmi2, pmix" in found["Slurm"]["text"]
    assert "none by default" in found["Slurm"]["text"]
    assert "--mpi=pmix (Open MPI)" in found["Slurm"]["remedy"]
    if cluster.limits_memory:
        assert "the control group grants 375 MiB" in found["memory"]["text"]


@pytest.mark.parametrize("export", ["ALL", "NONE"])
def test_ranks_have_the_environment_that_the_user_exports(cluster: Cluster, here: str, export: str) -> None:
    """They have the same with and without Thalweg, and Thalweg's variables either way."""
    options = ("", "--export=ALL", "--export NONE", "--export=FLAVOR=bitter")
    script = f"""#!/bin/sh
#SBATCH --ntasks=1
export FLAVOR=sweet PATH={cluster.variables["PATH"]} SLURM_CONF={cluster.variables["SLURM_CONF"]}
"""
    for place, option in enumerate(options):
        srun = f"srun {option} --mpi=pmix {here}"
        script += f"{srun}\nthalweg run --report {cluster.shared}/{export}{place}.json {srun}\n"
    job = cluster.submit(script, f"--export={export}")
    cluster.wait(job, "COMPLETED")
    flavors = re.findall("FLAVOR (.*)", cluster.output(job))
    assert flavors[::2] == ["-" if export == "NONE" else "sweet", "sweet", "-", "bitter"], cluster.output(job)
    assert flavors[1::2] == flavors[::2]
    assert len(list(cluster.shared.glob(f"{export}[0-9].json"))) == len(options)


def test_what_is_tuned_outside_fits_inside_and_the_other_way_round(cluster: Cluster, here: str) -> None:
    """A job's fingerprint, by which picks are found, does not depend on who started it."""
    assert cluster.run("thalweg", "run", "--report", "outside.json", "-n", "4", here).status == 0
    outside = report(cluster, "outside.json")["fingerprint"]
    for way in WAYS:
        done = cluster.run(*command(way, "openmpi", ["-N", "1", "-n", "4"], [here], "--report", "inside.json"))
        assert done.status == 0, done.err
        assert report(cluster, "inside.json")["fingerprint"] == outside, way


@pytest.mark.exhaustive
@pytest.mark.parametrize("inside", [False, True])
def test_a_real_search_is_used_on_the_other_side(cluster: Cluster, here: str, *, inside: bool) -> None:
    allocation = ["salloc", "--quiet", "-N", "1", "-n", "4"]
    search = ["thalweg", "tune", "-n", "4", "--ops", "allreduce", "--bytes", "8KiB", "--budget", "10s"]
    tuned = ["--tuning", f"tuned-{inside}.toml"]
    done = cluster.run(*(allocation if inside else []), *search, *tuned)
    assert done.status == 0, done.err
    words = [] if inside else allocation
    done = cluster.run(*words, "thalweg", "run", *tuned, "--report", "tuned.json", "-n", "4", here)
    assert done.status == 0, done.err
    seen = report(cluster, "tuned.json")
    assert "1 pick" in seen["tuning"], seen["tuning"]
    site = next(one for one in seen["calls"] if one["function"] == "MPI_Allreduce")
    assert all(one.get("passed_on_because", "best by the tuning file") == "best by the tuning file"
               for one in site["ran_on"])  # fmt: skip


def test_ranks_are_placed_on_the_nodes_of_the_job(cluster: Cluster, here: str) -> None:
    (cluster.shared / "slots").write_text("0 3 2 1\n")
    size = ["-N", "2", "-n", "4"]
    done = cluster.run(*command("in front of srun", "openmpi", size, [here], "--place", "slots"))
    assert done.status == 0, done.err
    first, second = cluster.nodes
    hosts = [first, second, first, first]
    assert sorted(line.split(",")[0] for line in done.out.splitlines()) == [
        f"rank {rank} on {host}" for rank, host in enumerate(hosts)
    ]


def test_what_one_job_records_the_next_one_uses(cluster: Cluster, here: str) -> None:
    """Hosts are found by their names in the list of all hosts, on whichever of them the job is."""
    options = ["--place", "auto", "--patterns", "patterns", "--node-list", "nodes"]
    lines = ["# ring", *(f"{name} {place}" for place, name in enumerate(cluster.hosts))]
    (cluster.shared / "nodes").write_text("\n".join(lines) + "\n")
    size = ["-N", "2", "-n", "4"]
    words = [command(way, "openmpi", size, [here, "500"], *options, "--report", "auto.json") for way in WAYS[:2]]
    said = []
    for one in words:
        done = cluster.run(*one)
        assert done.status == 0, done.err
        said.append(str(report(cluster, "auto.json")["placing"]))
    assert "no run of this program has been recorded" in said[0]
    assert "no run of this program has been recorded" not in said[1]
    assert not any("list of hosts" in one for one in said), said


def test_a_batch_job_is_placed_without_a_file(cluster: Cluster, programs: Programs) -> None:
    """The network between the nodes is the one that Slurm knows; the second run has its pairs on a node each."""
    program = programs.build("pairs", PAIRS_SOURCE, "mpicc.openmpi")
    run = "thalweg run --place auto --patterns pairs --report pairs-{}.json srun --mpi=pmix " + program
    explain = "thalweg tune explain $(ls pairs/*.pattern) > explained"
    job = cluster.submit("\n".join(["#!/bin/sh", run.format(1), run.format(2), explain, ""]), "-N", "3", "-n", "6")
    cluster.wait(job, "COMPLETED")
    first, second = (report(cluster, f"pairs-{number}.json")["placing"] for number in (1, 2))
    assert not first["adopted"]
    assert second["adopted"], cluster.output(job)
    assert second["network"].startswith("graph:")
    predicted = second["predicted"]
    assert predicted["placed"]["hops_per_byte"] <= 0.7 * predicted["as_started"]["hops_per_byte"], second
    said = (cluster.shared / "explained").read_text()
    assert "judged by whole runs" in said
    assert "on 3 nodes of graph:" in said
