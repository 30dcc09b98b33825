"""Ctrl-C, the stop button: long work ends with a line, keeps what was computed, and leaves no half of a file."""

import builtins
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import nbformat
import nbformat.v4 as notebooks
import numpy as np
import pytest

from siamese_course.notebooks.catalog import SOLUTIONS
from siamese_course.runtime.settings import QUORA_SIZES
from siamese_course.sources import fetch, registry
from tests.grading.test_run import SANDBOX
from tests.tools import write_tiny_preset


def press(times=1):
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)


# --- training ---


class Model:
    """Counts its steps, and is interrupted in the middle of one."""

    jit_compile = run_eagerly = train_function = None

    def __init__(self, at, times=1):
        self.at, self.times, self.begun, self.finished = at, times, 0, 0

    def reset_metrics(self):
        pass

    def train_on_batch(self, inputs, targets, return_dict):
        self.begun += 1
        if self.begun == self.at:
            press(self.times)
        self.finished += 1
        return {"loss": float(self.finished)}


def train(model, steps=100, **options):
    from siamese_course.training import loop as training

    return training.train(model, iter(lambda: (0, 0), None), steps, name="sample", **options)


def test_a_stopped_training_finishes_its_step_and_says_where_it_is(capsys):
    model, before = Model(at=7), signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(model)
    assert model.begun == model.finished == 7
    assert capsys.readouterr().out.splitlines()[-1].startswith("Stopped after 7 of 100 steps")
    assert signal.getsignal(signal.SIGINT) is before


def test_in_a_notebook_it_gives_the_history_so_far(monkeypatch, capsys):
    monkeypatch.setattr(builtins, "__IPYTHON__", True, raising=False)
    history = train(Model(at=7), embed=lambda: np.zeros((1, 2)), snapshots=3)
    assert history.steps == [5, 7]
    assert history.losses == [3.0, 6.5]
    assert sorted(history.snapshots) == [0, 7]
    assert history.seconds > 0
    assert "Stopped after 7 of 100 steps" in capsys.readouterr().out
    again = train(Model(at=0), steps=40)
    assert (again.steps[-1], len(again.losses)) == (40, 20)


def test_pressed_twice_it_does_not_wait_for_the_step():
    model = Model(at=7, times=2)
    with pytest.raises(KeyboardInterrupt):
        train(model, verbose=False)
    assert (model.begun, model.finished) == (7, 6)


def test_training_in_another_thread_leaves_the_signals_alone():
    found = []
    thread = threading.Thread(target=lambda: found.append(train(Model(at=0), verbose=False)))
    thread.start()
    thread.join()
    assert found[0].steps[-1] == 100


def test_what_belongs_together_is_finished_first():
    from siamese_course.runtime.interrupts import finished_first

    done = []
    with pytest.raises(KeyboardInterrupt), finished_first():
        done.append("first file")
        press()
        done.append("second file")
    assert done == ["first file", "second file"]
    with finished_first():
        done.append("again")
    assert done[-1] == "again"


@pytest.fixture
def trax_loop(tmp_path, monkeypatch):
    """A Loop in Trax that is stopped while it writes its first checkpoint."""
    from siamese_course.runtime.trax_patch import training, trax

    ones = np.ones((2, 1), "float32")
    task = training.TrainTask(
        iter(lambda: (np.ones((2, 3), "float32"), ones, ones), None),
        trax.layers.L2Loss(),
        trax.optimizers.SGD(0.01),
        n_steps_per_checkpoint=2,
    )
    write, presses = training.pickle_to_file, iter([1])

    def interrupted_write(*arguments, **options):
        press(next(presses, 0))
        return write(*arguments, **options)

    monkeypatch.setattr(training, "pickle_to_file", interrupted_write)
    return training.Loop(trax.layers.Serial(trax.layers.Dense(1)), task, output_dir=str(tmp_path))


def test_trax_finishes_its_checkpoint(trax_loop, tmp_path):
    """Stopped while it writes, it leaves all files; without the patch, the first alone."""
    with pytest.raises(KeyboardInterrupt):
        trax_loop.save_checkpoint("model")
    names = {path.name for path in tmp_path.iterdir()}
    assert {"model.pkl.gz", "model.weights.npy.gz"} <= names


