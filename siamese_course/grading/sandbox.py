"""Start a submission's process in a sandbox, and exchange messages with it under a time limit.

``bubblewrap``: a process that can read only Python and a copy of the course, write only to a small folder in
memory, has no network, sees no other process and runs as an unprivileged user, with limits on memory,
processes, time and file size. ``limits``: these limits alone. They do not keep a submission from the
instructor's files or the network, and if the instructor is root, Linux does not limit the number of processes:
use it only for submissions that you would run yourself.
"""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from siamese_course.grading import wire
from siamese_course.runtime.errors import CourseError

KINDS = ("bubblewrap", "limits")
LIMITS = {
    "DATA": 4 << 30,  # bytes of memory
    "NPROC": 512,  # processes and threads; TensorFlow and JAX start dozens
    "CPU": 600,  # seconds
    "FSIZE": 64 << 20,  # bytes of a file
    "CORE": 0,
}
ROOM = 256 << 20  # bytes of the writable folder
COURSE = Path("/course")  # where a submission sees the copy of the course
FIRST_UID = 64_000  # of the users that submissions run as if the grader runs as root
START_SECONDS, CALL_SECONDS = 120, 20


class Ended(BaseException):
    """The submission's process has ended; the message says why. A BaseException, so that no check catches it."""


class Process:
    """A submission's process.

    Args:
        kind: ``bubblewrap`` or ``limits``.
        package: folder with the copy of ``siamese_course`` that it may use.
        seconds: time limit for the answer to one message.

    Raises:
        CourseError: bubblewrap is not available.
        Ended: it did not start.
    """

    def __init__(self, kind: str, package: Path, seconds: float = CALL_SECONDS):
        self.seconds = seconds
        command = [sys.executable, "-m", "siamese_course.grading.worker"]
        environment = {
            "HOME": "/tmp",
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(COURSE if kind == "bubblewrap" else package),
            "PYTHONDONTWRITEBYTECODE": "1",
            "KERAS_BACKEND": "tensorflow",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "MPLBACKEND": "agg",
            "SIAMESE_COURSE_BUDGET": "smoke",
            "SIAMESE_COURSE_DATA": "shipped",
        }
        if kind == "bubblewrap":
            command = [*bubblewrap(package), *command]
        elif kind != "limits":
            raise CourseError(f"The sandbox is {kind!r}, and must be one of {', '.join(KINDS)}.")
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/" if kind == "bubblewrap" else package,
            start_new_session=True,
        )
        # The kernel counts processes per user: each submission needs a user of its own, or the processes of
        # the others and of those just killed would count against it.
        uid = FIRST_UID + self.process.pid % 1000
        options = {"limits": LIMITS, "uid": uid if kind == "bubblewrap" else 0}
        self._send(options, [])
        self.receive(START_SECONDS)

    def ask(self, header: dict, blobs: list[bytes]) -> tuple[dict, list[bytes]]:
        """Send a message and wait for the answer.

        Raises:
            Ended: there was no answer, or an unreadable one; the process has been killed.
        """
        self._send(header, blobs)
        return self.receive(self.seconds)

    def _send(self, header: dict, blobs: list[bytes]) -> None:
        assert self.process.stdin
        try:
            wire.write(self.process.stdin, header, blobs)
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self, seconds: float) -> tuple[dict, list[bytes]]:
        """Wait for a message; raises Ended as ``ask`` does."""
        until = time.monotonic() + seconds
        assert self.process.stdout
        pipe = self.process.stdout.fileno()

        def take(count: int) -> bytes:
            data = bytearray()
            while len(data) < count:
                left = until - time.monotonic()
                if left <= 0 or not select.select([pipe], [], [], left)[0]:
                    raise TimeoutError
                part = os.read(pipe, min(count - len(data), 1 << 20))
                if not part:
                    raise EOFError
                data += part
            return bytes(data)

        try:
            return wire.read(take)
        except TimeoutError:
            self.close()
            raise Ended(f"Your code did not finish within {seconds:g} seconds.") from None
        except EOFError:
            raise self._ended() from None
        except wire.WireError as error:
            self.close()
            raise Ended(f"Your code interfered with the grading ({error}).") from None

    def _ended(self) -> Ended:
        """The error for a process that closed its pipe."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        self.close()
        return Ended(
            "Your code ended the process it ran in"
            + (f" (exit status {code})." if code is not None else ".")
            + " It may have run out of memory or time, crashed, or called `os._exit`."
        )

    def close(self) -> None:
        """End the process and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream:
                    stream.close()


def bubblewrap(package: Path) -> list[str]:
    """Return the command to put before the process's own.

    Raises:
        CourseError: bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise CourseError(
            "bubblewrap, the sandbox for submissions, is not available. On Debian and Ubuntu: "
            "apt install bubblewrap. Without it, `--sandbox limits` limits memory, processes and time, but does "
            "not protect your files or the network."
        )
    command = [program, "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    if os.geteuid() == 0:  # the worker drops these rights when it becomes an unprivileged user
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    command += ["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]
    command += ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            command += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            command += ["--ro-bind", str(path), str(path)]
    command += ["--size", str(ROOM), "--perms", "1777", "--tmpfs", "/tmp"]
    for path in python_folders():  # after /tmp, which would hide those in it
        command += [*_parents(path), "--ro-bind", str(path), str(path)]
    command += ["--ro-bind", str(package), str(COURSE)]
    command += [
        "--size",
        str(ROOM),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",
        "--remount-ro",
        "/dev",
    ]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp"]


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


def _parents(path: Path) -> list[str]:
    """Options that create the folders above a path, accessible to everybody."""
    options = []
    for parent in list(path.parents)[-2::-1]:
        options += ["--perms", "0755", "--dir", str(parent)]
    return options
