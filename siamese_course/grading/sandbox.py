"""Start a submission's process where it can do no harm, and talk to it with a time limit.

``bubblewrap``: a process of its own with nothing but Python and a copy of the course to read, a small
folder in memory to write to, no network, no sight of other processes, and an unprivileged user; limits on
memory, processes, time and file size on top. ``limits``: these limits alone. They cannot keep a submission
from reading and writing what the instructor may read and write, nor from the network, and if the instructor
is root, Linux does not limit the number of processes: use it only with submissions you would run yourself.
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
ROOM = 256 << 20  # bytes of the folder that can be written to
COURSE = Path("/course")  # where a submission sees the copy of the course
FIRST_UID = 64_000  # of the users that submissions run as, where the grader runs as root
START_SECONDS, CALL_SECONDS = 120, 20


class Ended(BaseException):
    """The submission's process is no more; the message says why. Not for a check to catch."""


class Process:
    """A submission's process.

    Args:
        kind: ``bubblewrap`` or ``limits``.
        package: folder that holds the copy of ``siamese_course`` it may use.
        seconds: most that the answer to one message may take.

    Raises:
        CourseError: bubblewrap cannot be had here.
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
        # The kernel counts processes by user: each submission needs one of its own, or it would be held to
        # what those beside it and those just killed have started.
        uid = FIRST_UID + self.process.pid % 1000
        options = {"limits": LIMITS, "uid": uid if kind == "bubblewrap" else 0}
        self._send(options, [])
        self.receive(START_SECONDS)

    def ask(self, header: dict, blobs: list[bytes]) -> tuple[dict, list[bytes]]:
        """Send a message and wait for the answer.

        Raises:
            Ended: there was none, or none that can be read; the process is gone.
        """
        self._send(header, blobs)
        return self.receive(self.seconds)

    def _send(self, header, blobs) -> None:
        try:
            wire.write(self.process.stdin, header, blobs)
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self, seconds: float) -> tuple[dict, list[bytes]]:
        """Wait for a message; raises Ended as ``ask`` does."""
        until = time.monotonic() + seconds
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
            raise Ended(f"Your code did not come to an end within {seconds:g} seconds.") from None
        except EOFError:
            raise self._ended() from None
        except wire.WireError as error:
            self.close()
            raise Ended(f"Your code disturbed the grading ({error}).") from None

    def _ended(self) -> Ended:
        """What became of a process that hung up."""
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
        """End the process and all it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def bubblewrap(package: Path) -> list[str]:
    """The command that comes before the process's own.

    Raises:
        CourseError: bubblewrap is not installed, or may not be used here.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise CourseError(
            "bubblewrap, the sandbox that submissions are run in, is not installed. On Debian and Ubuntu: "
            "apt install bubblewrap. Without it `--sandbox limits` limits memory, processes and time, and keeps "
            "a submission neither from your files nor from the network."
        )
    command = [program, "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    if os.geteuid() == 0:  # the worker becomes nobody by itself, and has then lost these rights
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
    for path in python_folders():  # after /tmp, which would cover those in it
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
    """What Python needs to run."""
    folders = {
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(os.path.realpath(sys.executable)).parent.parent,
        Path(sysconfig.get_path("purelib")),
    }
    found = sorted({*folders, *map(Path.resolve, folders)})
    return [path for path in found if not path.is_relative_to("/usr")]


def _parents(path: Path) -> list[str]:
    """Make the folders above a path, for everybody to pass through."""
    options = []
    for parent in list(path.parents)[-2::-1]:
        options += ["--perms", "0755", "--dir", str(parent)]
    return options
