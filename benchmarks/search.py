"""Search and mining among embeddings of real sentences: exact, approximate, and by sentence-transformers.

The sentences are those of the Wikipedia paragraphs in SIAMESE_COURSE_DATA (corpora/enwiki.txt.xz), or else of
the scored pairs and triplets at hand; as many are embedded as are wanted and an hour allows; how many
there were is a measure, and what embedding them took is in the JSON file. The first ones are the queries, the rest is the
collection: no query is in it. The encoder is the course's preset, trained on the scored pairs unless ``tuned`` says no.
"""

import lzma
import re
import statistics
import time
from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np

from benchmarks.agreement import preset_mark
from benchmarks.common import fingerprint, work_folder
from benchmarks.side import peak_bytes
from siamese_course.runtime import settings
from siamese_course.search import build_index, mine_pairs, semantic_search

QUERIES, K = 1_000, 10
ONE_BY_ONE = 200  # queries that are asked singly
TOP = 100  # pairs to mine
NEIGHBORS = 5  # of a row, in approximate mining, itself included
PROBES = 16  # lists that it looks into: the most similar of all pairs mostly share one
CHUNK = 8_192
SECONDS = 3_600  # that embedding may take in all
DIM = 256
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


# --- embeddings ---


def sentences() -> Iterator[str]:
    """Different sentences, always in the same order."""
    seen = set()
    for paragraph in paragraphs():
        for sentence in SENTENCE_END.split(paragraph.strip()):
            mark = hash(sentence)  # 8 bytes, and not the sentence, are kept
            if len(sentence) >= 20 and mark not in seen:
                seen.add(mark)
                yield sentence


def paragraphs() -> Iterator[str]:
    """Wikipedia's where they are at hand, and then the sentences of the pairs and triplets."""
    from siamese_course.datasets.sentences import load_scored_pairs, load_triplets

    folder = settings.data_directory()
    path = folder and folder / "corpora" / "enwiki.txt.xz"
    if path and path.exists():
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            yield from lines
    pairs, triplets = load_scored_pairs(verbose=False).train, load_triplets(verbose=False).train
    for column in (pairs.sentence1, pairs.sentence2, triplets.anchor, triplets.negative):
        yield from column


@cache
def collection_mark(tuned: bool) -> str:
    """Changes with the sentences, and with what the encoder was made of."""
    from benchmarks.agreement import scored_pairs

    sizes = repr(settings.sentence_sizes("full"))
    made_of = ["standardized", sizes, *scored_pairs().train.sentence1]
    content = fingerprint(list(islice(sentences(), 1000)), made_of if tuned else [])
    return f"{preset_mark()}-{content[-8:]}"


def embeddings_file(tuned: bool):
    """Rows of DIM float32, one after the other."""
    return work_folder() / f"sentences-{collection_mark(tuned)}.f32"


def rows_there(tuned: bool) -> int:
    """How many are embedded so far."""
    path = embeddings_file(tuned)
    return path.stat().st_size // (4 * DIM) if path.exists() else 0


def embedding_seconds(tuned: bool) -> float:
    """What embedding took so far, all calls together."""
    path = embeddings_file(tuned).with_suffix(".seconds")
    return float(path.read_text()) if path.exists() else 0.0


def prepare(rows: int, queries: int = QUERIES, tuned: bool = True) -> dict:
    """Embed so many sentences and the queries, going on where an earlier call ended."""
    wanted, there = rows + queries, rows_there(tuned)
    if there >= wanted or (spent := embedding_seconds(tuned)) >= SECONDS:
        return {}
    encoder, waiting = search_encoder(tuned), sentences()
    for _ in range(there):
        next(waiting, None)
    with embeddings_file(tuned).open("r+b" if there else "wb") as stream:
        stream.seek(4 * DIM * there)
        stream.truncate()  # what an interrupted call left of a row
        while there < wanted and spent < SECONDS:
            started = time.perf_counter()
            chunk = list(islice(waiting, min(CHUNK, wanted - there)))
            if not chunk:
                break
            stream.write(encoder.encode(chunk, verbose=False).tobytes())
            there += len(chunk)
            spent += time.perf_counter() - started
            embeddings_file(tuned).with_suffix(".seconds").write_text(f"{spent:.1f}")
    return {}


