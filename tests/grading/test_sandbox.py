"""Submissions that would do harm: each is held, the next exercise is graded, and the report says what happened."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from siamese_course.grading import cells, package, reading, sandbox, session, wire, worker
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError

NAME = NAMES[0]
HAVE_BUBBLEWRAP = shutil.which("bwrap") is not None
# The time limit of a call: what never ends reaches it, what must reach another limit needs longer
SHORT, LONG = 10, 60
RIGHT = """
def contrastive_loss(same, embeddings, margin=5.0):
    same = ops.cast(same, "float32")
    squared = ops.sum(ops.square(embeddings[:, 0] - embeddings[:, 1]), axis=-1)
    away = ops.square(ops.maximum(0.0, margin - ops.sqrt(squared + 1e-6)))
    return ops.mean(same * squared + (1 - same) * away) / 2
"""


def evil(body: str) -> str:
    """An answer whose function does this."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"import os, sys\n\ndef euclidean_distance(left, right):\n{lines}\n"


# name: (what the answer does, the message). {place} is a folder of the instructor's, {port} a server.
HELD_EVERYWHERE = {
    "infinite loop": ("while True:\n    pass", "did not finish within"),
    "infinite loop in a cell": (None, "did not finish within"),
    "memory hog": (
        "kept = []\nwhile True:\n    kept.append(bytearray(1 << 28))",
        ("MemoryError", "more than 4 GiB"),
    ),
    "endless output": (
        "while True:\n    print('more ' * 1000)",
        "did not finish within",
    ),
    "hundreds of processes": (
        "import time\nfor _ in range(8):\n    os.fork()\ntime.sleep(600)",
        ("did not finish within", "more than 4 GiB"),  # whichever is seen first
    ),
    "a copy that answers": (
        "import time\nif os.fork():\n    time.sleep(0.5)\nraise RuntimeError('twice')",
        "twice",
    ),
    "another worker": (
        "error = dict(types=['KeyError'], text='no')\n"
        "sys.modules['__main__'].Worker.do_has = lambda *_: (dict(error=error), [])",
        "AttributeError",
    ),
    "ending at the next exercise": (
        "frame = sys._getframe()\nwhile 'header' not in frame.f_locals:\n    frame = frame.f_back\n"
        "kind = type(frame.f_locals['self'])\n"
        "old = kind.do_run\ndef do_run(self, header, blobs):\n"
        "    if 'def contrastive' in header['source']:\n        os._exit(1)\n"
        "    return old(self, header, blobs)\n"
        "kind.do_run = do_run\nraise RuntimeError('armed')",
        "armed",
    ),
    "shared memory": (
        "import mmap\nkept = []\nfor _ in range(60):\n    each = mmap.mmap(-1, 100 << 20)\n"
        "    for at in range(0, len(each), 4096):\n        each[at] = 1\n    kept.append(each)\n"
        "raise RuntimeError('6 GB')",
        "more than 4 GiB",
    ),
    "forks with memory": (
        "import time\nfor _ in range(3):\n    if not os.fork():\n"
        "        kept = bytearray(b'x') * (1700 << 20)\n        time.sleep(60)\n"
        "time.sleep(20)\nraise RuntimeError('5 GB')",
        "more than 4 GiB",
    ),
    "sys.exit": ("sys.exit(0)", "SystemExit"),
    "os._exit": ("os._exit(0)", "ended the process it ran in (exit status 0)"),
    "ending a little later": (
        "import threading\nthreading.Timer(0.05, os.kill, (os.getpid(), 9)).start()\nraise RuntimeError('soon')",
        ("soon", "ended the process"),
    ),
    "crash": (
        "import ctypes\nctypes.string_at(0)",
        "ended the process it ran in",
    ),
}
HELD_BY_BUBBLEWRAP = {
    "fork bomb": (
        "while True:\n    os.fork()",
        ("BlockingIOError", "did not finish", "ended the process", "more than 4 GiB"),
    ),
    "disk filler": (
        "with open('/tmp/full', 'wb') as f:\n    for _ in range(10_000):\n        f.write(bytes(1 << 20))",
        "OSError",
    ),
    "many files": (
        "for n in range(100_000):\n    with open(f'/tmp/{{n}}', 'wb') as f:\n        f.write(bytes(1 << 20))",
        "OSError",
    ),
    "deleting the course": (
        "import shutil\nfolder = os.environ['PYTHONPATH'] + '/siamese' + '_course'\n"
        "shutil.rmtree(folder, ignore_errors=True)\nshutil.rmtree({place!r}, ignore_errors=True)\n"
        "raise RuntimeError(f'still there: {{os.path.exists(folder)}}')",
        "still there: True",
    ),
    "reading the hidden tests and other submissions": (
        "folder = os.environ['PYTHONPATH'] + '/siamese' + '_course'\nseen = [p for p in ({place!r}, {checks!r}, '/root', '/home') if os.path.exists(p) and os.listdir(p)]\n"
        "text = open(folder + '/exercises/mnist_contrastive/distance.py').read()\n"
        'raise RuntimeError(f\'seen: {{[p for p in seen if ".pyenv" not in os.listdir(p)]}} {{"hidden" in text}}\')',
        "seen: [] False",
    ),
    "opening a connection": (
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), timeout=3)\n"
        "except OSError as error:\n    raise RuntimeError('no network') from None\nreturn left",
        "no network",
    ),
    "killing its parent": (
        "import signal\nfor pid in [os.getppid(), {pid}, -1]:\n    try:\n        os.kill(pid, signal.SIGKILL)\n"
        "    except (ProcessLookupError, PermissionError):\n        pass\nraise RuntimeError('tried')",
        ("tried", "ended the process"),
    ),
    "writing to the gradebook": (
        "try:\n    open({place!r} + '/gradebook.db', 'w').write('100 points')\nexcept OSError:\n"
        "    raise RuntimeError('not written') from None",
        "not written",
    ),
    "a new user namespace": (
        "import ctypes\nfailed = ctypes.CDLL(None, use_errno=True).unshare(0x10000000)\n"
        "raise RuntimeError(f'namespace {{not failed}}')",
        "namespace False",
    ),
    "becoming root": (
        "try:\n    os.setuid(0)\nexcept PermissionError:\n    raise RuntimeError(f'still {{os.getuid() != 0}}') from None",
        "still True",
    ),
}
IN_MAKE_TEST = {
    "infinite loop",
    "crash",
    "reading the hidden tests and other submissions",
    "opening a connection",
}
CASES = [
    pytest.param("bubblewrap", name, marks=() if name in IN_MAKE_TEST else pytest.mark.slow)
    for name in HELD_EVERYWHERE | HELD_BY_BUBBLEWRAP
]
CASES += [pytest.param("limits", name, marks=pytest.mark.slow) for name in HELD_EVERYWHERE]
# Linux does not count root's processes: a bomb would fill the machine
if os.geteuid():
    CASES += [pytest.param("limits", "fork bomb", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return package.copy_without_answers(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of the instructor's, with a gradebook and another learner's notebook in it."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "gradebook.db").write_text("grades")
    (folder / "other.ipynb").write_text("{}")
    return folder


@pytest.fixture(scope="module")
def server():
    """(port, connections): a server on this machine, and who came."""
    came = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept():
            while True:
                try:
                    came.append(listening.accept())
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1], came


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_what_would_do_harm_is_held(kind, name, course, place, server):
    if kind == "bubblewrap" and not HAVE_BUBBLEWRAP:
        pytest.skip("bubblewrap is not installed")
    body, told = (HELD_EVERYWHERE | HELD_BY_BUBBLEWRAP)[name]
    checks = str(Path(cells.__file__).parents[1] / "exercises")
    if body is None:
        answer = "def euclidean_distance(left, right):\n    return left\n\nwhile True:\n    pass\n"
    else:
        names = {"place": str(place), "port": server[0], "pid": os.getpid(), "checks": checks}
        answer = evil(body.format(**names) if kind == "bubblewrap" else body)
    seconds = SHORT if told == "did not finish within" else LONG
    notebook = cells.with_answers(NAME, {"distance": answer, "contrastive_loss": RIGHT})
    plan = reading.plan(NAME, notebook)
    outcomes = session.grade_notebook(plan, kind, course, 1, seconds=seconds)
    by_name = {outcome.exercise: outcome for outcome in outcomes}
    assert by_name["distance"].points == 0
    message = by_name["distance"].messages[0]
    assert any(part in message for part in ([told] if isinstance(told, str) else told)), message
    assert by_name["contrastive_loss"].points == 20, by_name["contrastive_loss"]
    assert (place / "gradebook.db").read_text() == "grades"
    assert (place / "other.ipynb").exists()
    assert (course / "siamese_course" / "losses.py").exists()
    assert server[1] == []
    if kind == "limits":  # what bubblewrap leaves, the kernel ends with its namespace
        assert left_over(course) == []


FORGED = """
import sys

def forge(self, header, blobs):
    (words, dim, left, *_), _ = self._decoder(blobs)(header["arguments"])
    outputs = np.full((2, len(left), dim), dim**-0.5, "float32")
    shapes = [(words, dim), (2 * dim, 4 * dim), (4 * dim,)]
    seen = dict(outputs=list(outputs), alone=list(outputs[:, :1]), shapes=shapes, default=[(words, 128)])
    return self._value(seen)

frame = sys._getframe()
while not hasattr(frame.f_locals.get("self"), "do_observe"):
    frame = frame.f_back
type(frame.f_locals["self"]).do_observe = forge

def build_siamese(vocabulary_size, dim=128):
    return None
"""


@pytest.mark.slow
def test_a_forged_trax_model_does_not_give_what_its_weights_give(course):
    plan = reading.plan(NAMES[1], cells.with_answers(NAMES[1], {"siamese": FORGED}))
    kind = "bubblewrap" if HAVE_BUBBLEWRAP else "limits"
    by_name = {o.exercise: o for o in session.grade_notebook(plan, kind, course, 1, LONG)}
    assert by_name["siamese"].points == 0
    assert "the result is not Embedding, LSTM" in by_name["siamese"].messages[0]


def left_over(folder, seconds=10):
    """Processes that still work in a folder after so many seconds."""
    here, until = str(folder.resolve()), time.monotonic() + seconds
    while True:
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):  # it has just ended, or is a stranger's
                if process.status() != psutil.STATUS_ZOMBIE and process.cwd() == here:
                    found.append(process)
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.2)


