"""A collection embedded in shards: the rows of ``encode``, on any worker and after any interruption."""

import gc
import gzip
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from siamese_course.models.sentences import load_encoder, make_encoder
from siamese_course.runtime.errors import CourseError
from siamese_course.scale import embedding
from tests.tools import SENTENCES, write_tiny_preset

LINES = [f"{SENTENCES[n % 6]} {n} {SENTENCES[n * n % 5]}" for n in range(47)]
LINES[3] = ""  # an empty line is a row, too
LINES[5] = "a line\u2028separator, and a form\x0cfeed, end no line"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A saved encoder."""
    where = tmp_path_factory.mktemp("encoder")
    make_encoder(str(write_tiny_preset(where))).save(where / "saved")
    return where / "saved"


@pytest.fixture(scope="module")
def expected(folder):
    return load_encoder(folder).encode(LINES, verbose=False)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("".join(line + "\n" for line in LINES), "utf-8", newline="\n")
    return path


def rows(out):
    return np.concatenate(list(embedding.read_shards(out)))


def test_rows_are_those_of_encode(text, folder, expected, tmp_path):
    told = []
    result = embedding.embed_text(
        text, folder, tmp_path / "out", size=10, on_shard=lambda *what: told.append(what)
    )
    assert result == {"sentences": 47, "parts": 5, "dim": 32, "embedded": 47}
    assert told == [(10, True)] * 4 + [(7, True)]
    np.testing.assert_allclose(rows(tmp_path / "out"), expected, atol=1e-6)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    (tmp_path / "a.txt").write_text("\ufeffone\ntwo\n", "utf-8")
    assert list(embedding.read_lines(tmp_path / "a.txt")) == ["one", "two"]


@pytest.mark.parametrize("opener", [gzip.open, lzma.open])
def test_packed_text(opener, text, folder, expected, tmp_path):
    packed = tmp_path / f"lines.txt.{'gz' if opener is gzip.open else 'xz'}"
    with opener(packed, "wb") as stream:
        stream.write(text.read_bytes())
    embedding.embed_text(packed, folder, tmp_path / "out")
    np.testing.assert_allclose(rows(tmp_path / "out"), expected, atol=1e-6)


def test_goes_on_where_it_was_cut_off(text, folder, expected, tmp_path):
    out, told = tmp_path / "out", []

    def stop(sentences, fresh):
        told.append(fresh)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embedding.embed_text(text, folder, out, size=10, on_shard=stop)
    with pytest.raises(CourseError, match="no finished collection"):
        list(embedding.read_shards(out))
    again = []
    embedding.embed_text(text, folder, out, size=10, on_shard=lambda *what: again.append(what))
    assert [fresh for _, fresh in again] == [False, False, True, True, True]
    np.testing.assert_allclose(rows(out), expected, atol=1e-6)


def test_lines_added_and_changed_cost_their_own_shards_only(text, folder, tmp_path):
    out = tmp_path / "out"
    embedding.embed_text(text, folder, out, size=10)
    lines = [*LINES, "one more"]
    lines[12] = "changed"
    text.write_text("\n".join(lines), "utf-8")
    (out / "notes.npy").write_text("not ours")
    (out / "00000000-0123456789abcdef.01234567.part").write_text("left by a lost worker")
    result = embedding.embed_text(text, folder, out, size=10)
    assert result["embedded"] == 10 + 8
    assert len(list(out.glob("*.npy"))) == 5 + 1
    assert not list(out.glob("*.part"))
    expected = load_encoder(folder).encode(lines, verbose=False)
    np.testing.assert_allclose(rows(out), expected, atol=1e-6)


def test_another_encoder_makes_everything_anew(text, folder, tmp_path):
    out = tmp_path / "out"
    embedding.embed_text(text, folder, out)
    load_encoder(folder).save(tmp_path / "other")
    settings = tmp_path / "other" / "sentence_encoder.json"
    settings.write_text(settings.read_text().replace('"mean"', '"max"'))
    assert embedding.embed_text(text, tmp_path / "other", out)["embedded"] == 47
    assert len(list(out.glob("*.npy"))) == 1


def test_an_encoder_trained_anew_in_its_folder_is_read_anew(text, folder, tmp_path):
    """And what lies beside it, such as these embeddings, is not part of it."""
    place = tmp_path / "encoder"
    shutil.copytree(folder, place)
    embedding.embed_text(text, place, place / "out")
    (place / "report.json").write_text("{}")
    assert embedding.embed_text(text, place, place / "out")["embedded"] == 0
    other = load_encoder(place)
    other.backbone.token_embedding.embeddings.assign(
        2 * other.backbone.token_embedding.embeddings.value
    )
    other.save(place)
    assert embedding.embed_text(text, place, place / "out")["embedded"] == 47
    expected = other.encode(LINES, verbose=False)
    np.testing.assert_allclose(rows(place / "out"), expected, atol=1e-6)


def test_nothing_to_embed(folder, tmp_path):
    (tmp_path / "empty.txt").touch()
    result = embedding.embed_text(tmp_path / "empty.txt", folder, tmp_path / "out")
    assert result == {"sentences": 0, "parts": 0, "dim": 0, "embedded": 0}
    assert list(embedding.read_shards(tmp_path / "out")) == []


def test_what_cannot_be_read_is_reported(text, folder, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(CourseError, match=r"missing\.txt cannot be read"):
        embedding.embed_text(tmp_path / "missing.txt", folder, out)
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CourseError, match=r"bytes\.txt cannot be read"):
        embedding.embed_text(tmp_path / "bytes.txt", folder, out)
    (tmp_path / "cut.txt.xz").write_bytes(lzma.compress(text.read_bytes())[:-20])
    with pytest.raises(CourseError, match=r"cut\.txt\.xz cannot be read"):
        embedding.embed_text(tmp_path / "cut.txt.xz", folder, out)
    packed = bytearray(gzip.compress(text.read_bytes()))
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "bad.txt.gz").write_bytes(packed)
    with pytest.raises(CourseError, match=r"bad\.txt\.gz cannot be read"):
        embedding.embed_text(tmp_path / "bad.txt.gz", folder, out)
    with pytest.raises(CourseError, match="holds no sentence encoder"):
        embedding.embed_text(text, tmp_path, out)
    with pytest.raises(ValueError, match="size is 0"):
        embedding.embed_text(text, folder, out, size=0)


def test_no_cluster_is_available(text, folder, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(embedding, "WAIT", 1)
    for address in ("127.0.0.1", "127.0.0.1:9", "nonsense://x:1"):
        with pytest.raises(CourseError, match=f"No Dask worker at {address}"):
            embedding.embed_text(text, folder, tmp_path / "out", scheduler=address)
        gc.collect()  # Dask's half client: deleted while another one starts, it would wait for that one for ever
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CourseError, match="Dask is not installed"):
        embedding.embed_text(text, folder, tmp_path / "out", workers=2)


def test_a_machine_too_busy_for_dask(text, folder, tmp_path, monkeypatch):
    """Its event loop is a thread that has not begun when Dask's patience ends."""
    utils = pytest.importorskip("distributed.utils")

    class Event(threading.Event):
        def wait(self, timeout=None):
            return timeout is None and super().wait()

    monkeypatch.setattr(utils, "threading", SimpleNamespace(**{**vars(threading), "Event": Event}))
    monkeypatch.setattr(utils, "_CollectErrorThread", lambda **thread: None)
    with pytest.raises(
        CourseError, match=r"No Dask worker at 127\.0\.0\.1:9 .*did not start in time"
    ):
        embedding.embed_text(text, folder, tmp_path / "out", scheduler="127.0.0.1:9")
    with pytest.raises(
        CourseError, match=r"No Dask worker at this machine .*did not start in time"
    ):
        embedding.embed_text(text, folder, tmp_path / "out", workers=2)


