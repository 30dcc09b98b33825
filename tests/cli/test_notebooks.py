"""The commands for notebooks, in the repository and without it; version, completion and wrong arguments."""

import pytest
from typer.testing import CliRunner

from siamese_course import __version__
from siamese_course.cli import main as cli
from siamese_course.cli import options
from siamese_course.notebooks import catalog
from siamese_course.runtime import shipped
from siamese_course.runtime.errors import CourseError

FILES = [f"{name}.ipynb" for name in catalog.NAMES]


def course(*arguments):
    return CliRunner().invoke(cli.typer_app, list(arguments))


@pytest.fixture
def from_a_wheel(tmp_path, monkeypatch):
    """The course without its repository, in an empty folder."""
    package = tmp_path / "site-packages" / "siamese_course"
    (package / "shipped").mkdir(parents=True)
    (package / "shipped" / "notebooks").symlink_to(catalog.NOTEBOOKS)
    monkeypatch.setattr(shipped, "PACKAGE", package)
    monkeypatch.setattr(catalog, "SOURCES", package.parent / "notebooks" / "source")
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_the_version():
    assert course("--version").output == f"siamese-course {__version__}\n"


def test_completion_can_be_installed():
    assert "--install-completion" in course("--help").output


@pytest.mark.parametrize("seed", ["-1", str(2**32)])
def test_a_seed_out_of_range_is_refused(seed):
    run = course("train", "mnist", "--recipe", "course", "--out", "x", "--seed", seed)
    assert run.exit_code == 2
    assert "--seed" in run.output and "Traceback" not in run.output


def test_copies_of_the_notebooks_are_never_overwritten(from_a_wheel):
    first = course("copy", "mine")
    assert first.exit_code == 0, first.output
    assert sorted(path.name for path in (from_a_wheel / "mine").iterdir()) == FILES
    (from_a_wheel / "mine" / FILES[0]).write_text("my answers")
    (from_a_wheel / "mine" / FILES[1]).unlink()
    again = course("copy", "mine")
    assert again.output.count("stays as it is") == len(FILES) - 1
    assert (from_a_wheel / "mine" / FILES[0]).read_text() == "my answers"
    assert (from_a_wheel / "mine" / FILES[1]).exists()


def test_a_copy_that_is_cut_off_leaves_no_half_notebook(tmp_path, monkeypatch):
    def stop(*paths):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("siamese_course.runtime.files.os.replace", stop)
        assert course("copy", str(tmp_path)).exit_code
    assert list(tmp_path.iterdir()) == []
    assert not course("copy", str(tmp_path)).exit_code
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES


@pytest.mark.parametrize("command", ["run", "lab"])
def test_without_notebooks_the_commands_say_where_to_get_them(from_a_wheel, command):
    with pytest.raises(CourseError, match="siamese-course copy FOLDER"):
        CliRunner().invoke(cli.typer_app, [command], catch_exceptions=False)


def test_without_the_repository_notebooks_can_be_handed_out(from_a_wheel):
    run = course("grade", "release")
    assert run.exit_code == 0, run.output
    assert sorted(path.name for path in from_a_wheel.glob("class/release/*/*")) == FILES


@pytest.mark.parametrize("command", [["run", "handed-in"], ["report"]])
def test_without_nbgrader_nothing_is_graded(tmp_path, monkeypatch, command):
    monkeypatch.setattr(options, "find_spec", lambda module: None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        CourseError, match=r"nbgrader is not installed.*siamese-course\[instructor\]"
    ):
        CliRunner().invoke(cli.typer_app, ["grade", *command], catch_exceptions=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [["notebooks"], ["publish", "--github", "a/b"]])
def test_without_the_repository_nothing_is_built(from_a_wheel, command):
    with pytest.raises(CourseError, match="needs the repository"):
        CliRunner().invoke(cli.typer_app, command, catch_exceptions=False)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a\tb\n", b"[]", b"{}"])
def test_what_is_no_notebook_is_refused(tmp_path, content):
    path = tmp_path / "bin.tsv"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=r"bin\.tsv cannot be read as a notebook"):
        CliRunner().invoke(
            cli.typer_app, ["run", str(path), "--out", str(tmp_path)], catch_exceptions=False
        )
