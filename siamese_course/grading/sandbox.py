"""Start a submission's processes in a sandbox, and exchange messages with them under limits.

``bubblewrap``: processes that can read only Python and a copy of the course, write only to a small folder in
memory, have no network, see no other process, make no namespace and run as an unprivileged user, with limits on
memory, processes, time and file size. ``limits``: these limits alone. They do not keep a submission from the
instructor's files or the network, and if the instructor is root, Linux does not limit the number of processes:
use it only for submissions that you would run yourself.

The first process in a sandbox loads the frameworks and never runs code of a submission. It is forked for each part
of the work, so each part starts clean, and soon.
"""

import errno
import itertools
import os
import platform
import select
import shutil
import socket
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psutil

from siamese_course.grading import wire
from siamese_course.runtime.errors import CourseError

KINDS = ("bubblewrap", "limits")
MEMORY = 4 << 30  # bytes of all processes of a submission together
LIMITS = {
    "DATA": MEMORY,  # bytes of one process
    "NPROC": 512,  # processes and threads; TensorFlow and JAX start dozens
    "CPU": 600,  # seconds
    "FSIZE": 64 << 20,  # bytes of a file
    "CORE": 0,
}
ROOM = 256 << 20  # bytes of the writable folder
COURSE = Path("/course")  # where a submission sees the copy of the course
FIRST_UID = 64_000  # of the users that submissions run as if the grader runs as root
START_SECONDS, CALL_SECONDS = 120, 20
WATCH_SECONDS = 0.2  # between two looks at the memory
ENVIRONMENT = {
    "HOME": "/tmp",
    "PATH": "/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "MPLBACKEND": "agg",
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",  # JAX reads it when it is loaded
    "SIAMESE_COURSE_BUDGET": "smoke",
    "SIAMESE_COURSE_DATA": "shipped",
}
REMEDY = (
    "Forbidden user namespaces are the usual cause: on Ubuntu 24.04, `sysctl -w "
    "kernel.apparmor_restrict_unprivileged_userns=0`; in a container, the options that docs/instructors.md shows, "
    "or its own container recipe."
)
BUSY = (
    "This machine may be out of memory or processes: close other programs, or grade fewer notebooks at once, such as "
    "with `--jobs 1`."
)
ELSEWHERE = "On Windows, use WSL 2; on macOS, the container recipe in docs/instructors.md."
LATE = "Your code did not finish within {}."
EXITED = "Your code ended the process it ran in{}. It may have run out of memory or time, crashed, or called `os._exit`."
_count = itertools.count()


class Ended(BaseException):
    """The submission's process has ended; the message says why. A BaseException, so that no check catches it."""


class OverLimit(Ended):
    """It reached a limit on time or memory, which may be due to the machine; the message names the limit only."""


class Exited(Ended):
    """The process ended by itself, without a limit being reached."""


class NotStarted(BaseException):
    """The sandbox did not start, which says nothing about the submission: no check catches it, either."""


class Limit(NamedTuple):
    """A time by ``time.monotonic``, and what to tell a submission that has not finished by then."""

    until: float
    name: str

    @classmethod
    def after(cls, seconds: float, what: str = "") -> "Limit":
        """Return the limit of what starts now."""
        return cls(time.monotonic() + seconds, f"{seconds:g} seconds{what}")


NO_LIMIT = Limit(float("inf"), "")