@pytest.mark.slow
def test_a_lost_worker_costs_no_row(text, folder, expected, tmp_path):
    """Two Dask workers; one is killed as soon as a shard is there."""
    distributed = pytest.importorskip("distributed")
    out, told, lost = tmp_path / "out", [], []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]

        def lose_one():
            while not told:
                time.sleep(0.01)
            os.kill(pids[0], signal.SIGKILL)
            lost.append(len(told))

        killer = threading.Thread(target=lose_one, daemon=True)
        killer.start()
        result = embedding.embed_text(
            text,
            folder,
            out,
            size=2,
            scheduler=cluster.scheduler_address,
            on_shard=lambda *what: told.append(what),
        )
        killer.join()
        assert lost[0] < 24  # shards done by then
    assert result == {"sentences": 47, "parts": 24, "dim": 32, "embedded": 47}
    assert sum(sentences for sentences, _ in told) == 47
    np.testing.assert_allclose(rows(out), expected, atol=1e-6)
    told.clear()
    embedding.embed_text(text, folder, out, size=2, on_shard=lambda *what: told.append(what))
    assert not any(fresh for _, fresh in told)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "siamese_course.cli", "embed", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
    )


@pytest.mark.slow
def test_command_with_its_own_workers(text, folder, expected, tmp_path):
    out = tmp_path / "out"
    done = command(text, "--encoder", folder, "--out", out, "--lines", 20, "--workers", 2)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert (report["sentences"], report["embedded"], report["dim"]) == (47, 47, 32)
    np.testing.assert_allclose(rows(out), expected, atol=1e-6)
    done = command(text, "--encoder", folder, "--out", out, "--lines", 20)
    assert json.loads(done.stdout.splitlines()[-1])["embedded"] == 0


def test_command_says_what_is_wrong(text, folder, tmp_path):
    done = command(text, "--encoder", tmp_path, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "holds no sentence encoder" in done.stderr and "Traceback" not in done.stderr
    done = command(
        text, "--encoder", folder, "--out", tmp_path, "--workers", 2, "--scheduler", "tcp://x:1"
    )
    assert done.returncode == 1
    assert "--workers or --scheduler, not both" in done.stderr