def test_a_stop_while_trax_writes_ends_the_loop_after_it(trax_loop, monkeypatch, capsys):
    from siamese_course.training.trax_loop import run_loop

    monkeypatch.setattr(builtins, "__IPYTHON__", True, raising=False)
    # Trax writes a checkpoint after the first step, too
    assert run_loop(trax_loop, 10) == 1
    assert "Stopped after 1 of 10 steps" in capsys.readouterr().out
    assert run_loop(trax_loop, 10) == 10


@pytest.mark.slow
def test_a_stopped_training_in_trax_is_one_line_and_can_be_resumed(tmp_path):
    options = [
        "--framework",
        "trax",
        "--recipe",
        "classic",
        "--budget",
        "course",
        "--out",
        tmp_path,
    ]
    steps = QUORA_SIZES["course"].classic_steps
    code, told = interrupted("train", "quora", *options, until=rb"[1-9]\d*/%d" % steps)
    assert code == 130
    assert re.match(rf"Stopped after \d+ of {steps} steps", told.splitlines()[-2])
    assert "add --resume" in told.splitlines()[-1]
    assert "Traceback" not in told
    assert not [name for name in files(tmp_path) if name.endswith("report.json")]


# --- embedding ---


@pytest.mark.parametrize("how", ["tensorflow", "OpenVINO", "torch"])
def test_a_stopped_embedding_says_how_far_it_was(capsys, monkeypatch, how):
    import keras

    from siamese_course.models.sentences import SentenceEncoder

    class Tokens:
        pad_token_id, start_token_id, end_token_id = 0, 1, 2

        def tokenize(self, sentences):
            return [[3] for _ in sentences]

    calls = []

    def predict(batch):
        calls.append(batch)
        if len(calls) == 2:
            press()
        return np.ones((len(batch["token_ids"]), 4))

    model = SimpleNamespace(
        output_shape=(None, 4),
        predict_on_batch=predict,
        make_predict_function=lambda: None,
        run_eagerly=True,
    )
    own = predict if how == "OpenVINO" else None
    encoder = SentenceEncoder(model, None, Tokens(), "sample", predict=own)
    if how == "torch":  # one batch at a time
        monkeypatch.setattr(keras.backend, "backend", lambda: how)
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(["a"] * 4000, batch_size=16)
    done, text = (
        capsys.readouterr()
        .out.splitlines()[-1]
        .removeprefix("Embedding stopped after ")
        .split(" ", 1)
    )
    assert text == "of 4,000 sentences."
    batches, rest = divmod(int(done.replace(",", "")), 16)
    assert rest == 0 and batches <= len(calls) < 250
    if how == "torch":
        assert (batches, len(calls)) == (1, 2)
    assert encoder.encode(["a"] * 40).shape == (40, 4)


# --- a download ---


