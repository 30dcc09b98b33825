"""From questions to arrays: tokens, ids, padding and batches, against loops by hand."""

import itertools
import time
import zipfile
import zlib

import nltk
import numpy as np
import pytest

from siamese_course.batching import questions as text
from siamese_course.datasets import quora
from siamese_course.runtime.errors import NetworkError


@pytest.fixture(autouse=True)
def fresh_tokenizer():
    """``word_tokenizer`` keeps its first answer; no test gets another one's."""
    text.word_tokenizer.cache_clear()
    yield
    text.word_tokenizer.cache_clear()


def rng(seed=0):
    return np.random.default_rng(seed)


# --- tokenizers ---


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("What's a CPU?", ["what", "s", "a", "cpu"]),
        ("  3.5 or 1,000 km/h?!", ["3", "5", "or", "1", "000", "km", "h"]),
        ("Naïve café – STRASSE", ["naïve", "café", "strasse"]),
        ("מה השעה? كم عمرك؟", ["מה", "השעה", "كم", "عمرك"]),
        ("你好吗", ["你好吗"]),
        ("🤷 😀?!", []),
        ("", []),
        (" \t\n", []),
        ("<PAD>", ["pad"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_simple_tokens(question, tokens):
    assert text.simple_tokenizer(question) == tokens


SENTENCES = "What's up? Dr. Smith isn't here. Go."


@pytest.mark.real_data
def test_word_tokens_with_sentence_data(real_data):
    tokenize = text.word_tokenizer()
    assert tokenize(SENTENCES) == [
        *("What", "'s", "up", "?", "Dr.", "Smith", "is", "n't", "here", ".", "Go", ".")
    ]
    assert tokenize("How old are you?") == ["How", "old", "are", "you", "?"]
    assert tokenize("<PAD>") == ["<", "PAD", ">"]
    assert tokenize("") == tokenize("  ") == []
    assert str(real_data / "nltk_data") in nltk.data.path
    assert text.word_tokenizer() is tokenize


@pytest.mark.real_data
def test_without_sentence_data_few_tokens_differ_and_only_where_a_sentence_ends(real_data):
    path, _ = quora.locate("quora", quora.FILE)
    questions = [row.question1 for row in itertools.islice(quora.stream_rows(path), 3000)]
    whole, simple = text.word_tokenizer(), nltk.tokenize.NLTKWordTokenizer().tokenize
    other = [question for question in questions if whole(question) != simple(question)]
    assert 30 < len(other) < 120  # about 2%
    for question in other:
        assert set('."') & set(question[:-1])
        cut_here, cut_there = ("".join(tokenize(question)) for tokenize in (whole, simple))
        assert cut_here.replace("''", "``") == cut_there.replace("''", "``")


def test_without_sentence_data_nothing_is_asked_of_the_network(shipped, capsys, monkeypatch):
    monkeypatch.setattr(text, "fetch_file", None)
    tokenize = text.word_tokenizer()
    assert tokenize(SENTENCES) == [
        *("What", "'s", "up", "?", "Dr.", "Smith", "is", "n't", "here.", "Go", ".")
    ]
    assert tokenize("How old are you?") == ["How", "old", "are", "you", "?"]
    assert tokenize("<PAD>") == ["<", "PAD", ">"]
    assert tokenize("") == tokenize("  ") == []
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("verbose", "says"), [(True, True), (False, False)])
def test_without_a_network_the_reason_is_said(
    no_data_directory, monkeypatch, capsys, verbose, says
):
    def no_network(*_):
        raise NetworkError("could not connect")

    monkeypatch.setattr(text, "fetch_file", no_network)
    assert text.word_tokenizer(verbose)("it works.") == ["it", "works", "."]
    said = "word_tokenize goes without its sentence data: could not connect" in (
        capsys.readouterr().out
    )
    assert said == says


def test_a_data_directory_without_sentence_data_is_no_dead_end(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))

    def no_network(*_):
        raise NetworkError("could not connect")

    monkeypatch.setattr(text, "fetch_file", no_network)
    assert text.word_tokenizer()("it works.") == ["it", "works", "."]


