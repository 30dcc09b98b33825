"""``siamese-course data``: status follows the loaders, verify tells sound files from damaged ones."""

import csv
import gzip
import shutil

import numpy as np
import pytest

from siamese_course.cli.data import data_fetch, whereabouts
from siamese_course.cli.verify import verify, verify_local
from siamese_course.sources.registry import LocalFile, dataset, registry


@pytest.mark.real_data
def test_everything_in_the_data_directory_verifies(real_data):
    findings = [finding for data in registry().values() for finding in verify(data)]
    assert [f for f in findings if f.ok is False] == []
    how = {f.path.name: f.how for f in findings}
    assert how["train-images-idx3-ubyte.gz"] == "sha256 matches"
    assert (
        how["quora_duplicate_questions.tsv.gz"]
        == "structure, 73,463 rows (no checksum is published)"
    )
    assert how["images_background.npz"] == "structure, 964 rows (no checksum is published)"


@pytest.mark.real_data
def test_one_changed_byte_is_found(real_data, tmp_path, monkeypatch):
    folder = tmp_path / "mnist"
    shutil.copytree(real_data / "mnist", folder)
    path = folder / "t10k-labels-idx1-ubyte.gz"
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    bad = [f for f in verify(dataset("mnist")) if f.ok is False]
    assert [f.path for f in bad] == [path]
    assert "is not a complete MNIST file" in bad[0].how
    monkeypatch.delenv("SIAMESE_COURSE_DATA")
    monkeypatch.setenv("SIAMESE_COURSE_CACHE", str(tmp_path))
    bad = [f for f in verify(dataset("mnist")) if f.ok is False]
    assert [(f.path, f.how) for f in bad] == [(path, "sha256 does not match")]


@pytest.mark.real_data
def test_plain_files_verify_by_their_structure(real_data, tmp_path, monkeypatch):
    (tmp_path / "mnist").mkdir()
    for file in (real_data / "mnist").glob("*.gz"):
        plain = gzip.decompress(file.read_bytes())
        (tmp_path / "mnist" / file.name.removesuffix(".gz")).write_bytes(plain)
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    findings = list(verify(dataset("mnist")))
    assert [f.ok for f in findings] == [True] * 4
    assert findings[0].how == "structure, 60,000 rows (sha256 is not the published file's)"
    where = next(where for data, where in whereabouts() if data.name == "mnist")
    assert where == "SIAMESE_COURSE_DATA"


def test_structure_counts_rows_and_finds_a_ragged_one(tmp_path):
    path = tmp_path / "pairs.tsv.gz"
    good = 'id\tq\n1\t"two\nlines"\n2\tx\n'
    path.write_bytes(gzip.compress(good.encode()))
    spec = LocalFile("pairs.tsv.gz", structure="tsv", columns=2, rows=3)
    assert verify_local(tmp_path, spec).how == "structure, 2 of 3 rows (no checksum is published)"
    path.write_bytes(gzip.compress((good + "3\tx\ty\n").encode()))
    finding = verify_local(tmp_path, spec)
    assert (finding.ok, finding.how) == (False, "structure: row 4 has 3 columns, not 2")
    path.write_bytes(gzip.compress(good.encode())[:-4])
    assert verify_local(tmp_path, spec).ok is False


def test_damaged_npz_and_zip_are_faults(tmp_path):
    np.savez(tmp_path / "a.npz", images=np.zeros((3, 2)))
    spec = LocalFile("a.npz", structure="npz", rows=3)
    assert verify_local(tmp_path, spec).how.startswith("structure, 3 rows")
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[content.index(b"PK\1\2") + 10] = 99  # an unknown method of compression
    (tmp_path / "a.npz").write_bytes(content)
    assert verify_local(tmp_path, spec).ok is False
    for damaged, structure in (("a.npz", "npz"), ("b.zip", "zip")):
        (tmp_path / damaged).write_bytes(b"PK not really")
        assert verify_local(tmp_path, LocalFile(damaged, structure=structure)).ok is False


