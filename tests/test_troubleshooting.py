"""Every message that docs/troubleshooting.md quotes is provoked here, and is what the page says.

By hand, since it takes another Python: ``pip install -e .`` with Python 3.10 ends with "requires a different Python".
Not here, since they take Windows: "running scripts is disabled on this system" (Microsoft's about_Execution_Policies),
"DLL load failed while importing" (TensorFlow's installation page names the Visual C++ runtime as a requirement), and
"is not recognized", which is what both shells there say of an unknown command.
"""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import nbformat.v4 as notebooks
import pytest
from nbclient.exceptions import DeadKernelError

from siamese_course.cli import doctor
from siamese_course.exercises import mnist_contrastive
from siamese_course.notebooks.catalog import SOURCES
from siamese_course.notebooks.run import execute
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from siamese_course.sources import fetch, registry

ROOT = Path(__file__).resolve().parent.parent
PAGE = " ".join((ROOT / "docs" / "troubleshooting.md").read_text("utf-8").split())


def quoted(text: str) -> str:
    """A piece of the page, which the tests below compare with what really comes."""
    assert text in PAGE, f"docs/troubleshooting.md does not say {text!r}"
    return text


def test_a_learner_finds_the_headings():
    for heading in ("## Old versions", "## No network", "## Memory and dead kernels"):
        assert quoted(heading)


# --- installing ---