class Sandbox:
    """A sandbox for the processes of one submission; ``fresh`` starts one, and ends what ran before.

    Args:
        kind: ``bubblewrap`` or ``limits``.
        package: folder with the copy of ``siamese_course`` that they may use.
        imports: statements that are run in the first process, which loads Keras besides.

    Raises:
        CourseError: bubblewrap is not available, or does not start.
    """

    def __init__(self, kind: str, package: Path, imports: str = ""):
        _require_kind(kind)
        self.kind, self.package, self.imports = kind, package, imports
        self.process: subprocess.Popen | None = None

    def _start(self) -> None:
        confined = self.kind == "bubblewrap"
        self.control, theirs = socket.socketpair()
        environment = ENVIRONMENT | {k: v for k, v in os.environ.items() if k in BUS}
        with theirs, _confined(self.kind, self.package) as (before, filters):
            self.process = subprocess.Popen(
                [*memory_group(), *before, sys.executable, "-m", "siamese_course.grading.worker"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment | {"PYTHONPATH": str(COURSE if confined else self.package)},
                cwd="/" if confined else self.package,
                start_new_session=True,
                pass_fds=filters,
            )
        # The kernel counts processes per user: each submission needs a user of its own, or the processes of
        # the others and of those just killed would count against it.
        uid = FIRST_UID + (os.getpid() * 31 + next(_count)) % 1000
        options = {"limits": limits(self.kind), "uid": uid if confined else 0, "alone": confined}
        self.control.sendall(wire.dumped(options | {"imports": self.imports}))
        self._reply(START_SECONDS)

    def fresh(self) -> "Process":
        """Return a new process, in which nothing of the submission has run.

        Raises:
            NotStarted: there is none.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            for _ in range(2):  # once more if the submission has stopped or ended the first process
                with suppress(OSError, EOFError):
                    if self.process is None:
                        self._start()
                    socket.send_fds(self.control, [b"F"], [theirs.fileno()])
                    self._reply(10)
                    return Process(self, ours)
                self.close()
        remedy = REMEDY if self.kind == "bubblewrap" else BUSY
        raise NotStarted(f"The sandbox ({self.kind}) did not start. {remedy}")

    def end(self) -> int | None:
        """End the process and all that it started; return its exit status, if it is known."""
        if self.process is None:
            return None
        try:
            self.control.sendall(b"K")
            return self._reply(10)
        except (OSError, EOFError):
            self.close()
            return None

    def _reply(self, seconds: float) -> int:
        """Wait for a number from the first process."""
        self.control.settimeout(seconds)
        data = self.control.recv(4, socket.MSG_WAITALL)
        if len(data) < 4:
            raise EOFError
        return struct.unpack("<i", data)[0]

    def memory(self) -> int:
        """Return the bytes of memory that all processes in the sandbox use together."""
        return sum(map(_memory, _tree(self.process.pid))) if self.process else 0

    def close(self) -> None:
        """End all processes in the sandbox."""
        if self.process is None:
            return
        below = [] if self.kind == "bubblewrap" else _tree(self.process.pid)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        for pid in below:
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        self.process.kill()
        self.process.wait()
        self.control.close()
        self.process = None


class Process:
    """A process of a submission's own."""

    def __init__(self, sandbox: Sandbox, connection: socket.socket):
        self.sandbox, self.connection = sandbox, connection
        self.connection.setblocking(False)
        self.received = 0  # bytes
        self.watched = time.monotonic()

    def ask(self, header: dict, blobs: Sequence[bytes], limit: Limit) -> tuple[dict, list[bytes]]:
        """Send a message and wait for the answer.

        Raises:
            Ended: there was no answer, or an unreadable one; the process has been killed.
        """
        try:
            view = memoryview(wire.dumped(header, blobs))
            while view:
                self._wait([], [self.connection], limit.until)
                view = view[self.connection.send(view) :]
            return wire.read(lambda count: self._take(count, limit.until))
        except TimeoutError:
            self.close()
            raise OverLimit(LATE.format(limit.name)) from None
        except (EOFError, ConnectionError):
            time.sleep(0.2)  # a process that exits closes its connection before its status is known
            code = self.close()
            status = "" if code is None else f" (exit status {code})"
            raise Exited(EXITED.format(status)) from None
        except wire.WireError as error:
            self.close()
            raise Ended(f"Your code interfered with the grading ({error}).") from None

    def _take(self, count: int, until: float) -> bytes:
        data = bytearray()
        while len(data) < count:
            self._wait([self.connection], [], until)
            part = self.connection.recv(min(count - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        self.received += count
        return bytes(data)

    def _wait(self, reading: list, writing: list, until: float) -> None:
        """Wait until the connection is ready, and watch the memory, however busy the connection is."""
        while (left := until - time.monotonic()) > 0:
            if time.monotonic() - self.watched >= WATCH_SECONDS:
                if self.sandbox.memory() > MEMORY:
                    self.close()
                    raise OverLimit(f"Your code used more than {MEMORY >> 30} GiB of memory.")
                self.watched = time.monotonic()
            if any(select.select(reading, writing, [], min(left, WATCH_SECONDS))):
                return
        raise TimeoutError

    def close(self) -> int | None:
        """End the process and all that it started; return its exit status, if it is known."""
        self.connection.close()
        return self.sandbox.end()


def _require_kind(kind: str) -> None:
    if kind not in KINDS:
        raise CourseError(f"The sandbox is {kind!r}; expected one of {', '.join(KINDS)}.")
    if platform.system() != "Linux":
        raise CourseError(f"Submissions can be graded only on Linux. {ELSEWHERE}")


def limits(kind: str) -> dict[str, int]:
    """Return the limits of a sandbox's processes.

    Linux counts the processes of a user, not of a sandbox. A sandbox without a user of its own gets the limit on top of
    what this user already runs, or no limit where that can't be counted.
    """
    if kind == "bubblewrap":
        return LIMITS
    others = _threads()
    if others is None:
        return {name: limit for name, limit in LIMITS.items() if name != "NPROC"}
    return LIMITS | {"NPROC": LIMITS["NPROC"] + others}


def _threads() -> int | None:
    """How many threads the processes of this user have, or None if that cannot be seen."""
    try:
        found = [each.info for each in psutil.process_iter(["uids", "num_threads"])]
    except (OSError, psutil.Error):
        return None
    own = [
        each["num_threads"] for each in found if each["uids"] and each["uids"].real == os.getuid()
    ]
    return None if None in own else sum(own)


def _tree(pid: int) -> list[int]:
    """A process and all below it."""
    with suppress(psutil.NoSuchProcess):  # it has just ended
        return [pid, *(each.pid for each in psutil.Process(pid).children(recursive=True))]
    return [pid]


def _memory(pid: int) -> int:
    """The bytes of memory that a process does not share with files."""
    with suppress(OSError):  # it has just ended
        lines = Path("/proc", str(pid), "status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        used = (fields.get(name, "0").split()[0] for name in ("RssAnon", "RssShmem"))
        return sum(map(int, used)) << 10
    return 0


# What systemd-run needs to find the user's service manager
BUS = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")


@cache
def memory_group() -> tuple[str, ...]:
    """Return the command that puts a process into a control group with limited memory, if systemd offers one."""
    program = shutil.which("systemd-run")
    if program is None:
        return ()
    whose = () if os.geteuid() == 0 else ("--user",)
    command = (program, *whose, "--scope", "--quiet", "--collect")
    command += ("-p", f"MemoryMax={MEMORY}", "-p", "MemorySwapMax=0", "--")
    with suppress(subprocess.TimeoutExpired):
        if subprocess.run([*command, "true"], capture_output=True, timeout=10).returncode == 0:
            return command
    return ()


# Numbers of system calls: clone, clone3, unshare, setns, memfd_create, shmget, ptrace
CALLS = {
    "x86_64": (0xC000003E, (56, 435, 272, 308, 319, 29, 101)),
    "aarch64": (0xC00000B7, (220, 435, 97, 268, 279, 194, 117)),
}
NEW_USER = 0x10000000


@cache
def seccomp_filter() -> bytes:
    """Return a filter of system calls: no user namespaces, no tracing, no memory outside of processes.

    A new user namespace would have a /tmp of its own, and files and segments in memory would not be counted.
    Empty on processors other than x86_64 and aarch64.
    """
    if platform.machine() not in CALLS:
        return b""
    architecture, (clone, clone3, unshare, setns, memfd, segment, trace) = CALLS[platform.machine()]
    load, equal, at_least, has, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allowed = (answer, 0, 0, 0x7FFF0000)
    refused, absent = ((answer, 0, 0, 0x50000 | number) for number in (errno.EPERM, errno.ENOSYS))
    # Each step is (operation, steps to skip if true, if false, operand)
    steps = [(load, 0, 0, 4), (equal, 1, 0, architecture), refused, (load, 0, 0, 0)]
    if platform.machine() == "x86_64":  # the same calls with other numbers
        steps += [(at_least, 0, 1, 0x40000000), refused]
    for number in (clone3, memfd, segment):
        steps += [(equal, 0, 1, number), absent]
    for number in (setns, trace):
        steps += [(equal, 0, 1, number), refused]
    for number in (clone, unshare):
        steps += [(equal, 0, 4, number), (load, 0, 0, 16), (has, 0, 1, NEW_USER), refused, allowed]
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, allowed])


@contextmanager
def _confined(kind: str, package: Path) -> Iterator[tuple[list[str], list[int]]]:
    """Yield the command that confines a process, and the file descriptors that it needs."""
    if kind != "bubblewrap" or not seccomp_filter():
        yield bubblewrap(package) if kind == "bubblewrap" else [], []
        return
    ours, theirs = os.pipe()
    os.write(theirs, seccomp_filter())
    os.close(theirs)
    try:
        yield [*bubblewrap(package, "--seccomp", str(ours))], [ours]
    finally:
        os.close(ours)


def trial(kind: str, package: Path) -> None:
    """Start a sandbox once, before a class is graded.

    Raises:
        CourseError: it does not start.
    """
    _require_kind(kind)
    if kind != "bubblewrap":
        return
    with _confined(kind, package) as (before, filters):
        command = [*memory_group(), *before, sys.executable, "-c", "import socket"]
        options: dict = {"capture_output": True, "text": True, "timeout": START_SECONDS}
        try:
            done = subprocess.run(command, pass_fds=filters, **options)
        except (OSError, subprocess.TimeoutExpired) as error:
            reason = str(error)
        else:
            if done.returncode == 0:
                return
            *_, reason = done.stderr.strip().splitlines() or ["no reason"]
    raise CourseError(
        f"bubblewrap, the sandbox for submissions, does not start ({reason}). {REMEDY}"
    )


def bubblewrap(package: Path, *options: str) -> list[str]:
    """Return the command to put before the process's own.

    Args:
        package: folder with the copy of the course.
        options: more options of bubblewrap.

    Raises:
        CourseError: bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise CourseError(
            "bubblewrap, the sandbox for submissions, is not available. On Debian and Ubuntu: "
            f"apt install bubblewrap. {ELSEWHERE} Without it, `--sandbox limits` limits memory, processes "
            "and time, but does not protect your files or the network."
        )
    command = [program, "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    if os.geteuid() == 0:  # the worker drops these rights when it becomes an unprivileged user
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    command += [*options, "--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]
    for system in ("/usr", "/bin", "/lib", "/lib32", "/lib64"):
        command += ["--ro-bind-try", system, system]
    writable = ["--size", str(ROOM), "--perms", "1777", "--tmpfs"]
    command += [*writable, "/tmp", *writable, "/dev/shm", "--remount-ro", "/dev"]
    for path in python_folders():  # after /tmp, which would hide those in it
        for parent in list(path.parents)[-2::-1]:  # accessible to everybody
            command += ["--perms", "0755", "--dir", str(parent)]
        command += ["--ro-bind", str(path), str(path)]
    for path in installed_courses():
        command += ["--tmpfs", str(path), "--remount-ro", str(path)]
    command += ["--ro-bind", str(package), str(COURSE)]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp"]


def installed_courses() -> list[Path]:
    """Return the folders that a sandbox could read the course's answers from, where it is installed from a wheel."""
    site = Path(sysconfig.get_path("purelib"))
    found = {site / "siamese_course", site.resolve() / "siamese_course"}
    for folder in [*python_folders(), Path("/usr"), Path("/usr/local")]:
        found.update(folder.glob("lib/python*/*-packages/siamese_course"))
    return sorted(folder for folder in found if folder.is_dir())


def python_folders() -> list[Path]:
    """Return the folders that Python needs to run."""
    folders = {
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(os.path.realpath(sys.executable)).parent.parent,
        Path(sysconfig.get_path("purelib")),
    }
    found = sorted({*folders, *map(Path.resolve, folders)})
    return [path for path in found if not path.is_relative_to("/usr")]
