# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster of this machine's own: the hosts of a lab, each with a slurmd of its own, and a login host.

All of its files are in one folder, and a system's Slurm is neither used nor seen: the cluster has its own key, its own
socket for credentials, its own configuration, and addresses in the lab. What ends it is a process that waits for the
end of the tests, however they end.
"""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from attempts import run_job
from locks import processors

from support import plain_environment
from thalweg.lab.agent import agent_of
from thalweg.lab.hosts import Lab, folder_of, saved

DAEMONS = ("slurmctld", "slurmd", "srun", "munged")
NODES = 3
CPUS = 4
"""Of each node, as far as Slurm knows: hosts share this machine's cores."""

MEMORY_MB = 1500
_PATIENCE_S = 120.0
_CGROUPS = Path("/sys/fs/cgroup")
_CONTROLLER = "memory"

_CONFIGURATION = """
ClusterName={name}
SlurmctldHost={login}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
TmpFS={folder}/tmp-%n
PlugStackConfig={folder}/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin={task}
TopologyPlugin=topology/tree
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0,bf_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=10
DefMemPerCPU={memory_of_cpu}
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# A node sees its own processes, and its own part of the tree of control groups, where another Slurm's would be.
_START_NODE = """
if [ -n "$2" ]; then
  mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir "$2" && mount -t cgroup -o memory cgroup "$2" &&
  mkdir -p "$2/$1" && mount --bind "$2/$1" "$2" || exit 1