@pytest.mark.real_data
def test_downloaded_sentence_data_is_unpacked_once(real_data, tmp_path, monkeypatch):
    archive = tmp_path / "punkt_tab.zip"
    source = real_data / "nltk_data" / "tokenizers"
    with zipfile.ZipFile(archive, "w") as content:
        for path in sorted((source / "punkt_tab" / "english").iterdir()):
            content.write(path, path.relative_to(source))
    monkeypatch.delenv("SIAMESE_COURSE_DATA")
    monkeypatch.setattr(text, "fetch_file", lambda *_: archive)
    monkeypatch.setattr(nltk.data, "path", [])
    for _ in range(2):
        text.word_tokenizer.cache_clear()
        assert text.word_tokenizer()(SENTENCES)[8:10] == ["here", "."]
        assert nltk.data.path == [str(tmp_path)]
    splitter = nltk.tokenize.punkt.PunktTokenizer("english")  # reads the files anew
    assert splitter.tokenize("He saw Dr. Smith. She did too.") == [
        "He saw Dr. Smith.",
        "She did too.",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["punkt_tab.zip", "tokenizers"]


# --- vocabulary ---

TRAINING = ["is it red or green", "is it red", "what is red"]


def test_words_are_numbered_in_order_of_appearance():
    vocabulary = text.build_vocabulary(TRAINING, str.split)
    assert list(vocabulary.items()) == [
        ("<PAD>", 1),
        *zip(["is", "it", "red", "or", "green", "what"], range(2, 8), strict=True),
    ]
    assert text.UNKNOWN not in vocabulary.values()
    assert vocabulary == text.build_vocabulary(iter(TRAINING), str.split)


@pytest.mark.parametrize("least", [0, 1, 2, 3, 4])
def test_rare_words_get_no_number(least):
    vocabulary = text.build_vocabulary(TRAINING, str.split, least=least)
    expected = {"<PAD>": 1}
    for word in " ".join(TRAINING).split():
        occurs = sum(word == other for question in TRAINING for other in question.split())
        if occurs >= least and word not in expected:
            expected[word] = len(expected) + 1
    assert vocabulary == expected


def test_a_vocabulary_of_nothing_is_the_padding():
    assert text.build_vocabulary([], str.split) == {"<PAD>": 1}
    assert text.build_vocabulary(["", "😀"], text.simple_tokenizer) == {"<PAD>": 1}


def test_padding_in_a_question_takes_no_number_of_a_word():
    assert text.build_vocabulary(["<PAD> a <PAD> b"], str.split) == {"<PAD>": 1, "a": 2, "b": 3}


# --- encoding ---

VOCABULARY = text.build_vocabulary(TRAINING, text.simple_tokenizer)


def encode(*questions, **options):
    return text.encode(questions, VOCABULARY, text.simple_tokenizer, **options)


def test_words_of_the_training_set_and_no_others_are_known():
    assert encode("Is it BLUE?", "what, or what?") == [[2, 3, 0], [7, 5, 7]]
    assert encode() == []
    assert text.encode(iter(["red"]), VOCABULARY, text.simple_tokenizer) == [[4]]


@pytest.mark.parametrize("question", ["", "   ", "?!", "🤷‍♀️ 😀", "\n"])
def test_a_question_without_a_word_is_one_unknown_word(question):
    assert encode(question) == encode(question, buckets=10) == [[text.UNKNOWN]]


@pytest.mark.parametrize(
    "question", [None, 7, 1.5, float("nan"), b"red", ["red"], np.int64(1)], ids=repr
)
def test_what_is_no_string_is_named(question):
    with pytest.raises(ValueError, match=r"question 1 is .*expected a string") as error:
        encode("red", question)
    assert type(question).__name__ in str(error.value)


def test_one_question_is_not_taken_for_a_list_of_letters():
    with pytest.raises(ValueError, match="questions is the string 'red'; expected a list"):
        text.encode("red", VOCABULARY, text.simple_tokenizer)


def test_numpy_strings_are_strings():
    assert text.encode(np.array(["red", "what"]), VOCABULARY, text.simple_tokenizer) == [[4], [7]]


@pytest.mark.parametrize("buckets", [1, 7, 1000])
def test_unknown_words_share_buckets_by_a_hash(buckets):
    first = len(VOCABULARY) + 1
    words = [f"word{n}" for n in range(300)]
    (ids,) = encode(" ".join(["red", *words]), longest=400, buckets=buckets)
    assert ids[0] == VOCABULARY["red"]
    for word, number in zip(words, ids[1:], strict=True):
        assert number == first + zlib.crc32(word.encode()) % buckets
    assert first <= min(ids[1:]) <= max(ids[1:]) < first + buckets
    assert len(set(ids[1:])) > 0.8 * min(buckets, 300) * (1 if buckets < 300 else 0.9)
    assert max(VOCABULARY.values()) < first


def test_the_same_unknown_word_agrees_in_two_questions():
    (left, right) = encode("a zebra is red", "ZEBRA?", buckets=1000)
    assert left[1] == right[0] == 8 + zlib.crc32(b"zebra") % 1000  # the same on every machine
    assert encode("zebra") == [[0]]


@pytest.mark.parametrize("buckets", [0, 1000])
def test_of_ten_thousand_words_the_first_are_read(buckets):
    words = [f"{n % 6}" for n in range(10_000)]
    for longest in (1, 24, text.LONGEST):
        (ids,) = encode(" ".join(words), longest=longest, buckets=buckets)
        assert [ids] == encode(" ".join(words[:longest]), buckets=buckets)
        assert len(ids) == longest
    (ids,) = encode(" ".join(["red", "or", "what"] * 4000))
    assert ids == ([4, 5, 7] * 43)[: text.LONGEST]


def test_a_book_without_a_space_is_read_quickly(shipped):
    started = time.perf_counter()
    for tokenize in (text.simple_tokenizer, text.word_tokenizer()):
        for book in ("x" * 5_000_000, "." * 5_000_000, "'" * 5_000_000, " " * 5_000_000):
            (ids,) = text.encode([book], VOCABULARY, tokenize)
            assert 1 <= len(ids) <= text.LONGEST
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "question",
    [
        "מה השעה?",
        "كم عمرك؟",
        "😀 red 😀",
        "\ud800 red",
        "red\udfff",
        "\u202ered\u202c",
        "\0red",
        "ﬁ",
    ],
    ids=ascii,
)
@pytest.mark.parametrize("buckets", [0, 50])
def test_any_text_has_ids_within_bounds(shipped, question, buckets):
    for tokenize in (text.simple_tokenizer, text.word_tokenizer()):
        (ids,) = text.encode([question], VOCABULARY, tokenize, buckets=buckets)
        assert ids
        assert all(0 <= number <= len(VOCABULARY) + buckets for number in ids)
        assert text.PAD not in ids