def search_encoder(tuned: bool):
    """The course's encoder, trained by its recipe on the scored pairs once and kept; on OpenVINO, in the precision that
    it takes to be fastest here."""
    from benchmarks.agreement import course_encoder, scored_pairs
    from siamese_course.models.sentences import load_encoder
    from siamese_course.recipes.sentences import MAX_STANDARDIZED, standardize, train_pairs
    from siamese_course.scale.openvino import on_openvino

    folder = work_folder() / f"search-encoder-{collection_mark(tuned)}"
    if not tuned:
        return course_encoder()
    if not (folder / "sentence_encoder.json").exists():
        encoder, pairs = course_encoder(), scored_pairs()
        standardize(encoder, pairs.train.sentence1[:MAX_STANDARDIZED])
        train_pairs("course", encoder, pairs, settings.sentence_sizes("full"), verbose=False)
        encoder.save(folder)
    return on_openvino(load_encoder(folder))


def collection_and_queries(rows: int, queries: int, tuned: bool):
    """(collection, queries), float32: read into memory, as a learner would have them."""
    stored = np.fromfile(embeddings_file(tuned), "float32", (rows + queries) * DIM).reshape(-1, DIM)
    return stored[queries:], stored[:queries]


# --- search ---


def exact(rows: int, queries: int = QUERIES, tuned: bool = True) -> dict:
    """Every row compared with every query."""
    return search(rows, queries, tuned, lambda rows: build_index(rows))


def approximate(rows: int, queries: int = QUERIES, tuned: bool = True) -> dict:
    """An inverted file of lists."""
    return search(rows, queries, tuned, lambda rows: build_index(rows, approximate=True))


def search(rows: int, queries: int, tuned: bool, build) -> dict:
    """Time and memory to build, time of a query alone and among others, recall."""
    import faiss  # noqa: F401 - not while the clock runs

    def ask(index, asked):
        return semantic_search(asked, index, min(K, rows))[1]

    return timed_search(rows, queries, tuned, build, ask)


def peer(rows: int, queries: int = QUERIES, tuned: bool = True) -> dict:
    """``semantic_search`` of sentence-transformers, which is exact; all that is built is rows of unit length.

    Of these the dot product is the cosine: by default it would bring the collection to unit length at every call.
    """
    import torch
    from sentence_transformers.util import dot_score, normalize_embeddings, semantic_search

    def build(collection):
        return normalize_embeddings(torch.from_numpy(collection))

    def ask(collection, asked):
        unit = normalize_embeddings(torch.from_numpy(asked))
        hits = semantic_search(unit, collection, top_k=min(K, rows), score_function=dot_score)
        return np.array([[hit["corpus_id"] for hit in row] for row in hits])

    return timed_search(rows, queries, tuned, build, ask)


def timed_search(rows, queries, tuned, build, ask) -> dict:
    """Memory is of the whole process, embeddings and imports included."""
    collection, asked = collection_and_queries(rows, queries, tuned)
    started = time.perf_counter()
    index = build(collection)
    built = time.perf_counter()
    memory = peak_bytes()
    ask(index, asked[:1])
    singly = []
    for query in asked[:ONE_BY_ONE]:
        begun = time.perf_counter()
        ask(index, query[None])
        singly.append(time.perf_counter() - begun)
    begun = time.perf_counter()
    found = ask(index, asked)
    together = time.perf_counter() - begun
    return {
        "vectors": len(collection),
        "seconds to build": built - started,
        "GiB to build": memory / 2**30,
        "ms a query": 1000 * statistics.median(singly),
        "ms a query, all at once": 1000 * together / len(asked),
        "recall@10": recall(found, nearest(collection, asked, found.shape[1])),
        "data": fingerprint(asked, collection[-1000:]),
        "embedded": {"sentences": rows_there(tuned), "seconds": embedding_seconds(tuned)},
    }


