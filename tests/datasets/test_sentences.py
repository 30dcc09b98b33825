"""Loading sentence pairs and triplets: from where, and what is printed."""

import functools
import gzip
import http.server
import tarfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from siamese_course.datasets import own_sentences, sentences
from siamese_course.runtime.errors import DataError, NetworkError
from siamese_course.sources import fetch, sentence_tables
from siamese_course.sources.registry import dataset

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sentences"


GLUE_HEADER = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore"
)


TRIPLET_HEADER = "Sentence1,Sentence2,Sentence3,article_id,article"


def content_of(*lines, end="\n"):
    return "".join(line + end for line in lines).encode()


def sts(score="3.5", sentence1="A dog runs.", sentence2="A cat sits.", more=""):
    return f"main-captions\tMSRvid\t2012test\t0001\t{score}\t{sentence1}\t{sentence2}{more}"


def glue(score="3.5", sentence1="A dog runs.", sentence2="A cat sits."):
    return f"0\tmain\tMSRvid\t2012\t0001\tnone\tnone\t{sentence1}\t{sentence2}\t{score}"


def as_rows(pairs):
    return list(zip(pairs.sentence1, pairs.sentence2, pairs.score.tolist(), strict=True))


def triplet_rows(triplets):
    return list(zip(triplets.anchor, triplets.positive, triplets.negative, strict=True))


def own_lines(name):
    header, *lines = (FOLDER / name).read_text("utf-8").removesuffix("\n").split("\n")
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


# --- loading ---


def sts_folder(folder, test=True, names=("sts-train.csv", "sts-dev.csv", "sts-test.csv")):
    """The benchmark's files with 3, 2 and 1 pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in zip((3, 2, 1) if test else (3, 2), names, strict=False):
        (folder / name).write_bytes(content_of(*(sts(n, f"{name} {n}") for n in range(count))))
    return folder


def glue_folder(folder):
    """GLUE's files with 4, 3 and 2 pairs, the last without scores."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in ((4, "train.tsv"), (3, "dev.tsv"), (2, "test.tsv")):
        lines = [GLUE_HEADER, *(glue(n, f"{name} {n}") for n in range(count))]
        if name == "test.tsv":
            lines = [line.rpartition("\t")[0] for line in lines]
        (folder / name).write_bytes(content_of(*lines))
    return folder


def triplet_folder(folder, names=sentences.TRIPLET_FILES):
    """The triplets' files with 5, 4 and 3 rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in zip((5, 4, 3), names, strict=False):
        rows = (f"a{n},b{n},c{n},{n},{name}" for n in range(count))
        (folder / name).write_bytes(content_of(TRIPLET_HEADER, *rows))
    return folder


def tarred(folder, path, inside):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder, inside)
    return path


def zipped(folder, path, inside):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as content:
        for file in folder.iterdir():
            content.write(file, f"{inside}/{file.name}")
    return path


def sizes(data):
    return [
        None if split is None else len(split) for split in (data.train, data.validation, data.test)
    ]


@pytest.fixture
def no_network(monkeypatch):
    """Every download fails, and is counted."""
    asked = []

    def fail(data, file, target):
        asked.append(data.name)
        raise NetworkError(
            f"{file.name} could not be downloaded (no cable). {fetch.OFFLINE_REMEDY}"
        )

    monkeypatch.setattr(fetch, "_download", fail)
    return asked


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A folder that is served, and takes the place of the published addresses."""
    root = tmp_path / "served"
    root.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Quiet, directory=root)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{served.server_port}"

        def redirected(name):
            (file,) = dataset(name).files
            path = root / file.name
            size = path.stat().st_size if path.exists() else 1
            file = replace(file, urls=(f"{address}/{file.name}",), size=size, sha256=None)
            return replace(dataset(name), files=(file,))

        for module in (fetch, sentences):
            monkeypatch.setattr(module, "dataset", redirected)
        yield root
        served.shutdown()


@pytest.mark.parametrize("test", [True, False])
def test_pairs_from_a_data_directory(tmp_path, monkeypatch, capsys, no_network, test):
    folder = sts_folder(tmp_path / "stsb", test)
    packed = folder / "sts-dev.csv.gz"
    packed.write_bytes(gzip.compress((folder / "sts-dev.csv").read_bytes()))
    (folder / "sts-dev.csv").unlink()
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    data = sentences.load_scored_pairs()
    assert sizes(data) == [3, 2, 1 if test else None]
    assert data.train.sentence1[0] == "sts-train.csv 0"
    counts = "3 train, 2 validation, 1 test" if test else "3 train, 2 validation"
    line = f"Scored pairs: {counts} (the STS benchmark, SIAMESE_COURSE_DATA)\n"
    assert capsys.readouterr().out == line == f"{data}\n"
    assert no_network == []