def test_a_typed_padding_is_not_padding(shipped):
    for tokenize in (text.simple_tokenizer, text.word_tokenizer()):
        for question in ("<PAD>", "<PAD> <PAD>", "a<PAD>b"):
            (ids,) = text.encode([question], VOCABULARY, tokenize)
            assert text.PAD not in ids


# --- padding ---


@pytest.mark.parametrize("length", [-1, 0, *range(1, 40), 127, 128, 129, 1000, 1024, 1025])
def test_power_of_two_by_doubling(length):
    power = 1
    while power < length:
        power *= 2
    assert text.power_of_two(length) == text.power_of_two(np.int64(length)) == power


def random_rows(n, longest=20, seed=0):
    source = rng(seed)
    return [source.integers(2, 99, source.integers(1, longest + 1)).tolist() for _ in range(n)]


def expected_array(rows, length):
    return [[row[i] if i < len(row) else 1 for i in range(length)] for row in rows]


@pytest.mark.parametrize(("longest", "length"), [(1, 1), (2, 2), (3, 4), (16, 16), (17, 32)])
def test_rows_are_filled_up_to_a_power_of_two(longest, length):
    rows = [*random_rows(30, longest), [5] * longest]
    padded = text.pad(rows)
    assert (padded.shape, padded.dtype) == ((31, length), "int32")
    assert padded.tolist() == expected_array(rows, length)


def test_padding_to_a_given_length():
    assert text.pad([[5], [6, 7]], 3).tolist() == [[5, 1, 1], [6, 7, 1]]
    with pytest.raises(ValueError):
        text.pad([[5, 6, 7, 8]], 3)


def test_padding_of_nothing():
    assert text.pad([]).shape == (0, 1)
    assert text.pad([[]]).tolist() == [[1]]
    left, right = text.pad_pair([], [])
    assert left.shape == right.shape == (0, 1)


@pytest.mark.parametrize(("one", "other", "length"), [(3, 9, 16), (9, 3, 16), (4, 4, 4), (1, 2, 2)])
def test_both_sides_have_one_length(one, other, length):
    left = [*random_rows(10, one, 1), [5] * one]
    right = [*random_rows(10, other, 2), [5] * other]
    padded = text.pad_pair(left, right)
    assert padded[0].tolist() == expected_array(left, length)
    assert padded[1].tolist() == expected_array(right, length)


