"""A real Slurm for tests: munged, slurmctld and two slurmd (nodes d1 and d2 of this machine) on loopback, in a folder of their own.

    with SlurmCluster() as cluster:
        job = cluster.submit("--array=0-5", "--wrap=srun hostname")
        cluster.wait_ended(job)

The daemons are Debian's (packages slurm-wlm and munge) and run as root, with their own key, sockets and free ports, so that they meet
neither each other nor a Slurm that the machine may have. Every delay that Slurm lets us choose is short: a node whose slurmd is killed
is noticed after about fifteen seconds and its jobs start again six seconds later.

However the test ends, nothing is left behind: a guard process waits for the end of this process (a pipe closes) and then kills every
process that carries the folder's name in its environment, which daemons hand on to all that they start.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest

NODES = ("d1", "d2")
MARK = "ALPS_SLURM_CLUSTER"  # in the environment of each daemon, and so of each job
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")  # states of jobs that will not run again
PACKAGES = "apt-get install slurm-wlm munge"

CONFIGURATION = """
ClusterName=alps
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# cred_expire is also how long a requeued job waits before it may start again (120 s by default, 5 at least)
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmctldDebug=verbose
SlurmdDebug=verbose
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
# nodes have the processors that they claim, whatever the machine has
SlurmdParameters=config_overrides
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=2
# a node that comes back is used again, whatever the reason it was down for
ReturnToService=2
SlurmdTimeout=6
SlurmctldTimeout=6
BatchStartTimeout=10
KillWait=3
CompleteWait=0
MessageTimeout=5
EpilogMsgTime=1
InactiveLimit=0
JobRequeue=1
MaxArraySize=1001
# a finished job is forgotten by squeue and scontrol after this many seconds
MinJobAge=300
NodeName=d1 NodeHostname={host} NodeAddr=127.0.0.1 Port={d1} CPUs={cpus} RealMemory=16000
NodeName=d2 NodeHostname={host} NodeAddr=127.0.0.1 Port={d2} CPUs={cpus} RealMemory=16000
PartitionName=lab Nodes=d1,d2 Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """ports that nobody listens on now; all are held until the last is known, so that they differ"""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def find(program):
    """Debian puts daemons where only root looks"""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def why_not():
    """one sentence that says why no Slurm can run here, or nothing"""
    missing = [each for each in ("munged", "slurmctld", "slurmd", "sbatch", "srun") if not find(each)]
    if missing:
        return f"these tests need a real Slurm, and there is no {', '.join(missing)}; as root, run: {PACKAGES}"
    if os.geteuid() != 0:
        return "these tests start Slurm's daemons, which needs root"
    return ""


def read_of(pid, file):
    try:
        return pathlib.Path("/proc", str(pid), file).read_bytes()
    except OSError:
        return b""  # it ended meanwhile


def environment_of(pid):
    return read_of(pid, "environ").split(b"\0")


def name_of(pid):
    return read_of(pid, "comm").decode().strip()


def parent_of(pid):
    fields = read_of(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def processes_of(folder):
    """ids of all processes that carry the mark of this folder in their environment"""
    mark = f"{MARK}={folder}".encode()
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and mark in environment_of(entry)]


def kill_all_of(folder):
    """returns when no process of the cluster lives any more; more than one round, because they may start others meanwhile"""
    deadline = time.monotonic() + 20
    while (alive := processes_of(folder)) and time.monotonic() < deadline:
        for pid in alive:
            kill(pid)
        time.sleep(0.05)


