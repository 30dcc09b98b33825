"""The doctor finds each fault when it is provoked, says what to do, and exits with 1."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import psutil
import pytest

from siamese_course.cli import doctor


def run_doctor(**environment):
    import os

    variables = {**os.environ, "SIAMESE_COURSE_DATA": "shipped", **environment}
    command = [sys.executable, "-m", "siamese_course.cli", "doctor"]
    return subprocess.run(command, capture_output=True, text=True, env=variables)


@pytest.mark.slow
def test_a_sound_machine_is_one_line_each_and_exit_code_0():
    run = run_doctor()
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    lines = run.stdout.strip().splitlines()
    assert all(line.startswith("ok") for line in lines)
    for what in (
        "Python",
        "packages",
        "memory",
        "Keras backend",
        "data",
        "working folder",
        "cache",
    ):
        assert any(f" {what}: " in line for line in lines), what


@pytest.mark.slow
def test_a_missing_data_folder_and_an_unknown_backend_are_faults_with_remedies():
    run = run_doctor(SIAMESE_COURSE_DATA="/no/such/folder", KERAS_BACKEND="theano")
    assert run.returncode == 1
    assert "fault Keras backend" in run.stdout
    assert "Set KERAS_BACKEND to an installed one" in run.stdout
    assert (
        "fault data: SIAMESE_COURSE_DATA is '/no/such/folder', and no directory is there"
        in run.stdout
    )


def test_an_old_python_is_a_fault(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    finding = doctor.python_version()
    assert (finding.ok, finding.found) == (False, "3.10.4")
    assert "3.11" in finding.remedy


def test_intel_macs_need_python_3_11(monkeypatch):
    monkeypatch.setattr(doctor.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(doctor.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(sys, "version_info", (3, 12, 1, "final", 0))
    finding = doctor.python_version()
    assert not finding.ok and finding.remedy.startswith("Install Python 3.11, delete")
    monkeypatch.setattr(sys, "version_info", (3, 11, 0, "final", 0))
    assert doctor.python_version().ok


def test_old_and_missing_packages_are_faults(monkeypatch):
    real = doctor.version

    def version(name):
        if name == "pooch":
            return "0.1"
        if name == "tqdm":
            raise PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(doctor, "version", version)
    faults = {f.what: f for f in doctor.package_versions() if not f.ok}
    assert set(faults) == {"pooch", "tqdm"}
    assert faults["pooch"].found == "0.1, needs >=1.8"
    assert faults["tqdm"].found == "not installed"
    assert 'pip install "tqdm' in faults["tqdm"].remedy


def test_little_memory_is_a_fault(monkeypatch):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 2**29}))
    assert doctor.memory().ok is False
    assert "0.5 GiB free" in doctor.memory().found


def test_a_folder_that_cannot_be_written_is_a_fault(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIAMESE_COURSE_CACHE", str(tmp_path / "file" / "cache"))
    faults = [f for f in doctor.write_access() if not f.ok]
    assert [f.what for f in faults] == ["cache"]
    assert "SIAMESE_COURSE_CACHE" in faults[0].remedy


def test_a_damaged_data_file_is_a_fault(tmp_path, monkeypatch):
    (tmp_path / "mnist").mkdir()
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    for name in names:
        Path(tmp_path / "mnist" / f"{name}-ubyte.gz").write_bytes(b"damaged")
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    finding = doctor.data()
    assert finding.ok is False
    assert "is not a complete MNIST file" in finding.found