# --- classic batches ---


def numbered(n, first):
    """Row i says its number, and is as long as its number has digits."""
    return [[first + i] * len(str(i)) for i in range(n)]


def rows_of(batches, first=10_000):
    return [(left[:, 0] - first).tolist() for left, _ in batches]


def take(n, batch_size, count, **options):
    stream = text.classic_batches(numbered(n, 10_000), numbered(n, 20_000), batch_size, **options)
    return list(itertools.islice(stream, count))


@pytest.mark.parametrize(("n", "batch_size"), [(10, 4), (10, 5), (7, 7), (5, 1), (11, 10), (1, 1)])
def test_classic_batches_carry_over_from_epoch_to_epoch(n, batch_size):
    batches = take(n, batch_size, 40, rng=rng(3))
    same_source, order = rng(3), []
    while len(order) < 40 * batch_size:
        order += same_source.permutation(n).tolist()
    assert rows_of(batches) == [
        order[batch_size * i : batch_size * (i + 1)] for i in range(40)
    ]  # every epoch is a whole permutation, and no row is left out at its end
    for left, right in batches:
        assert (right[:, 0] - left[:, 0]).tolist() == [10_000] * batch_size
        assert left.shape == right.shape == (batch_size, left.shape[1])


def test_classic_batches_in_the_files_order():
    batches = take(5, 2, 10, shuffle=False)
    assert rows_of(batches) == [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]] * 2
    assert rows_of(take(5, 2, 10, shuffle=False, rng=rng(7))) == rows_of(batches)


def test_classic_batches_hold_the_padded_rows():
    left, right = [[5, 6, 7], [8]], [[9], [10] * 5]
    ((first, second),) = itertools.islice(text.classic_batches(left, right, 2, shuffle=False), 1)
    assert first.tolist() == expected_array(left, 8)
    assert second.tolist() == expected_array(right, 8)
    assert (first.dtype, second.dtype) == ("int32", "int32")