def test_triplets_from_a_data_directory(tmp_path, monkeypatch, capsys):
    triplet_folder(tmp_path / "wikisections", ("train.csv", "validation.csv"))
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    data = sentences.load_triplets()
    assert sizes(data) == [5, 4, None]
    line = "Triplets: 5 train, 4 validation (Wikipedia sections, SIAMESE_COURSE_DATA)\n"
    assert capsys.readouterr().out == line
    data = sentences.load_triplets(max_rows=2, verbose=False)
    assert sizes(data) == [2, 4, None]
    assert data.source == "Wikipedia sections, SIAMESE_COURSE_DATA, the first 2 training rows"
    assert capsys.readouterr().out == ""
    triplet_folder(tmp_path / "wikisections")
    assert sizes(sentences.load_triplets(max_rows=None)) == [5, 4, 3]


@pytest.mark.parametrize("most", [0, -1])
def test_no_rows_at_most_is_refused(most):
    with pytest.raises(ValueError, match=f"max_rows is {most}; expected at least 1"):
        sentences.load_triplets(max_rows=most)


def test_a_damaged_file_is_not_replaced_by_the_courses_own(tmp_path, monkeypatch):
    (sts_folder(tmp_path / "stsb") / "sts-dev.csv").write_text("<html>Log in</html>")
    (triplet_folder(tmp_path / "wikisections") / "train.csv").write_text("<html>Log in</html>")
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    for load in (sentences.load_scored_pairs, sentences.load_triplets):
        with pytest.raises(DataError, match="begins with '<html>Log in</html>'"):
            load()


def test_a_cached_archive_is_unpacked_once(tmp_path, own_cache, no_data_directory, no_network):
    source = sts_folder(tmp_path / "stsbenchmark")
    tarred(source, own_cache / "stsb" / "Stsbenchmark.tar.gz", "stsbenchmark")
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data) == [3, 2, 1]
    assert data.source == "the STS benchmark, cache"
    (unpacked,) = (own_cache / "stsb").glob("*-unpacked")
    (unpacked / "stsbenchmark" / "sts-train.csv").write_bytes(content_of(sts()))
    assert len(sentences.load_scored_pairs(verbose=False).train) == 1
    assert no_network == []


@pytest.mark.parametrize("name", ["sts-train.csv", "sts-test.csv"])
def test_a_file_deleted_from_the_cache_is_unpacked_again(
    tmp_path, own_cache, no_data_directory, no_network, name
):
    source = sts_folder(tmp_path / "stsbenchmark")
    archive = tarred(source, own_cache / "stsb" / "Stsbenchmark.tar.gz", "stsbenchmark")
    sentences.load_scored_pairs(verbose=False)
    (deleted,) = (own_cache / "stsb").rglob(name)
    deleted.unlink()
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data) == [3, 2, 1] and data.source == "the STS benchmark, cache"
    assert no_network == []
    # Without its archive, a folder of the cache that lacks a file is none
    archive.unlink()
    (own_cache / "stsb" / "Stsbenchmark-unpacked" / "stsbenchmark" / "sts-dev.csv").unlink()
    assert sentences.load_scored_pairs(verbose=False).source == "the course's own sentence pairs"
    assert no_network == ["stsb", "glue-stsb"]


@pytest.mark.parametrize("inside", ["", "wikipedia-sections-triplets"])
def test_cached_triplets(tmp_path, own_cache, no_data_directory, no_network, capsys, inside):
    archive = own_cache / "wikisections" / "wikipedia-sections-triplets.zip"
    zipped(triplet_folder(tmp_path / "t"), archive, inside)
    data = sentences.load_triplets(max_rows=3)
    assert sizes(data) == [3, 4, 3]
    line = "Triplets: 3 train, 4 validation, 3 test"
    assert capsys.readouterr().out == (
        f"{line} (Wikipedia sections, cache, the first 3 training rows)\n"
    )
    assert no_network == []


def test_a_cached_archive_that_was_changed_is_refused(tmp_path, own_cache, no_data_directory):
    archive = own_cache / "wikisections" / "wikipedia-sections-triplets.zip"
    zipped(triplet_folder(tmp_path / "t"), archive, "")
    archive.with_name(f"{archive.name}.sha256").write_text("0" * 64)
    with pytest.raises(DataError, match=r"is not the published file.*fetch wikisections"):
        sentences.load_triplets()
    assert archive.exists()


def test_glue_in_the_cache_comes_before_a_download(own_cache, no_data_directory, no_network):
    glue_folder(own_cache / "glue-stsb" / "STS-B.zip-unpacked" / "STS-B")
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data) == [4, 3, None]
    assert data.source == "the STS benchmark in GLUE's layout, cache"
    assert no_network == []