class Endless(http.server.BaseHTTPRequestHandler):
    """Begins to send a file, and has the learner lose patience."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x" * 5000)
        self.wfile.flush()
        time.sleep(0.3)
        press()

    def log_message(self, *arguments):
        pass


def test_a_stopped_download_leaves_nothing(own_cache, no_data_directory, capsys):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/file.bin"
        file = registry.RemoteFile("file.bin", (url,), 100_000, "0" * 64)
        data = registry.DataSet("sample", "", "", "", (file,), (), "sample")
        with pytest.raises(KeyboardInterrupt):
            fetch.fetch_file(data, file)
        server.shutdown()
    assert [path.name for path in own_cache.rglob("*") if path.is_file()] == []
    assert "The download of file.bin was stopped" in capsys.readouterr().out


# --- the command line ---


def interrupted(*arguments, until, seconds=60):
    """Run a command, press Ctrl-C in its terminal when its output matches; (exit code, output)."""
    process = subprocess.Popen(
        [sys.executable, "-m", "siamese_course.cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "SIAMESE_COURSE_DATA": "shipped"},
    )
    output = b""
    try:
        while not re.search(until, output):
            part = os.read(process.stdout.fileno(), 1 << 16)
            assert part, output.decode()[-2000:]
            output += part
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:  # deaf to Ctrl-C, it would slow all tests that follow
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, (output + rest).decode()


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
@pytest.mark.parametrize(
    "workers",
    [[], pytest.param(["--workers", "2"], marks=pytest.mark.slow)],
    ids=["alone", "dask"],
)
def test_a_stopped_collection_keeps_its_parts(tmp_path, workers):
    from siamese_course.models.sentences import make_encoder

    make_encoder(str(write_tiny_preset(tmp_path))).save(tmp_path / "encoder")
    (tmp_path / "text.txt").write_text("".join(f"line {n}\n" for n in range(20_000)))
    options = [
        "--encoder",
        tmp_path / "encoder",
        "--out",
        tmp_path / "out",
        "--lines",
        10,
        *workers,
    ]
    code, told = interrupted(
        "embed", tmp_path / "text.txt", *options, until=rb"embedding: [1-9]", seconds=90
    )
    assert code == 130
    assert "Traceback" not in told
    parts = files(tmp_path / "out")
    assert 0 < len(parts) < 2_000
    assert all(name.endswith(".npy") for name in parts)


@pytest.mark.slow
def test_a_stopped_run_keeps_the_pages_it_has(tmp_path):
    for name, sources in {"a": ["1 + 1"], "b": ["1", "import time; time.sleep(300)"]}.items():
        cells = [notebooks.new_code_cell(source) for source in sources]
        nbformat.write(notebooks.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    code, told = interrupted("run", tmp_path, "--out", tmp_path / "pages", until=rb"b: .* 1/2")
    assert code == 130
    assert told.splitlines()[-1] == "b was stopped after 1 of 2 cells: nothing of it is kept."
    assert "Traceback" not in told
    assert files(tmp_path / "pages") == ["a.html", "index.html"]


@pytest.mark.skipif(sys.platform == "win32", reason="event loops handle no signals on Windows")
@pytest.mark.parametrize("step", ["ensure_event_loop", "create_kernel_manager"])
def test_a_run_stopped_before_its_kernel_is_there_starts_none(tmp_path, monkeypatch, step):
    """Stopped halfway, the event loop would print a traceback when it is deleted."""
    import jupyter_core.utils
    from nbclient import NotebookClient

    from siamese_course.notebooks.run import execute

    owner = jupyter_core.utils if step == "ensure_event_loop" else NotebookClient
    original, finished, started = getattr(owner, step), [], []

    def pressed(*arguments):
        if not finished:
            press()
        finished.append(step)
        return original(*arguments)

    async def start(self, **options):
        started.append(options)

    monkeypatch.setattr(owner, step, pressed)
    monkeypatch.setattr(NotebookClient, "async_start_new_kernel", start)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        execute(notebooks.new_notebook(cells=[notebooks.new_code_cell("1")]), tmp_path)
    assert finished
    assert not started
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.slow
def test_a_run_stopped_while_a_kernel_starts_says_nothing_else(tmp_path):
    notebook = notebooks.new_notebook(cells=[notebooks.new_code_cell("1")])
    nbformat.write(notebook, tmp_path / "a.ipynb")
    code, told = interrupted("run", tmp_path, "--out", tmp_path / "pages", until=rb"a: .* 0/1")
    assert (code, "Traceback" in told) == (130, False)
    assert files(tmp_path / "pages") == []


@pytest.mark.slow
def test_a_stopped_training_on_the_command_line_leaves_no_file(tmp_path):
    options = ["--recipe", "course", "--budget", "course", "--out", tmp_path]
    code, told = interrupted("train", "mnist", *options, until=rb"[1-9]\d*/600")
    assert code == 130
    assert re.match(r"Stopped after \d+ of 600 steps", told.splitlines()[-2])
    assert told.splitlines()[-1] == f"Nothing was saved in {tmp_path}."
    assert "Traceback" not in told
    assert files(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("until", [rb"1/3", pytest.param(rb"0/3", marks=pytest.mark.slow)])
def test_a_stopped_grading_keeps_what_is_graded(tmp_path, until):
    """The first notebook is none, and graded in no time; the others take some seconds."""
    for learner in ("ann", "bob", "cy"):
        (tmp_path / "handed-in" / learner).mkdir(parents=True)
    (tmp_path / "handed-in" / "ann" / "01.ipynb").write_text("no notebook")
    for learner in ("bob", "cy"):
        name = "01_mnist_contrastive.ipynb"
        shutil.copy(SOLUTIONS / name, tmp_path / "handed-in" / learner / name)
    out = tmp_path / "class"
    options = ["--out", out, "--jobs", "1", "--sandbox", SANDBOX]
    code, told = interrupted("grade", "run", tmp_path / "handed-in", *options, until=until)
    kept = sorted((out / "results").glob("*/*.json"))
    assert code == 130
    assert f"Stopped: {len(kept)} notebooks were graded now and are kept" in told
    assert "Traceback" not in told
    assert all(json.loads(path.read_text("utf-8"))["key"] for path in kept)
    assert (len(kept) >= 1) == (until == rb"1/3")
    assert not [name for name in files(out) if name.endswith(".part")]