def test_what_is_left_over_is_seen(tmp_path):
    with subprocess.Popen(["sleep", "60"], cwd=tmp_path) as process:
        assert [one.pid for one in left_over(tmp_path, 0)] == [process.pid]
        process.kill()
        process.wait()
        assert left_over(tmp_path) == []


def test_without_bubblewrap_it_refuses_and_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    recipe = r"On Windows, use WSL 2; on macOS, the container recipe in docs/instructors\.md"
    with pytest.raises(CourseError, match=rf"apt install bubblewrap.*{recipe}.*--sandbox limits"):
        sandbox.bubblewrap(tmp_path)


@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_other_systems_are_told_where_to_grade(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox.platform, "system", lambda: "Windows")
    with pytest.raises(CourseError, match=r"only on Linux\. On Windows, use WSL 2; on macOS, the"):
        sandbox.trial(kind, tmp_path)


@pytest.fixture
def systemd(monkeypatch, tmp_path):
    """A systemd-run in place of the machine's, with an exit status for ``true``; it notes what it was asked."""

    def put(status):
        fake = tmp_path / "systemd-run"
        fake.write_text(
            f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n[ {status} = 0 ] || exit {status}\n'
            'until [ "$1" = -- ]; do shift; done\nshift\nexec "$@"\n'
        )
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return fake

    sandbox.memory_group.cache_clear()
    yield put
    sandbox.memory_group.cache_clear()