def test_the_benchmark_is_downloaded(tmp_path, server, no_data_directory):
    source = sts_folder(tmp_path / "stsbenchmark")
    tarred(source, server / "Stsbenchmark.tar.gz", "stsbenchmark")
    origins = [sentences.load_scored_pairs(verbose=False).source for _ in range(2)]
    assert origins == ["the STS benchmark, download", "the STS benchmark, cache"]


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (None, "Stsbenchmark.tar.gz of stsb could not be downloaded"),
        (b"<html>Log in</html>", "Stsbenchmark.tar.gz of stsb could not be downloaded completely"),
    ],
)
def test_glue_is_the_second_source(tmp_path, server, no_data_directory, capsys, first, reason):
    if first:
        (server / "Stsbenchmark.tar.gz").write_bytes(first)
    zipped(glue_folder(tmp_path / "STS-B"), server / "STS-B.zip", "STS-B")
    data = sentences.load_scored_pairs()
    assert sizes(data) == [4, 3, None]
    assert data.source == "the STS benchmark in GLUE's layout, download"
    printed = capsys.readouterr().out
    assert reason in printed
    assert printed.endswith(f"\n{data}\n")


def test_a_download_that_is_damaged_is_not_replaced_by_the_courses_own(server, no_data_directory):
    (server / "Stsbenchmark.tar.gz").write_bytes(b"<html>Log in</html>")
    with pytest.raises(
        DataError, match=r"of stsb could not be downloaded completely.*web page"
    ) as caught:
        sentences.load_scored_pairs()
    assert not isinstance(caught.value, NetworkError)


def test_an_archive_of_something_else_is_named(tmp_path, server, no_data_directory):
    source = glue_folder(tmp_path / "other")
    tarred(source, server / "Stsbenchmark.tar.gz", "other")
    with pytest.raises(DataError, match=r"stsb does not hold sts-train\.csv and sts-dev\.csv"):
        sentences.load_scored_pairs()


def test_without_a_network_the_reason_is_said(no_data_directory, no_network, capsys):
    data = sentences.load_scored_pairs()
    assert data.source == "the course's own sentence pairs"
    told, line = capsys.readouterr().out.splitlines()
    assert told.startswith("The STS benchmark is not available: Stsbenchmark.tar.gz could not be")
    assert "STS-B.zip could not be downloaded" in told
    assert told.count("Check the network") == 1
    assert line == str(data)
    assert no_network == ["stsb", "glue-stsb"]
    sentences.load_scored_pairs(verbose=False)
    assert capsys.readouterr().out == ""


def test_triplets_are_never_downloaded_by_surprise(no_data_directory, no_network, capsys):
    data = sentences.load_triplets()
    assert data.source == "triplets of the course's own sections"
    told, line = capsys.readouterr().out.splitlines()
    assert "wikipedia-sections-triplets.zip is neither in SIAMESE_COURSE_DATA nor in" in told
    assert told.endswith("(500 MB): siamese-course data fetch wikisections")
    assert line == str(data)
    assert no_network == []


def test_shipped_sentences_are_the_courses_own(shipped, no_network, own_cache, capsys):
    sts_folder(own_cache / "stsb" / "Stsbenchmark-unpacked")  # not looked at
    triplet_folder(own_cache / "wikisections" / "w-unpacked")
    pairs, triplets = sentences.load_scored_pairs(), sentences.load_triplets()
    assert capsys.readouterr().out == f"{pairs}\n{triplets}\n"  # asked for: no word of a fall-back
    assert sizes(pairs) == list(map(len, own_sentences.own_scored_pairs()))
    assert sizes(triplets) == list(map(len, own_sentences.own_triplets()))
    assert triplets.train == own_sentences.own_triplets()[0]
    assert no_network == []


def test_the_registry_counts_what_ships():
    articles = {line["article"] for line in own_lines("sections.tsv")}
    assert f"{len(articles)} articles of three sections" in dataset("wikisections").shipped


# --- real files ---


@pytest.mark.real_data
def test_real_pairs_are_all_read(real_data):
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data)[:2] == [5749, 1500]
    for name, pairs in (("sts-train.csv", data.train), ("sts-dev.csv", data.validation)):
        expected = []
        for line in (real_data / "stsb" / name).read_bytes().decode().split("\n"):
            if line:
                cells = line.split("\t")
                expected.append((cells[5].strip(), cells[6].strip(), np.float32(cells[4])))
        assert as_rows(pairs) == expected
        assert as_rows(sentence_tables.read_scored_pairs(real_data / "stsb" / name)) == expected
        assert (pairs.score.min(), pairs.score.max()) == (0, 5)


@pytest.mark.real_data
def test_real_triplets_are_all_read(real_data):
    data = sentences.load_triplets(verbose=False)
    assert sizes(data)[:2] == [61_242, 3_353]
    assert "first" not in data.source
    content = gzip.decompress((real_data / "wikisections" / "validation.csv.gz").read_bytes())
    expected = [csv_cells(line)[:3] for line in content.decode().split("\r\n")[1:] if line]
    assert list(map(list, triplet_rows(data.validation))) == expected


def csv_cells(line):
    """The stripped cells of one line of csv, character by character."""
    cells, quoted = [""], False
    for character in line.replace('""', "\0"):
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            cells.append("")
        else:
            cells[-1] += '"' if character == "\0" else character
    return [cell.strip() for cell in cells]