def test_the_limit_of_a_field_fits_a_long_of_windows():
    """There, ``csv.field_size_limit(sys.maxsize)`` is an OverflowError."""
    assert 10**8 < csv.field_size_limit() < 2**31


def test_a_missing_file_is_a_fault_unless_optional(tmp_path):
    assert verify_local(tmp_path, LocalFile("x", structure="text")).ok is False
    assert verify_local(tmp_path, LocalFile("x", structure="text", optional=True)).ok is None


def test_status_names_what_only_fetch_downloads(monkeypatch, own_cache):
    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)
    found = {data.name: where for data, where in whereabouts()}
    assert [n for n, where in found.items() if "data fetch" in where] == ["wikisections"]
    assert found["wikisections"].startswith("triplets of the course's own sections")


def test_status_follows_the_loaders_order(tmp_path, monkeypatch, own_cache):
    def mnist():
        return next(where for data, where in whereabouts() if data.name == "mnist")

    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)
    assert mnist().startswith("download, else: 5,000 of the digits")
    (own_cache / "mnist").mkdir()
    for file in dataset("mnist").files:
        (own_cache / "mnist" / file.name).touch()
    assert mnist() == "cache"
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    for file in dataset("mnist").files:
        (tmp_path / "mnist" / file.name.removesuffix(".gz")).touch()
    assert mnist() == "SIAMESE_COURSE_DATA"
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "shipped")
    assert mnist().startswith("5,000 of the digits")


def test_status_knows_what_ships_complete(monkeypatch, own_cache):
    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)
    (own_cache / "omniglot").mkdir()
    for file in dataset("omniglot").files:
        (own_cache / "omniglot" / file.name).touch()
    found = {data.name: where for data, where in whereabouts()}
    assert found["omniglot"].startswith("all of it at 28 x 28 pixels")


def test_status_and_verify_know_data_as_people_have_it(tmp_path, monkeypatch, own_cache):
    """Quora's file alone; GLUE's tables; a part of the STS benchmark, compressed."""
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    for folder, names in {
        "quora": ["quora_duplicate_questions.tsv"],
        "glue-stsb": ["train.tsv", "dev.tsv"],
        "stsb": ["sts-train.csv.gz", "sts-dev.csv.gz"],
    }.items():
        (tmp_path / folder).mkdir()
        for name in names:
            row = b"id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
            (tmp_path / folder / name).write_bytes(gzip.compress(row) if name[-1] == "z" else row)
    found = {data.name: where for data, where in whereabouts()}
    for name in ("quora", "glue-stsb", "stsb"):
        assert found[name] == "SIAMESE_COURSE_DATA", name
        findings = list(verify(dataset(name)))
        assert findings and all(finding.ok is not False for finding in findings), findings


def test_verify_looks_at_the_triplets_to_test_on(tmp_path, monkeypatch, own_cache):
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    (tmp_path / "wikisections").mkdir()
    header = "Sentence1,Sentence2,Sentence3,article_id,article,section_pos,section_neg\n"
    for name in ("train", "validation"):
        (tmp_path / "wikisections" / f"{name}.csv").write_text(header)
    assert [finding.ok for finding in verify(dataset("wikisections"))] == [True, True, None]
    (tmp_path / "wikisections" / "test.csv").write_text(header + "too,few\n")
    *_, finding = verify(dataset("wikisections"))
    assert (finding.ok, finding.how) == (False, "structure: row 2 has 2 columns, not 7")


def test_status_names_what_keras_hub_downloads(monkeypatch, own_cache, capsys):
    monkeypatch.delenv("SIAMESE_COURSE_DATA", raising=False)
    found = {data.name: where for data, where in whereabouts()}
    assert found["roberta_base_en"].startswith("KerasHub")
    data_fetch(["roberta_base_en"])
    assert "nothing to fetch; KerasHub downloads it" in capsys.readouterr().out
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "shipped")
    found = {data.name: where for data, where in whereabouts()}
    assert found["roberta_base_en"] == "not available"
