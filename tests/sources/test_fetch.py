"""Downloads against a real server on this machine that misbehaves in every way we know."""

import errno
import hashlib
import http.server
import io
import shutil
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import pytest

from siamese_course.cli import data as command
from siamese_course.runtime.errors import DataError, DownloadsDisabled, NetworkError
from siamese_course.sources import fetch, registry

CONTENT = b"the real file " * 5000
SHA256 = hashlib.sha256(CONTENT).hexdigest()

pytestmark = pytest.mark.usefixtures("no_data_directory")


class Misbehaving(http.server.BaseHTTPRequestHandler):
    """Answers by the path: /good, /corrupt, /truncated, /html, /missing, /breaks-once."""

    breaks_left = 1

    def do_GET(self):
        kind = self.path.strip("/").split("/")[0]
        body = {
            "corrupt": CONTENT[:-1] + b"!",
            "short": CONTENT[:-100],
            "html": b"<!DOCTYPE html><html>Please log in</html>",
        }.get(kind, CONTENT)
        breaks = kind in ("truncated", "stalls") or (
            kind == "breaks-once" and type(self).breaks_left > 0
        )
        if kind == "breaks-once":
            type(self).breaks_left -= 1
        self.send_response(404 if kind == "missing" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:1000] if breaks else body)
        if kind == "stalls":
            self.wfile.flush()
            time.sleep(1)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    Misbehaving.breaks_left = 1
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Misbehaving) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