def make(tmp_path, python) -> str:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    command = ["make", f"PYTHON={python}", "course"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0
    assert not (tmp_path / ".venv").exists()
    return run.stdout


def program_that(does, tmp_path):
    """A Python by name only."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    return program


def test_no_python_that_serves(tmp_path):
    missing = quoted("Python 3.11, 3.12 or 3.13 is needed and was not found")
    assert f"{missing}. Install it" in make(tmp_path, "")
    too_old = program_that("exit 1", tmp_path)
    for python in (too_old, tmp_path / "nowhere"):
        assert f"{missing} ({python} {quoted('is not one of these')})." in make(tmp_path, python)


def test_a_python_without_venv(tmp_path):
    program = program_that('[ "$1" = -c ]', tmp_path)
    told = make(tmp_path, program)
    assert quoted("On Debian and Ubuntu the venv module is a package of its own") in told


def test_an_old_package_is_named_with_its_remedy(monkeypatch):
    real = doctor.version
    monkeypatch.setattr(doctor, "version", lambda name: "2.15" if name == "keras" else real(name))
    (fault,) = (finding for finding in doctor.package_versions() if not finding.ok)
    assert quoted("needs >=") in f"{fault.what}: {fault.found}"
    assert 'pip install "keras>=' in fault.remedy


def test_trax_that_is_not_installed():
    source = (ROOT / "siamese_course/runtime/trax_patch.py").read_text("utf-8")
    assert quoted("Trax is not installed here") in source


def test_a_first_cell_without_a_wheel_beside_it():
    assert quoted("The course is missing") in (SOURCES / "01_mnist_contrastive.py").read_text(
        "utf-8"
    )


# --- old code ---

OLD = {
    "tf.Session()": "module 'tensorflow' has no attribute 'Session'",
    "tf.placeholder(tf.float32)": "module 'tensorflow' has no attribute 'placeholder'",
    "from tensorflow.examples.tutorials.mnist import input_data": "No module named 'tensorflow.examples'",
    "from keras.engine import Layer": "No module named 'keras.engine'",
    "from keras.utils import np_utils": "cannot import name 'np_utils' from 'keras.utils'",
    "keras.optimizers.Adam(lr=0.01)": "Argument(s) not recognized: {'lr': 0.01}",
    "keras.backend.square(1.0)": "module 'keras.backend' has no attribute 'square'",
    "training.Loop(None, None, eval_task=None)": "got an unexpected keyword argument 'eval_task'",
    "import keras_nlp": "No module named 'keras_nlp'",
}


@pytest.mark.parametrize("code", OLD)
def test_old_code_fails_with_the_message_of_the_table(code):
    import keras
    import tensorflow as tf
    from trax.supervised import training

    from siamese_course.runtime import trax_patch  # noqa: F401

    with pytest.raises(Exception, match=re.escape(OLD[code])):
        exec(code, {"keras": keras, "tf": tf, "training": training})
    assert quoted(OLD[code].replace("'placeholder'", "'Session'")) and "`'placeholder'`" in PAGE


# --- starting ---


def test_without_its_environment_a_shell_does_not_know_the_command():
    run = subprocess.run(
        ["bash", "-c", "siamese-course lab"],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert quoted("siamese-course: command not found") in run.stderr


def test_a_python_without_the_course_tries_to_install_it():
    """The first cell of a notebook, in a Python without packages."""
    first = (SOURCES / "01_mnist_contrastive.py").read_text("utf-8")
    cell = re.search(r"# %%\n(import importlib\.util\n.*?)# %%", first, re.DOTALL).group(1)
    run = subprocess.run([sys.executable, "-I", "-S", "-c", cell], capture_output=True, text=True)
    error = run.stderr.splitlines()[-1]
    for piece in ("CalledProcessError: Command '[", "'-m', 'pip', 'install'"):
        assert quoted(piece) in error
    skipped = "from siamese_course.runtime.startup import start"
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", skipped], capture_output=True, text=True
    )
    assert quoted("ModuleNotFoundError: No module named 'siamese_course'") in run.stderr


def test_what_jupyterlab_calls_things():
    folder = Path(sys.prefix) / "share" / "jupyter" / "lab" / "static"
    (text,) = (path.read_text("utf-8") for path in folder.glob("jlab_core.*.js"))
    for words in (
        "Kernel Restarting",
        "The kernel for",
        "appears to have died.",
        "Run All Above Selected Cell",
        "Shut Down All Kernels",
        "Change Kernel",
        "Would you like to get notified about official Jupyter news?",
    ):
        assert quoted(words) in text


def test_what_the_page_without_a_token_asks_for():
    import jupyter_server

    page = Path(jupyter_server.__file__).parent / "templates" / "login.html"
    assert quoted("password or token") in page.read_text("utf-8").lower()


# --- no network ---


def test_an_address_that_does_not_answer(own_cache, no_data_directory):
    file = registry.RemoteFile("file.bin", ("http://127.0.0.1:9/file.bin",), 10, "0" * 64)
    data = registry.DataSet("sample", "", "", "", (file,), (), "sample")
    with pytest.raises(CourseError) as caught:
        fetch.fetch_file(data, file)
    assert quoted("could not be downloaded (") in str(caught.value)
    assert quoted(": could not connect)") in str(caught.value)


def test_a_folder_and_a_budget_that_do_not_exist(monkeypatch):
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "/no/such")
    with pytest.raises(CourseError) as caught:
        settings.data_directory()
    assert quoted("SIAMESE_COURSE_DATA is '...', and no directory is there.") in str(
        caught.value
    ).replace("/no/such", "...")
    monkeypatch.setenv("SIAMESE_COURSE_BUDGET", "fast")
    with pytest.raises(CourseError) as caught:
        settings.budget()
    told = str(caught.value).replace("fast", "...")
    assert quoted("The budget is '...'; expected one of smoke, course, full.") in told


@pytest.mark.slow
def test_a_backbone_that_cannot_be_reached(monkeypatch):
    from siamese_course.models.sentences import load_backbone

    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(CourseError) as caught:
        load_backbone("roberta_base_en")
    assert quoted("The backbone 'roberta_base_en' could not be fetched") in str(caught.value)


# --- memory ---


def run_cells(*sources):
    cells = [notebooks.new_code_cell(source) for source in sources]
    for cell in cells:
        cell.metadata["tags"] = ["raises-exception"]
    execute(notebooks.new_notebook(cells=cells), Path.cwd())
    return cells


@pytest.mark.slow
def test_a_kernel_that_is_killed():
    """As the system does where memory runs out."""
    with pytest.raises(DeadKernelError) as caught:
        run_cells(f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})")
    assert quoted("Kernel died") in str(caught.value)


@pytest.mark.slow
def test_an_array_that_is_too_large():
    """In a kernel that may have no more than it has, and two GiB."""
    *_, numpy, tensorflow, after = run_cells(
        "import numpy as np\nimport psutil, resource\nimport tensorflow as tf\ntf.ones(1)",
        "most = psutil.Process().memory_info().vms + (2 << 30)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))",
        "np.ones((1 << 30,))",
        "tf.ones((1 << 15, 1 << 15))",
        "print(1 + 1)",
    )
    assert quoted("Unable to allocate") in numpy.outputs[-1].evalue
    assert (numpy.outputs[-1].ename, quoted("MemoryError")) == ("MemoryError",) * 2
    assert quoted("OOM when allocating tensor") in tensorflow.outputs[-1].evalue
    assert tensorflow.outputs[-1].ename == quoted("ResourceExhaustedError")
    assert after.outputs[-1].text == "2\n"  # the kernel lives


# --- exercises ---


def test_what_a_check_says_of_an_answer_that_was_not_begun():
    def stub(*arguments):
        raise NotImplementedError("not attempted")

    assert mnist_contrastive.EXERCISES[0].check(stub).status == quoted("not attempted")
    learner = (ROOT / "notebooks" / "01_mnist_contrastive.ipynb").read_text("utf-8")
    assert quoted("YOUR CODE HERE") in learner


def test_every_quotation_of_the_page_is_in_this_file():
    here = Path(__file__).read_text("utf-8")
    leads = re.findall(r"\*\*(.+?)\*\*", PAGE)
    pieces = [
        piece.strip()
        for lead in leads
        for quotation in re.findall(r'"([^"]+)"', lead)
        for piece in re.split(r"\.\.\.|: ", quotation)
    ]
    assert len(pieces) > 10
    assert [piece for piece in pieces if piece not in here] == []