fi
mount -t tmpfs tmpfs "$3" || exit 1
exec unshare --pid --fork --kill-child --mount-proc slurmd -D -N "$1"
"""

# The end of the tests closes the pipe that this reads.
_KEEPER = """
trap '' INT TERM HUP
read -r word
"$1" -m thalweg lab down --name "$2"
find "$3" -depth -mindepth 1 -type d -path "$3/$2-*" -exec rmdir {} + 2>/dev/null
rm -rf "$4"
"""


class Finished(NamedTuple):
    """How a command on the login host ended."""

    status: int
    out: str
    err: str


class Cluster:
    """Three nodes, two of them on one switch, and a login host.

    Of the name of `private` each has a folder of its own; `shared` is one that all of them see, as on most clusters.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Name the cluster's lab and its folder of files; nothing is started yet."""
        self.name = name
        self.folder = folder
        self.shared = folder / "shared"
        self.private = folder / "private"
        self._daemons: list[subprocess.Popen[bytes]] = []
        self.limits_memory = (_CGROUPS / _CONTROLLER / "memory.limit_in_bytes").exists()

    @property
    def hosts(self) -> list[str]:
        """Name all hosts; the first is for logging in."""
        return [f"{self.name}-h{index}" for index in range(NODES + 1)]

    @property
    def nodes(self) -> list[str]:
        """Name the hosts that jobs on two nodes get, as these are on one switch."""
        return self.hosts[1:3]

    @property
    def all_nodes(self) -> list[str]:
        """Name the hosts that run jobs."""
        return self.hosts[1:]

    @property
    def variables(self) -> dict[str, str]:
        """Give what a user's commands find in their environment: a home of its own, and the cluster's configuration."""
        home = str(self.shared)
        own = {"SLURM_CONF": f"{self.folder}/slurm.conf", "HOME": home, "XDG_CACHE_HOME": f"{home}/.cache"}
        own |= {"XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/.local/share"}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return plain_environment() | own | {"PATH": path}

    @contextmanager
    def up(self) -> Iterator[None]:
        """Start it, and end it and remove its folder, whichever way the tests end."""
        own = [self.folder / f"tmp-{node}" for node in self.all_nodes]
        for folder in (self.shared, self.private, self.folder / "state", *own):
            folder.mkdir(parents=True)
        keeper = subprocess.Popen(
            ["sh", "-c", _KEEPER, "keeper", sys.executable, self.name, str(_CGROUPS / _CONTROLLER), str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self._start()
            yield
        finally:
            keeper.communicate()
            for daemon in self._daemons:
                daemon.wait()
            assert not folder_of(self.name).exists()

    def run(
        self, *words: str, variables: Mapping[str, str] | None = None, timeout: float = 240, host: str = ""
    ) -> Finished:
        """Run a command on the login host, or on another, in the shared folder."""

        def start() -> Finished:
            done = subprocess.run(
                self.command(*words, host=host),
                env=self.variables | dict(variables or {}),
                capture_output=True,
                text=True,
                check=False,
                timeout=timeout,
            )
            return Finished(done.returncode, done.stdout, done.stderr)

        with processors():
            return run_job(start, lambda done: done.err)

    def command(self, *words: str, host: str = "") -> list[str]:
        """Write a command that runs on the login host, or on another, in the shared folder."""
        line = f"cd {shlex.quote(str(self.shared))} && exec {shlex.join(words)}"
        return [str(agent_of(folder_of(self.name))), host or self.hosts[0], line]

    def submit(self, script: str, *options: str) -> str:
        """Submit a script, and give the job's number."""
        path = self.shared / f"job-{len(list(self.shared.glob('job-*.sh')))}.sh"
        path.write_text(script)
        done = self.run("sbatch", "--parsable", *options, str(path))
        assert done.status == 0, done.err
        return done.out.strip()

    def state(self, job: str) -> str:
        """Give a job's state, as PENDING or COMPLETED."""
        return self.field(job, "JobState")

    def field(self, job: str, name: str) -> str:
        """Give one of the values that scontrol shows of a job."""
        shown = self.run("scontrol", "--oneliner", "show", "job", job)
        assert shown.status == 0, shown.err
        return dict(word.partition("=")[::2] for word in shown.out.split())[name]

    def wait(self, job: str, *states: str) -> str:
        """Wait until a job is in one of these states, and give the state; it is an error if the job ends otherwise."""
        end_s = time.monotonic() + _PATIENCE_S
        while (state := self.state(job)) not in states:
            is_going_on = state in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "REQUEUED")
            assert is_going_on, f"{state}: {self.output(job)}"
            assert time.monotonic() < end_s, f"job {job} is still {state}: {self.output(job)}"
            time.sleep(0.2)
        return state

    def output(self, job: str) -> str:
        """Give what a submitted job has printed."""
        path = self.shared / f"slurm-{job}.out"
        return path.read_text() if path.exists() else ""

    def logs(self) -> str:
        """Give what the daemons have written down."""
        return "\n".join(f"{path.name}:\n{path.read_text()}" for path in sorted(self.folder.glob("*.log")))

    def _start(self) -> None:
        words = ["lab", "up", "--name", self.name, "--hosts", str(len(self.hosts)), "--rate", "1gbit"]
        made = subprocess.run(
            [sys.executable, "-m", "thalweg", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        lab = saved(self.name)
        assert lab is not None
        self._write_files(lab)
        files = {
            name: self.folder / f"munge.{name}" for name in ("socket", "key-file", "pid-file", "log-file", "seed-file")
        }
        munged = [f"--{name}={path}" for name, path in files.items()]
        self._daemon("munged", self.hosts[0], "munged", "--force", "--foreground", *munged)
        self._daemon("slurmctld", self.hosts[0], "slurmctld", "-D")
        for node in self.all_nodes:
            groups = str(_CGROUPS / _CONTROLLER) if self.limits_memory else ""
            self._daemon(f"node-{node}", node, "sh", "-c", _START_NODE, "slurmd", node, groups, str(self.private))
        self._await_nodes()

    def _write_files(self, lab: Lab) -> None:
        key = self.folder / "munge.key-file"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        node = f"CPUs={CPUS} RealMemory={MEMORY_MB} State=UNKNOWN"
        addresses = [
            f"NodeName={name} NodeAddr={lab.address(1 + i)} Weight={1 + i // len(self.nodes)} {node}"
            for i, name in enumerate(self.all_nodes)
        ]  # jobs get the third node where two do not do
        text = _CONFIGURATION.format(
            name=self.name,
            login=self.hosts[0],
            address=lab.address(0),
            folder=self.folder,
            task="task/cgroup" if self.limits_memory else "task/none",
            memory_of_cpu=MEMORY_MB // CPUS,
            nodes="\n".join(addresses),
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "plugstack.conf").write_text("")
        (self.folder / "topology.conf").write_text(
            f"SwitchName=leaf0 Nodes={','.join(self.nodes)}\n"
            f"SwitchName=leaf1 Nodes={self.all_nodes[-1]}\n"
            "SwitchName=spine Switches=leaf[0-1]\n"
        )
        (self.folder / "cgroup.conf").write_text(
            "CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\nConstrainCores=no\nConstrainDevices=no\n"
        )

    def _daemon(self, name: str, host: str, *words: str) -> None:
        """Start what the keeper ends with the lab."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self._daemons.append(
                subprocess.Popen(
                    self.command(*words, host=host),
                    env=self.variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _await_nodes(self) -> None:
        end_s = time.monotonic() + _PATIENCE_S
        while True:
            done = self.run("sinfo", "--noheader", "--Node", "--format", "%T")
            if done.status == 0 and done.out.split() == ["idle"] * NODES:
                return
            assert time.monotonic() < end_s, f"{done.out}{done.err}{self.logs()}"
            time.sleep(0.2)