@pytest.fixture
def nowhere():
    """An address at which nothing listens."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Misbehaving) as served:
        port = served.server_port
    return f"http://127.0.0.1:{port}/good"


SIZE = len(CONTENT)


def data_with(*urls, sha256=SHA256, size=SIZE, name="file.bin"):
    file = registry.RemoteFile(name, urls, size, sha256)
    return registry.DataSet("sample", "", "", "", (file,), (), "sample"), file


def leftovers(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


def test_a_good_download_is_kept_and_not_repeated(server, nowhere, own_cache):
    data, file = data_with(f"{server}/good")
    assert fetch.fetch_file(data, file).read_bytes() == CONTENT
    data, file = data_with(nowhere)  # the cache serves, nothing is asked for
    assert fetch.fetch_file(data, file).read_bytes() == CONTENT
    assert leftovers(own_cache) == ["file.bin"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("corrupt", "does not match the published sha256"),
        ("short", r"got 69,900 bytes, not 70,000"),
        ("html", "got a web page, not the file"),
    ],
)
def test_what_is_not_the_file_leaves_nothing_behind(server, own_cache, kind, reason):
    data, file = data_with(f"{server}/{kind}")
    with pytest.raises(
        DataError,
        match=rf"file\.bin of sample could not be downloaded completely.*{reason}.*Remedy",
    ) as caught:
        fetch.fetch_file(data, file)
    assert not isinstance(caught.value, NetworkError)  # a loader must not fall back in silence
    assert leftovers(own_cache) == []


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("truncated", "the transfer broke off"),
        ("missing", "answered with status 404"),
        ("stalls", "the transfer stalled"),
    ],
)
def test_a_server_that_fails_is_a_network_error(server, own_cache, kind, reason, monkeypatch):
    monkeypatch.setattr(fetch, "TIMEOUT_SECONDS", (5, 0.3))
    data, file = data_with(f"{server}/{kind}")
    with pytest.raises(
        NetworkError, match=rf"file\.bin of sample could not be downloaded.*{reason}"
    ):
        fetch.fetch_file(data, file)
    assert leftovers(own_cache) == []


def test_a_transfer_that_breaks_off_is_started_again(server):
    data, file = data_with(f"{server}/breaks-once")
    assert fetch.fetch_file(data, file).read_bytes() == CONTENT


@pytest.mark.parametrize("first", ["missing", "corrupt", "truncated", "html"])
def test_a_mirror_serves_where_the_first_address_fails(server, first):
    data, file = data_with(f"{server}/{first}", f"{server}/good")
    assert fetch.fetch_file(data, file).read_bytes() == CONTENT


def test_no_network_is_one_clear_error(nowhere, own_cache):
    data, file = data_with(nowhere)
    with pytest.raises(
        NetworkError, match=r"could not connect.*Check the network.*SIAMESE_COURSE_DATA"
    ):
        fetch.fetch_file(data, file)
    assert leftovers(own_cache) == []


def test_a_changed_cache_file_is_refused_and_the_command_replaces_it(server):
    data, file = data_with(f"{server}/good")
    path = fetch.fetch_file(data, file)
    path.write_bytes(CONTENT.replace(b"real", b"fake"))
    with pytest.raises(DataError, match=r"file\.bin is not the published file.*data fetch sample"):
        fetch.fetch_file(data, file)
    assert command.fetch(data, file) == path
    assert path.read_bytes() == CONTENT


def test_too_little_space_is_said_before_the_download(server, own_cache, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(100, 90, 10))
    data, file = data_with(f"{server}/good")
    with pytest.raises(
        DataError, match=r"file\.bin needs 70,000 bytes, and the disk has 10 left.*Free some space"
    ):
        fetch.fetch_file(data, file)
    assert leftovers(own_cache) == []


def test_a_disk_that_fills_up_on_the_way_leaves_nothing(server, own_cache, monkeypatch):
    """The write itself fails, as on a full disk: after half of the file."""
    real = fetch.pooch.HTTPDownloader.__call__

    def full(self, url, output_file, pooch_object, **options):
        real(self, url, output_file, pooch_object, **options)
        Path(output_file).write_bytes(CONTENT[: len(CONTENT) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetch.pooch.HTTPDownloader, "__call__", full)
    data, file = data_with(f"{server}/good")
    with pytest.raises(
        DataError, match=r"file\.bin could not be written: the disk is full.*Nothing was kept"
    ):
        fetch.fetch_file(data, file)
    assert leftovers(own_cache) == []


def test_a_cache_that_cannot_be_made_is_named(server, tmp_path, monkeypatch):
    (tmp_path / "a-file").write_text("")
    monkeypatch.setenv("SIAMESE_COURSE_CACHE", str(tmp_path / "a-file"))
    data, file = data_with(f"{server}/good")
    with pytest.raises(DataError, match=r"could not be written.*SIAMESE_COURSE_CACHE"):
        fetch.fetch_file(data, file)


def test_without_a_published_checksum_the_first_download_is_pinned(server):
    data, file = data_with(f"{server}/good", sha256=None)
    path = fetch.fetch_file(data, file)
    path.write_bytes(b"something else")
    with pytest.raises(DataError, match="is not the published file"):
        fetch.fetch_file(data, file)


def test_without_a_published_checksum_half_an_archive_is_refused(server, own_cache):
    data, file = data_with(f"{server}/good", sha256=None, name="data.zip")
    with pytest.raises(DataError, match="the archive is incomplete"):
        fetch.fetch_file(data, file)
    assert leftovers(own_cache) == []


# --- the order: data directory, cache, download ---


def test_the_data_directory_comes_first(tmp_path, monkeypatch):
    (tmp_path / "mnist").mkdir()
    plain = tmp_path / "mnist" / "train-labels-idx1-ubyte"
    plain.write_bytes(b"")
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    assert fetch.locate("mnist", "train-labels-idx1-ubyte.gz") == (plain, "SIAMESE_COURSE_DATA")


def test_then_the_cache_then_a_download(server, monkeypatch):
    data, _file = data_with(f"{server}/good")
    monkeypatch.setattr(fetch, "dataset", lambda name: data)
    assert fetch.locate("sample", "file.bin")[1] == "download"
    assert fetch.locate("sample", "file.bin")[1] == "cache"


def test_shipped_asks_no_network(server, monkeypatch):
    data, _file = data_with(f"{server}/good")
    monkeypatch.setattr(fetch, "dataset", lambda name: data)
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "shipped")
    with pytest.raises(DownloadsDisabled, match="turns downloads off"):
        fetch.locate("sample", "file.bin")


# --- archives ---


def zipped(path: Path, names) -> Path:
    with zipfile.ZipFile(path, "w") as content:
        for name in names:
            content.writestr(name, "x")
    return path


def tarred(path: Path, names) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 1
            tar.addfile(member, io.BytesIO(b"x"))
    return path


@pytest.mark.parametrize(("make", "name"), [(zipped, "a.zip"), (tarred, "a.tar.gz")])
def test_archives_are_unpacked(tmp_path, make, name):
    folder = fetch.unpack(make(tmp_path / name, ["one.txt", "inner/two.txt"]), tmp_path / "out")
    assert (folder / "inner" / "two.txt").read_text() == "x"


@pytest.mark.parametrize(("make", "name"), [(zipped, "a.zip"), (tarred, "a.tar.gz")])
@pytest.mark.parametrize("bad", ["../escaped.txt", "inner/../../escaped.txt"])
def test_no_path_of_an_archive_escapes(tmp_path, make, name, bad):
    (tmp_path / "x").mkdir()
    archive = make(tmp_path / "x" / name, ["good.txt", bad])
    with pytest.raises(DataError, match="cannot be unpacked"):
        fetch.unpack(archive, tmp_path / "x" / "out")
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted(["x", name])


def test_a_link_that_leads_outside_is_refused(tmp_path):
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tar:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        tar.addfile(link)
    with pytest.raises(DataError, match="cannot be unpacked"):
        fetch.unpack(tmp_path / "a.tar.gz", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("make", "name"), [(zipped, "a.zip"), (tarred, "a.tar.gz")])
def test_half_an_archive_leaves_no_folder(tmp_path, make, name):
    archive = make(tmp_path / name, [f"{i}.txt" for i in range(50)])
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(DataError, match="cannot be unpacked"):
        fetch.unpack(archive, tmp_path / "out")
    assert leftovers(tmp_path) == [name]


def test_a_file_of_unpublished_size_arrives_and_is_pinned(server, own_cache):
    data, file = data_with(f"{server}/good", sha256=None, size=None)
    target = fetch.fetch_file(data, file)
    assert target.read_bytes() == CONTENT
    assert fetch.pinned(target) == SHA256