def test_with_systemd_a_control_group_limits_the_memory(systemd, course, monkeypatch, tmp_path):
    fake = systemd(0)
    command = sandbox.memory_group()
    assert command[0] == str(fake)
    assert f"MemoryMax={4 << 30}" in command
    assert ("--user" in command) == (os.geteuid() != 0)
    if HAVE_BUBBLEWRAP:
        sandbox.trial("bubblewrap", course)
        assert "-- true\n" in (tmp_path / "asked").read_text()
        assert "/bwrap --unshare-net" in (tmp_path / "asked").read_text()
    started = []

    def popen(command, **options):
        started.append(command)
        raise OSError

    monkeypatch.setattr(sandbox.subprocess, "Popen", popen)
    with pytest.raises(sandbox.NotStarted):
        sandbox.Sandbox("limits", course).fresh()
    assert tuple(started[0][: len(command)]) == command


def test_a_systemd_that_does_not_run_is_not_used(systemd):
    systemd(1)
    assert sandbox.memory_group() == ()


@pytest.mark.parametrize("models", [[], None], ids=["models as data", "the answer's functions"])
def test_no_file_of_an_answer_is_imported_where_its_models_are_judged(
    models, tmp_path, monkeypatch
):
    """An earlier process of the answer may have left one in the folder, where Python would look first."""
    source = "def of_models(*case):\n    import shadow\nlook = of_models"
    (tmp_path / "shadow.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(worker, "OBSERVERS", compile(source, "observe", "exec"))
    monkeypatch.setattr(worker, "kernel_namespace", dict)
    encode = wire.Encoder({})
    header = {"observer": "look", "functions": [], "export": False}
    header["arguments"] = encode(((), models))
    reply, _ = worker.Worker(None, None).do_observe(header, encode.blobs)
    assert ("error" in reply) == (models is not None)
    if models is not None:
        assert reply["error"]["types"][0] == "ModuleNotFoundError"


def test_a_course_installed_from_a_wheel_is_hidden(monkeypatch, tmp_path, course):
    """Its answers would lie beside the packages that a submission may import."""
    if not HAVE_BUBBLEWRAP:
        pytest.skip("bubblewrap is not installed")
    site = tmp_path / "site-packages"
    for name in ("siamese_course", "numpy"):
        (site / name).mkdir(parents=True)
        (site / name / "losses.py").write_text("the answers")
    (tmp_path / "lib64").symlink_to(tmp_path)
    for path in (site, tmp_path / "lib64" / "site-packages"):
        monkeypatch.setattr(sandbox.sysconfig, "get_path", lambda name, path=path: str(path))
        look = f"cat {path}/numpy/*; ls {site}/siamese_course {path}/siamese_course"
        run = subprocess.run(
            [*sandbox.bubblewrap(course), "/bin/sh", "-c", look], capture_output=True, text=True
        )
        assert run.stdout.startswith("the answers") and "losses.py" not in run.stdout, run.stderr


def test_a_python_below_tmp_is_not_covered(monkeypatch, course):
    """As where somebody tries the course in a clone below /tmp."""
    if not HAVE_BUBBLEWRAP:
        pytest.skip("bubblewrap is not installed")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        (Path(folder) / "here").write_text("seen")
        os.chmod(folder, 0o755)
        monkeypatch.setattr(sandbox, "python_folders", lambda: [Path(folder)])
        command = [*sandbox.bubblewrap(course), "/bin/cat", f"{folder}/here"]
        assert subprocess.run(command, capture_output=True, text=True).stdout == "seen"


class Counted:
    """A process as psutil lists it."""

    def __init__(self, user, threads):
        uids = None if user is None else SimpleNamespace(real=user)
        self.info = {"uids": uids, "num_threads": threads}


@pytest.mark.parametrize(
    ("others", "limit"),
    [
        ([Counted(os.getuid(), 600), Counted(os.getuid(), 3), Counted(os.getuid() + 1, 9)], 1115),
        ([Counted(os.getuid(), 600), Counted(None, None)], 1112),
        ([Counted(os.getuid(), None)], None),
        (psutil.AccessDenied(), None),
    ],
    ids=["a desktop", "others hidden", "threads hidden", "all hidden"],
)
def test_what_the_user_runs_besides_leaves_room_for_a_submission(others, limit, monkeypatch):
    """Without bubblewrap: Linux counts all processes of a user together."""

    def listed(names):
        if isinstance(others, Exception):
            raise others
        return others

    monkeypatch.setattr(sandbox.psutil, "process_iter", listed)
    assert sandbox.limits("limits").get("NPROC") == limit
    assert sandbox.limits("limits").keys() | {"NPROC"} == sandbox.LIMITS.keys()
    assert sandbox.limits("bubblewrap") == sandbox.LIMITS


def test_the_threads_of_a_user_are_counted():
    before = sandbox._threads()
    ended = threading.Event()
    threads = [threading.Thread(target=ended.wait) for _ in range(200)]
    for each in threads:
        each.start()
    assert sandbox._threads() > before + 100  # other tests may end some of theirs
    ended.set()
    for each in threads:
        each.join()


@pytest.mark.parametrize(
    ("kind", "told", "untold"),
    [("limits", "--jobs 1", "namespaces"), ("bubblewrap", "user namespaces", "--jobs 1")],
)
def test_a_sandbox_that_does_not_start_names_the_cause_of_its_kind(
    kind, told, untold, monkeypatch, tmp_path
):
    def fail(self):
        raise BlockingIOError

    monkeypatch.setattr(sandbox.Sandbox, "_start", fail)
    with pytest.raises(sandbox.NotStarted, match=told) as caught:
        sandbox.Sandbox(kind, tmp_path).fresh()
    assert untold not in str(caught.value)


def test_no_other_sandbox(course):
    with pytest.raises(CourseError, match="expected one of bubblewrap, limits"):
        sandbox.Sandbox("none", course)


LOADED = """
import os, sys
from siamese_course.grading import worker

worker.load({imports!r})
print(os.environ.get("XLA_FLAGS"), "jax" in sys.modules and worker.knows("--xla_unknown=1"))
import pandas, sklearn
"""


@pytest.mark.parametrize(
    ("imports", "told"),
    [("import numpy", "None False"), ("import jax", "--xla_cpu_use_fusion_emitters=false False")],
)
def test_the_first_process_leaves_nothing_out(imports, told):
    """JAX gets the flag that it knows, and pandas and scikit-learn can be imported later."""
    command = [sys.executable, "-c", LOADED.format(imports=imports)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()) == (0, [told]), done.stderr
