"""Tables of one's own: every format gives the same rows."""

import gzip

import pytest

from siamese_course import own_data
from siamese_course.runtime.errors import DataError

ROWS = [("a cat", "the cat", 1), ("a dog", "the dog", 1), ("a cow", "rain falls", 0)]


def write_table(path, columns):
    import pandas as pd

    table = pd.DataFrame(ROWS, columns=columns)
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, sep="," if path.suffix == ".csv" else "\t", index=False)
    return path


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_every_format_gives_the_same_rows(suffix, tmp_path, capsys):
    path = write_table(tmp_path / f"q.{suffix}", ["question1", "question2", "is_duplicate"])
    pairs = own_data.read_question_pairs(path)
    assert list(zip(pairs.question1, pairs.question2, pairs.same.tolist(), strict=True)) == ROWS
    path = write_table(tmp_path / f"s.{suffix}", ["sentence1", "sentence2", "score"])
    scored = own_data.read_own_scores(path)
    assert scored.score.tolist() == [5, 5, 0] and "multiplied by 5" in capsys.readouterr().out
    assert scored.sentence1 == ["a cat", "a dog", "a cow"]
    path = write_table(tmp_path / f"t.{suffix}", ["anchor", "positive", "negative"])
    assert own_data.read_own_triplets(path).negative == ["1", "1", "0"]
    with pytest.raises(DataError, match=r"missing: score|header with score"):
        own_data.read_own_scores(path)


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("beginning", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_tables_as_spreadsheets_write_them(suffix, beginning, ending, tmp_path):
    """With a byte order mark, lines of Windows, semicolons, other columns, and names in another case."""

    def write(*names):
        delimiter = ";" if suffix == "csv" else "\t"
        rows = [(*names, "Note"), *((*row, "") for row in ROWS)]
        lines = [delimiter.join(map(str, row)) for row in rows]
        path = tmp_path / f"{names[0]}.{suffix}"
        path.write_bytes((beginning + ending.join(lines) + ending).encode())
        return path

    pairs = own_data.read_question_pairs(write("Question1", "Question2", "is_duplicate"))
    assert list(zip(pairs.question1, pairs.question2, pairs.same.tolist(), strict=True)) == ROWS
    path = write("Sentence1", "Sentence2", "Score")
    assert own_data.read_own_scores(path).score.tolist() == [5, 5, 0]
    assert own_data.read_texts(path, "Sentence1") == ["a cat", "a dog", "a cow"]
    with pytest.raises(DataError, match="is a table; name the column"):
        own_data.read_texts(path)
    triplets = own_data.read_own_triplets(write("Anchor", "Positive", "Negative"))
    assert triplets.positive == ["the cat", "the dog", "rain falls"]


def test_parquet_of_some_rows_of_a_table(tmp_path):
    """Without the names of its rows, and with what pandas takes for an empty cell."""
    pytest.importorskip("pyarrow")
    import pandas as pd

    table = pd.DataFrame({"text": pd.array(["a", "b", None, "c"], "string")})
    path = tmp_path / "t.parquet"
    table.iloc[[3, 0, 1]].to_parquet(path)
    assert own_data.read_texts(path, "text") == ["c", "a", "b"]
    table.iloc[[3, 2]].to_parquet(path)
    with pytest.raises(DataError, match="row 2: text is empty"):
        own_data.read_texts(path, "text")
    pd.DataFrame({"text": [["a", "b"], ["c"]]}).to_parquet(path)
    with pytest.raises(DataError, match="row 1: text is a ndarray"):
        own_data.read_texts(path, "text")


def test_a_damaged_table_or_a_name_of_two_columns_is_a_fault(tmp_path):
    lines = "".join(f"{n * 7919 % 1000},{n}\n" for n in range(30_000))
    content = gzip.compress(f"text,n\n{lines}".encode())
    for name, damaged in (
        ("half.csv.gz", content[: len(content) // 2]),
        ("changed.csv.gz", content[:9000] + bytes(200) + content[9200:]),
    ):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(DataError, match=r"\.csv\.gz cannot be read"):
            own_data.read_texts(tmp_path / name, "text")
    for name, content in (("t.csv", "Text,text\na,b\n"), ("t.tsv", "text\ttext\na\tb\n")):
        (tmp_path / name).write_text(content)
        with pytest.raises(DataError, match="more than one column text"):
            own_data.read_texts(tmp_path / name, "text")
    for name, reader in (
        ("q.csv", own_data.read_question_pairs),
        ("q.tsv", own_data.read_question_pairs),
        ("s.csv", own_data.read_own_scores),
    ):
        header = (
            "score,sentence1,sentence2,score"
            if reader is own_data.read_own_scores
            else "question1,question2,is_duplicate,question1"
        )
        content = f"{header}\na,b,1,c\n"
        (tmp_path / name).write_text(content.replace(",", "\t") if name == "q.tsv" else content)
        with pytest.raises(DataError, match="more than one column"):
            reader(tmp_path / name)


def test_an_unclosed_quotation_mark_is_a_fault_of_tabs_and_swallows_no_rows(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('text\tn\na\t1\n"b\t2\nc\t3\n"d\t4\n')
    with pytest.raises(DataError, match="row 2: text takes several lines"):
        own_data.read_texts(path, "text")
    path.write_text('text\tn\n"a ""b"""\t1\n')
    assert own_data.read_texts(path, "text") == ['a "b"']
    (tmp_path / "t.csv").write_text('text,n\n"a\nb",1\n')
    assert own_data.read_texts(tmp_path / "t.csv", "text") == ["a\nb"]
    (tmp_path / "t.csv").write_text('text,n\n"a,1\nb,2\n"c is 5" long",3\n')
    with pytest.raises(DataError, match="the row that begins here is not csv"):
        own_data.read_texts(tmp_path / "t.csv", "text")


def test_records_as_powershell_and_older_spark_write_them(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n', encoding="utf-8-sig")
    assert own_data.read_texts(tmp_path / "t.jsonl", "text") == ["a", "b"]
    pytest.importorskip("pyarrow")
    import pandas as pd

    pd.DataFrame({"text": [b"a", b"b"]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="row 1: text is a bytes"):
        own_data.read_texts(tmp_path / "t.parquet", "text")
