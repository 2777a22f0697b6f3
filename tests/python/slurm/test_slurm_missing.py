# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on two nodes that end early, with a folder in common or not: all ranks are reported, or named as missing."""

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from cluster import Cluster
from timelines import Timeline

pytestmark = pytest.mark.xdist_group("slurm")

RANKS = 4
SRUN = "srun --kill-on-bad-exit=1 --mpi=pmix"


def ran(cluster: Cluster, *lines: str) -> str:
    """Run a script on both nodes to its end, and give what it has printed."""
    job = cluster.submit("\n".join(["#!/bin/sh", f"#SBATCH --nodes=2 --ntasks={RANKS}", *lines, "true", ""]))
    cluster.wait(job, "COMPLETED")
    return cluster.output(job)


def read(cluster: Cluster, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((cluster.shared / name).read_text())
    return document


def check_whole(cluster: Cluster, document: dict[str, Any]) -> None:
    """Every rank is there with its calls, and who did not wait for others is known."""
    first, second = cluster.nodes
    assert [one["host"] for one in document["ranks"]] == [first] * 3 + [second]
    assert (document["missing"], document["ranks_without_report"]) == ([], 0)
    sites = {one["function"]: one for one in document["calls"]}
    assert sites["MPI_Allreduce"]["calls"] == 50 * RANKS
    assert [one["rank"] for one in sites["MPI_Barrier"]["in_progress"]] == [0, 1, 2]


@pytest.mark.parametrize("how", ["killed", "aborts", "waits"])
def test_in_front_of_srun_all_ranks_are_reported(cluster: Cluster, ends: str, how: str) -> None:
    """Where no folder is shared, and where a node has not even the report's folder, a step of Slurm's brings parts.

    Ranks that wait are ended by a signal.
    """
    own = f"{cluster.private}/front-{how}"
    end = "until grep -q started slurm-$SLURM_JOB_ID.out; do sleep 0.1; done; scancel --signal=TERM $SLURM_JOB_ID"
    paths = [f"{own}/own"] if how == "waits" else [f"{own}/own", f"common-{how}"]
    said = ran(
        cluster,
        f"mkdir -p {own}",
        f"({end}) &" if how == "waits" else "",
        *(f"thalweg run --report {path}.json {SRUN} {ends} {how}; ls {path}*" for path in paths),
        f"cp {own}/own.json own-{how}.json",
    )
    for path in paths:
        check_whole(cluster, read(cluster, f"{Path(path).name.partition('-')[0]}-{how}.json"))
    assert said.count(f"outside of MPI when the job ended: rank 3 on {cluster.nodes[1]}") == len(paths)
    assert ".parts" not in said, said


def test_behind_srun_the_report_joins_what_ranks_have_left(cluster: Cluster, ends: str) -> None:
    own = f"{cluster.private}/behind.json"
    ran(
        cluster,
        *(f"{SRUN} thalweg run --report {path} {ends} killed" for path in ("behind.json", own)),
        f"thalweg report behind.json.parts && thalweg report {own}.parts",
        f"cp {own}.parts/run.json behind-own.json",
    )
    check_whole(cluster, read(cluster, "behind.json.parts/run.json"))
    check_whole(cluster, read(cluster, "behind-own.json"))


def test_ranks_that_cannot_be_had_are_named_and_join_later(cluster: Cluster, ends: str) -> None:
    """Slurm starts no steps in an allocation that is canceled; a later one on those nodes has them."""
    own = f"{cluster.private}/canceled.json"
    run = f"thalweg run --report {own} {SRUN} {ends} waits"
    job = cluster.submit(f"#!/bin/sh\n#SBATCH --nodes=2 --ntasks={RANKS}\nexec {run}\n")
    end_s = time.monotonic() + 120
    while "started" not in cluster.output(job):
        assert time.monotonic() < end_s, cluster.output(job)
        time.sleep(0.1)
    assert cluster.run("scancel", job).status == 0
    second = cluster.nodes[1]
    while f"{own} lacks rank 3 of {second}, counted in {own}.parts/{second}-" not in cluster.output(job):
        assert time.monotonic() < end_s, cluster.output(job)
        time.sleep(0.1)
    assert f"copy that into {own}.parts, and run: thalweg report {own}.parts" in cluster.output(job)
    show = f"import json; print(json.dumps(json.load(open({own!r}))['missing']))"
    said = ran(
        cluster,
        f"python3 -c {shlex.quote(show)}",
        f"thalweg report {own}.parts",
        f"cp {own}.parts/run.json canceled-later.json",
    )
    (missing,) = json.loads(said.splitlines()[0])
    assert (missing["host"], missing["ranks"], missing["count"]) == (second, "3", 1)
    assert f"{RANKS} of {RANKS} ranks on 2 of 2 nodes" in said
    check_whole(cluster, read(cluster, "canceled-later.json"))


def test_timelines_have_the_ranks_of_all_nodes(cluster: Cluster, ends: str) -> None:
    """In front of srun the command joins them, and behind it another one."""
    said = ran(
        cluster,
        f"thalweg run --timeline front-t.json {SRUN} {ends} killed",
        f"{SRUN} thalweg run --timeline behind-t.json {ends} killed",
        "thalweg timeline behind-t.json.parts -o behind-t.json",
        "ls -d front-t*",
    )
    for name in ("front-t.json", "behind-t.json"):
        found = Timeline(cluster.shared / name)
        assert sorted(found.rows.values()) == [f"rank {rank}" for rank in range(RANKS)]
        assert len(found.processes) == 2
        stuck = {one["row"] for one in found.slices("call", "collective") if "not ended" in one.get("args", {})}
        assert stuck == {"rank 0", "rank 1", "rank 2"}
        calls = [one for one in found.slices("collective") if one["name"].startswith("MPI_Allreduce")]
        assert len(calls) == 50 * RANKS
    assert "front-t.json.parts" not in said, said


def test_a_centers_logs_have_all_jobs(cluster: Cluster, here: str, ends: str) -> None:
    """Also jobs that run at once, and one that is killed; a folder that cannot be written costs a line."""
    logs = cluster.shared / "logs"
    script = "#!/bin/sh\n#SBATCH --nodes=1 --ntasks=2\nexport THALWEG_LOGS={}\n{}\necho status $?\n"
    launch = "thalweg run --no-summary srun --kill-on-bad-exit=1 --mpi=pmix"
    jobs = [
        cluster.submit(script.format(logs / "%Y", f"{launch} {here}")),
        cluster.submit(script.format(logs / "%Y", f"{launch} {ends} killed")),
        cluster.submit(script.format("/proc/none", f"{launch} {here}")),
    ]
    for job in jobs:
        cluster.wait(job, "COMPLETED")
    outputs = [cluster.output(job) for job in jobs]
    assert ["status 0" in output for output in outputs] == [True, False, True], outputs
    assert [output.count("thalweg: the job's log cannot be written in /proc/none") for output in outputs] == [0, 0, 1]
    documents = [json.loads(path.read_text()) for path in Path(logs).rglob("*.json")]
    assert sorted(one["job"]["id"] for one in documents) == sorted(jobs[:2])
    assert all((one["ranks"], one["ranks_seen"]) == (2, 2) for one in documents)
    shown = cluster.run("thalweg", "site", str(logs))
    assert shown.status == 0, shown.err
    assert shown.out.startswith("2 jobs, "), shown.out
    assert "1 job did not end by MPI_Finalize" in shown.out, shown.out