def nearest(collection, queries, k: int) -> np.ndarray:
    """Row numbers of the k largest cosines of each query, by plain products: (queries, k)."""
    best = [np.empty((len(queries), 0), "float32"), np.empty((len(queries), 0), "int64")]
    unit = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    for start in range(0, len(collection), CHUNK):
        part = collection[start : start + CHUNK]
        cosines = unit @ (part / np.linalg.norm(part, axis=1, keepdims=True)).T
        numbers = np.broadcast_to(np.arange(start, start + len(part)), cosines.shape)
        cosines, numbers = (
            np.concatenate(both, axis=1) for both in ((best[0], cosines), (best[1], numbers))
        )
        kept = np.argpartition(-cosines, min(k, cosines.shape[1]) - 1, axis=1)[:, :k]
        best = [np.take_along_axis(values, kept, axis=1) for values in (cosines, numbers)]
    return best[1]


def recall(found: np.ndarray, expected: np.ndarray) -> float:
    """Share of the expected row numbers that were found."""
    hits = [len(np.intersect1d(one, other)) for one, other in zip(found, expected, strict=True)]
    return sum(hits) / expected.size


# --- mining ---


def prepare_mining(rows: int, tuned: bool = True, exactly: bool = True) -> dict:
    """Embeddings, and the cosine of the last of the best pairs."""
    prepare(rows, 0, tuned)
    if exactly:
        collection, _ = collection_and_queries(rows, 0, tuned)
        np.save(floor_file(rows, tuned), mine_pairs(collection, pairs_wanted(rows))[0][-1])
    return {}


def floor_file(rows: int, tuned: bool):
    """Where ``prepare_mining`` keeps it."""
    return work_folder() / f"floor-{collection_mark(tuned)}-{rows}.npy"


def pairs_wanted(rows: int) -> int:
    """The best hundred, or all there are."""
    return min(TOP, rows * (rows - 1) // 2)


def mine_exact(rows: int, tuned: bool = True, exactly: bool = True) -> dict:
    """``mine_pairs``: every row with every other."""
    return mining(rows, tuned, exactly, lambda rows: mine_pairs(rows, pairs_wanted(len(rows)))[0])


def mine_approximate(rows: int, tuned: bool = True, exactly: bool = True) -> dict:
    """Every row's nearest in the approximate index, and of these the best pairs."""
    import faiss  # noqa: F401 - not while the clock runs

    def mine(rows):
        index = build_index(rows, approximate=True)
        index.nprobe = min(PROBES, index.nlist)
        cosine_of = {}
        for start in range(0, len(rows), CHUNK):
            cosines, numbers = semantic_search(rows[start : start + CHUNK], index, NEIGHBORS)
            own = np.arange(start, start + len(cosines))[:, None]
            place = np.flatnonzero((numbers != own).ravel())
            place = place[np.argsort(-cosines.ravel()[place])[: 2 * TOP]]  # each pair comes twice
            left = np.broadcast_to(own, numbers.shape).ravel()[place].tolist()
            right = numbers.ravel()[place].tolist()
            for one, other, cosine in zip(left, right, cosines.ravel()[place], strict=True):
                cosine_of[min(one, other), max(one, other)] = cosine
        return np.sort(list(cosine_of.values()))[::-1][: pairs_wanted(len(rows))]

    return mining(rows, tuned, exactly, mine)


def mine_peer(rows: int, tuned: bool = True, exactly: bool = True) -> dict:
    """``paraphrase_mining_embeddings`` of sentence-transformers, which is exact up to its neighbors of a row."""
    import torch
    from sentence_transformers.util import paraphrase_mining_embeddings

    def mine(rows):
        pairs = paraphrase_mining_embeddings(
            torch.from_numpy(rows), max_pairs=pairs_wanted(len(rows))
        )
        return np.array([cosine for cosine, _, _ in pairs[: pairs_wanted(len(rows))]])

    return mining(rows, tuned, exactly, mine)


def mining(rows: int, tuned: bool, exactly: bool, mine) -> dict:
    """Seconds and memory; the share of the best pairs found, by their cosines."""
    collection, _ = collection_and_queries(rows, 0, tuned)
    started = time.perf_counter()
    cosines = mine(collection)
    found = {
        "vectors": len(collection),
        "seconds": time.perf_counter() - started,
        "GiB": peak_bytes() / 2**30,
        "data": fingerprint(collection[-1000:]),
    }
    if exactly:
        floor = float(np.load(floor_file(rows, tuned)))
        found["share of the best pairs"] = float(np.sum(cosines >= floor - 1e-5)) / pairs_wanted(
            rows
        )
    return found