class SlurmCluster:
    def __init__(self, cpus=2):
        """cpus: of each node; Slurm does not look at what the machine has"""
        self.cpus = cpus
        self.daemons = {}

    def __enter__(self):
        reason = why_not()
        if reason:
            raise RuntimeError(reason)
        # short, because paths of Unix sockets are
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.conf = self.folder / "slurm.conf"
        self.environment = {**{k: v for k, v in os.environ.items() if not k.startswith("SLURM")},
                            "SLURM_CONF": str(self.conf), MARK: str(self.folder)}
        self._start_guard()
        try:
            self._configure()
            self._start_daemons()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.guard.stdin.close()
        self.guard.wait()
        for daemon in self.daemons.values():
            daemon.wait()  # no zombies

    def _start_guard(self):
        """a process of a session of its own, so that Ctrl-C does not reach it; it ends the cluster when our end of the pipe closes"""
        self.guard = subprocess.Popen([sys.executable, __file__, str(self.folder)], stdin=subprocess.PIPE, start_new_session=True)

    def _configure(self):
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (self.folder / name).mkdir()
        ports = dict(zip(("controller", *NODES), free_ports(1 + len(NODES))))
        host = socket.gethostname().split(".")[0]
        self.conf.write_text(CONFIGURATION.format(folder=self.folder, host=host, cpus=self.cpus, **ports))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)

    def _start_daemons(self):
        munge = {"socket": "socket", "key-file": "key", "pid-file": "pid", "seed-file": "seed", "log-file": "log"}
        self._start("munged", "--foreground", "--force", "--num-threads=2", *(f"--{k}={self.folder}/munge.{v}" for k, v in munge.items()))
        self._wait(lambda: (self.folder / "munge.socket").exists(), "munged to listen")
        self._start("slurmctld", "-D", "-f", self.conf)
        for node in NODES:
            self.start_node(node)
        self.wait_nodes({node: "idle" for node in NODES})

    def _start(self, program, *arguments, name=""):
        log = open(self.folder / f"{name or program}.out", "a")
        self.daemons[name or program] = subprocess.Popen(
            [find(program), *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            cwd=self.folder, start_new_session=True)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def start_node(self, node):
        self._start("slurmd", "-D", "-f", self.conf, "-N", node, name=node)

    def kill_node_daemon(self, node):
        """kill -9 of a node's slurmd alone: slurmstepd and the jobs' processes live on"""
        self.daemons[node].kill()
        self.daemons[node].wait()

    def crash_node(self, node):
        """as when the power fails: the node's slurmd and all that runs under it end at once, and nobody reports anything"""
        self.kill_node_daemon(node)
        while jobs := self.job_processes(node):
            # slurmstepd first, or it would tell the controller how its job ended
            for pid in sorted(jobs, key=lambda pid: name_of(pid) != "slurmstepd"):
                kill(pid)
            time.sleep(0.02)

    def job_processes(self, node):
        """ids of slurmstepd and of the jobs' processes on a node"""
        mark = f"SLURMD_NODENAME={node}".encode()
        jobs = {pid for pid in processes_of(self.folder) if mark in environment_of(pid)}
        parents = {parent_of(pid) for pid in jobs}
        return jobs | {pid for pid in parents if name_of(pid) == "slurmstepd"}

    def node_states(self):
        lines = self.run("sinfo", "-N", "-h", "-o", "%N %t").split("\n")
        return dict(line.split() for line in lines if line)

    def wait_nodes(self, states, seconds=40):
        """states: node -> the short state that sinfo shows, such as idle, alloc, down (a trailing * means not responding)"""
        self._wait(lambda: all(self.node_states().get(node) == state for node, state in states.items()), f"nodes to be {states}", seconds)

    # --- jobs --------------------------------------------------------------------------------------------------------

    def run(self, *command):
        """the words of one of Slurm's commands; raises what it says when it fails"""
        done = subprocess.run(list(map(str, command)), env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return done.stdout

    def submit(self, *arguments):
        return int(self.run("sbatch", "--parsable", *arguments).split(";")[0])

    def jobs(self):
        """id (of an array's element: ARRAY_INDEX) -> state, of all jobs that Slurm still remembers"""
        lines = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%i %T").split("\n")
        return dict(line.split() for line in lines if line)

    def job(self, job):
        """what `scontrol show job` tells about one job, as a dict"""
        words = self.run("scontrol", "-o", "show", "job", job).split("\n")[0].split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_jobs(self, condition, what, seconds=60):
        """condition: of what jobs() returns"""
        self._wait(lambda: condition(self.jobs()), what, seconds)

    def wait_ended(self, *jobs, seconds=90):
        """until no element of these jobs waits or runs"""
        def ended(states):
            mine = [state for job, state in states.items() if int(job.split("_")[0]) in jobs]
            return all(state in ENDED for state in mine)
        self.wait_jobs(ended, f"jobs {jobs} to end", seconds)

    def _wait(self, condition, what, seconds=20):
        deadline = time.monotonic() + seconds
        while True:
            for name, daemon in self.daemons.items():
                if daemon.poll() not in (None, -signal.SIGKILL):
                    raise RuntimeError(f"{name} ended with {daemon.returncode}:\n{self.words(name)}")
            try:
                if condition():
                    return
            except RuntimeError:  # slurmctld does not answer yet
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds} s for {what}; jobs and nodes now:\n{self.picture()}\n{self.words('slurmctld')}")
            time.sleep(0.2)

    def picture(self):
        """squeue and sinfo, for messages"""
        shown = []
        for command in (["squeue", "-r", "-t", "all"], ["sinfo", "-N", "-l"]):
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
            shown.append(done.stdout + done.stderr)
        return "".join(shown)

    def words(self, name):
        """the last lines of a daemon's logs"""
        logs = [self.folder / f"{name}.{kind}" for kind in ("out", "log")]
        return "".join(log.read_text(errors="replace")[-3000:] for log in logs if log.exists())


@pytest.fixture(scope="module")
def slurm():
    """one for the tests of a file, which import it; where it cannot run, they fail and say why"""
    with SlurmCluster(cpus=3) as cluster:
        yield cluster


def guard(folder):
    """waits until the process that started us ends or lets go, then ends the cluster and removes its folder"""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdin.read()
    kill_all_of(folder)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    guard(sys.argv[1])
