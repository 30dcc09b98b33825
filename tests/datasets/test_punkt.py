"""nltk's sentence data: found, downloaded, or not available."""

import zipfile

import nltk
import pytest

from siamese_course.batching.tokens import word_tokenizer
from siamese_course.datasets import punkt, quora
from siamese_course.runtime.errors import NetworkError
from siamese_course.sources.question_pairs import read_pairs

SENTENCES = "What's up? Dr. Smith isn't here. Go."


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """``prepare`` keeps its first answer; no test gets another one's, nor its folders."""
    punkt.prepare.cache_clear()
    monkeypatch.setattr(nltk.data, "path", [])
    yield
    punkt.prepare.cache_clear()


@pytest.fixture
def no_network(monkeypatch):
    """Every download fails, and is counted."""
    asked = []

    def fail(*_):
        asked.append(1)
        raise NetworkError("could not connect")

    monkeypatch.setattr(punkt, "fetch_file", fail)
    return asked


@pytest.mark.real_data
def test_sentence_data_of_the_data_directory(real_data, no_network):
    assert punkt.prepare() is True
    tokenize = word_tokenizer()
    assert tokenize(SENTENCES) == [
        *("What", "'s", "up", "?", "Dr.", "Smith", "is", "n't", "here", ".", "Go", ".")
    ]
    assert tokenize("How old are you?") == ["How", "old", "are", "you", "?"]
    assert tokenize("<PAD>") == ["<", "PAD", ">"]
    assert tokenize("") == tokenize("  ") == []
    assert nltk.data.path == [str(real_data / "nltk_data")]
    assert no_network == []


@pytest.mark.real_data
def test_without_sentence_data_few_tokens_differ_and_only_where_a_sentence_ends(real_data):
    path, _ = quora.locate("quora", quora.FILE)
    questions = read_pairs(path).question1[:3000]
    whole = word_tokenizer(sentence_data=punkt.prepare())
    simple = word_tokenizer(sentence_data=False)
    other = [question for question in questions if whole(question) != simple(question)]
    assert 30 < len(other) < 120  # about 2%
    for question in other:
        assert set('."') & set(question[:-1])
        cut_here, cut_there = ("".join(tokenize(question)) for tokenize in (whole, simple))
        assert cut_here.replace("''", "``") == cut_there.replace("''", "``")


def test_shipped_data_asks_no_network_and_prints_nothing(shipped, no_network, capsys):
    assert punkt.prepare() is False
    assert capsys.readouterr().out == ""
    assert no_network == nltk.data.path == []


@pytest.mark.parametrize("verbose", [True, False])
def test_without_a_network_the_reason_is_printed_once(
    no_data_directory, no_network, capsys, verbose
):
    assert punkt.prepare(verbose=verbose) is False
    assert punkt.prepare(verbose=verbose) is False
    reason = "word_tokenize runs without its sentence data: could not connect\n"
    assert capsys.readouterr().out == (reason if verbose else "")
    assert no_network == [1]  # a failed attempt takes seconds and is not repeated


def test_a_data_directory_without_sentence_data_is_no_dead_end(tmp_path, monkeypatch, no_network):
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    assert punkt.prepare() is False
    assert no_network == [1]


@pytest.mark.real_data
def test_downloaded_sentence_data_is_unpacked_once(real_data, tmp_path, monkeypatch):
    archive = tmp_path / "punkt_tab.zip"
    source = real_data / "nltk_data" / "tokenizers"
    with zipfile.ZipFile(archive, "w") as content:
        for path in sorted((source / "punkt_tab" / "english").iterdir()):
            content.write(path, path.relative_to(source))
    monkeypatch.delenv("SIAMESE_COURSE_DATA")
    monkeypatch.setattr(punkt, "fetch_file", lambda *_: archive)
    for _ in range(2):
        punkt.prepare.cache_clear()
        assert punkt.prepare() is True
        assert word_tokenizer()(SENTENCES)[8:10] == ["here", "."]
        assert nltk.data.path == [str(tmp_path)]
    splitter = nltk.tokenize.punkt.PunktTokenizer("english")  # reads the files anew
    assert splitter.tokenize("He saw Dr. Smith. She did too.") == [
        "He saw Dr. Smith.",
        "She did too.",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["punkt_tab.zip", "tokenizers"]


def test_sentence_data_deleted_from_the_cache_is_unpacked_again(
    no_data_directory, tmp_path, monkeypatch
):
    archive = tmp_path / "punkt_tab.zip"
    with zipfile.ZipFile(archive, "w") as content:
        content.writestr("punkt_tab/english/collocations.tab", "")
    monkeypatch.setattr(punkt, "fetch_file", lambda *_: archive)
    (tmp_path / "tokenizers").mkdir()
    assert punkt.prepare() is True
    assert (tmp_path / "tokenizers" / "punkt_tab" / "english" / "collocations.tab").is_file()