def test_classic_batches_follow_the_seed():
    first, again, other = (rows_of(take(50, 8, 20, rng=rng(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first[:6] != first[6:12]


@pytest.mark.parametrize("batch_size", [0, -1, 4])
def test_a_batch_size_that_does_not_fit_is_refused_at_the_call(batch_size):
    rows = numbered(3, 2)
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 1 to 3"):
        text.classic_batches(rows, rows, batch_size, rng=rng())


def test_other_errors_are_raised_at_the_call():
    rows = numbered(3, 2)
    with pytest.raises(ValueError, match="left has 3 rows and right has 2; expected as many"):
        text.classic_batches(rows, rows[:2], 1, rng=rng())
    with pytest.raises(ValueError, match="shuffle is True and rng is None"):
        text.classic_batches(rows, rows, 1)
    with pytest.raises(ValueError, match="batch_size is 1; expected 1 to 0"):
        text.classic_batches([], [], 1, rng=rng())


# --- batches with one row of a group ---


def zipf_groups(n, seed=0):
    """Many small groups and a few large ones, with gaps between the numbers."""
    return rng(seed).zipf(1.7, n).clip(max=400) * 17


def require_whole_and_apart(groups, batches, batch_size):
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(groups)))
    for batch in batches:
        assert 1 <= len(batch) <= batch_size
        met = [groups[row] for row in batch]
        assert len(met) == len(set(met))


@pytest.mark.parametrize("with_lengths", [False, True])
@pytest.mark.parametrize(("n", "batch_size"), [(1, 1), (7, 3), (200, 200), (500, 8), (3000, 64)])
def test_every_row_once_and_no_two_of_a_group_together(n, batch_size, with_lengths):
    for seed in range(4):
        groups = zipf_groups(n, seed)
        lengths = rng(seed).integers(1, 40, n) if with_lengths else None
        batches = text.group_batches(groups, batch_size, rng(seed), lengths)
        require_whole_and_apart(groups, batches, batch_size)


def test_batch_sizes_differ_by_one_and_are_as_large_as_they_can_be():
    groups = np.repeat(np.arange(100), 3)
    sizes = [len(batch) for batch in text.group_batches(groups, 64, rng())]
    assert sorted(sizes) == [60] * 5
    sizes = [len(batch) for batch in text.group_batches(groups, 7, rng())]
    assert len(sizes) == 43
    assert set(sizes) == {6, 7}


@pytest.mark.parametrize("lengths", [None, np.full(100, 5)])
def test_one_huge_group_gives_batches_of_one_row(lengths):
    batches = text.group_batches([4] * 100, 10, rng(), lengths)
    assert [len(batch) for batch in batches] == [1] * 100
    assert sorted(np.concatenate(batches).tolist()) == list(range(100))


def test_one_large_group_among_many_is_spread_over_all_batches():
    groups = np.concatenate([np.zeros(50, int), np.arange(1, 951)])
    batches = text.group_batches(groups, 100, rng())
    require_whole_and_apart(groups, batches, 100)
    assert len(batches) == 50
    assert [sum(groups[batch] == 0) for batch in batches] == [1] * 50


def test_groups_of_one_row_fill_whole_batches():
    assert [len(batch) for batch in text.group_batches(np.arange(12), 12, rng())] == [12]
    assert [len(batch) for batch in text.group_batches(np.arange(12), 4, rng())] == [4, 4, 4]


def test_groups_may_be_any_numbers_or_a_list():
    for groups in ([-5, 10**12, -5, 3], np.array([2.5, 1.5, 2.5, 0.0]), ["b", "a", "b", "c"]):
        require_whole_and_apart(groups, text.group_batches(groups, 2, rng()), 2)


def padding(batches, lengths):
    return sum(len(batch) * max(lengths[row] for row in batch) for batch in batches)


def test_groups_of_similar_length_come_together():
    groups = np.repeat(np.arange(1000), 3)
    lengths = (np.repeat(rng(1).integers(4, 40, 1000), 3) + rng(2).integers(-2, 3, 3000)).tolist()
    mixed = padding(text.group_batches(groups, 32, rng()), lengths)
    alike = padding(text.group_batches(groups, 32, rng(), lengths), lengths)
    assert sum(lengths) < alike < 0.75 * mixed


def test_too_few_rows_for_buckets_fill_whole_batches():
    lengths = rng().integers(1, 40, 100)
    batches = text.group_batches(np.arange(100), 20, rng(), lengths)
    assert [len(batch) for batch in batches] == [20] * 5


@pytest.mark.parametrize("lengths", [None, np.arange(600) % 30 + 1])
def test_group_batches_follow_the_seed_and_change_with_the_epoch(lengths):
    groups = zipf_groups(600)

    def epochs(seed):
        source = rng(seed)
        return [
            [batch.tolist() for batch in text.group_batches(groups, 16, source, lengths)]
            for _ in range(2)
        ]

    assert epochs(1) == epochs(1)
    assert epochs(1)[0] != epochs(1)[1]
    assert epochs(1) != epochs(2)


@pytest.mark.parametrize("batch_size", [0, -3, 5])
def test_a_group_batch_size_that_does_not_fit_is_refused(batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected 1 to 4"):
        text.group_batches([0, 0, 1, 2], batch_size, rng())


def test_no_rows_and_lengths_of_others_are_refused():
    with pytest.raises(ValueError, match="batch_size is 1; expected 1 to 0"):
        text.group_batches([], 1, rng())
    with pytest.raises(ValueError):
        text.group_batches([0, 1, 2], 2, rng(), [4, 4])


# --- doubles ---


def test_doubles_by_hand():
    groups = [7, 7, 8, 8, 8, 9]
    assert text.doubles(groups, [np.arange(6)]) == pytest.approx(5 / 6)
    assert text.doubles(groups, [np.array([0, 2, 5]), np.array([1, 3, 4])]) == pytest.approx(2 / 6)
    assert text.doubles(groups, [np.array([0, 2]), np.array([1, 3]), np.array([4, 5])]) == 0


@pytest.mark.parametrize("seed", range(5))
def test_doubles_count_rows_that_meet_their_group(seed):
    groups = zipf_groups(400, seed)
    batches = np.array_split(rng(seed).permutation(400), 9)
    met = 0
    for batch in batches:
        for row in batch:
            met += any(groups[row] == groups[other] and row != other for other in batch)
    assert text.doubles(groups, batches) == met / 400
    assert text.doubles(groups, iter(batches)) == met / 400
    assert met > 0
    assert text.doubles(groups, text.group_batches(groups, 50, rng())) == 0
