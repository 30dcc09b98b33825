# %% [markdown]
# # 03 · Siamese networks: sentences as points
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/github/{{github}}/blob/{{branch}}/notebooks/{{notebook}}.ipynb)
#
# Somebody asks, and the answer is in one of ten thousand sentences, perhaps in quite other words. Large language models read well, but
# to have one read ten thousand sentences for every question takes far too long. [**Sentence-BERT**](#Glossary) (2019) turned this round: have the model read each
# sentence *once*, keep one point for it, and compare points. It does so with the siamese network you know, built round a language model.
#
# In this notebook you take **RoBERTa**, a [**transformer**](#Glossary) (a network in whose layers every word of a text looks at all the others) that has learned to guess hidden words. You find that its embeddings are of little use as they are, and
# mend that by [**fine-tuning**](#Glossary), that is, by training it further: first on pairs of sentences with a score, then on triplets. Then you use what came out: to search, to find
# duplicates, to sort sentences into topics.
#
# **You need:** notebook 01 or 02, or an idea of embeddings and of triplets. No GPU.
#
# **At the end you can**
#
# * say why embeddings make a search fast, with numbers you measured;
# * batch and pool sentences so that padding does no harm;
# * fine-tune a transformer on scores and on triplets, and tell whether it helped;
# * recognise a mistake that raises no error, such as the one in the best-known example of this kind;
# * search, find duplicates and cluster by meaning.
#
# **Time:** about two hours with the exercises; the computer itself needs about three minutes on two cores, with the course's small backbone.
#
# **The exercises.** There are eight, worth 100 points. Write your answer where it says `YOUR CODE HERE`,
# run the cell, and run the check below it. Stuck? Each exercise has three hints, and then `solution()`. You may go on without
# solving one: the notebook then uses the course's own answer, and tells you so.

# %% [markdown]
# ## Setting up
# The first cell installs the course where it is missing, as on Colab. Elsewhere it does nothing.

# %%
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("siamese_course") is None:
    package = os.environ.get("SIAMESE_COURSE_PACKAGE", "git+https://github.com/{{github}}@{{branch}}")
    subprocess.check_call([sys.executable, "-m", "pip", "install", "-q", package])

# %%
from siamese_course.runtime.startup import start

start(seed=0)

# %%
import time

import keras
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from keras import ops

from siamese_course import evaluation, losses, plotting
from siamese_course.runtime import settings
from siamese_course import search as searching
from siamese_course.exercises import sentences as exercises
from siamese_course.datasets.sentences import load_scored_pairs, load_triplets
from siamese_course.runtime.errors import CourseError
from siamese_course.models.sentences import OWN_PRESET, SentenceEncoder, Siamese, load_backbone, make_encoder
from siamese_course.training import sentences as recipes
from siamese_course.training.loop import train, whole_stretches

sizes = settings.sentence_sizes()
quick = settings.budget() == "smoke"  # the environment variable SIAMESE_COURSE_BUDGET: then less of everything

# %% [markdown]
# ## Why embeddings?
# There are two ways to have a transformer compare sentences.
#
# * A [**cross-encoder**](#Glossary) reads both sentences together and says how alike they are. It is the better judge, since every word of the one can look at
#   every word of the other. But it must be called for every *pair*.
# * A [**bi-encoder**](#Glossary), our siamese network, reads each sentence alone and makes a point of it. Comparing two points is a dot product, which costs next to nothing.
#
# Which of these 10,000 sentences are the most alike? Count the calls of the model:
#
# $$\frac{n\,(n - 1)}{2} \quad\text{pairs against}\quad n \quad\text{sentences}$$

# %% tags=["nbval-check-output"]
n = 10_000
print(f"cross-encoder: {n * (n - 1) // 2:,} calls")
print(f"bi-encoder: {n:,} calls")

# %% [markdown]
# The inventors of Sentence-BERT reckoned 65 hours for the first, on a GPU of its day, and seconds for the second. In a moment you will measure both
# sides yourself. For that we need a model.

# %% [markdown]
# ## The backbone
# **RoBERTa** is a transformer encoder. It was trained with no labels at all: hide some words of a text, and have the model guess them. Such a [**masked language
# model**](#Glossary) makes a vector for every token, its *state*, that depends on the words around it. On top of this [**backbone**](#Glossary) we build our encoder.
#
# The original has 124 million parameters and must be fetched from a network (about 500 MB). The course brings a small one of its own, of the same
# build: 4 layers instead of 12, 256 numbers a word instead of 768. **To use the large one, change the name in the next cell to `roberta_base_en`**, and nothing else;
# any RoBERTa [**preset**](#Glossary) (a trained model with a name) of KerasHub, Keras's collection of models, will do, and so will a folder with a RoBERTa from Hugging Face. If it cannot be had, the notebook says so and goes on with
# its own. (The layers of the large one have 27 times as many weights: without a GPU expect it to take many times as long.)

# %%
BACKBONE = "course_roberta_en"

# %% tags=["nbval-check-output"]
longest = 8 if quick else None  # tokens to read of a sentence; None: 128
layers = 1 if quick else None  # of the backbone, from the first on; None: all
try:
    raw = make_encoder(BACKBONE, longest=longest, layers=layers)
except CourseError as error:
    print(error)
    BACKBONE = OWN_PRESET
    raw = make_encoder(BACKBONE, longest=longest, layers=layers)
print(f"backbone: {BACKBONE}, {raw.backbone.count_params():,} parameters, {raw.dim} numbers a word")

# %% [markdown]
# ### Text becomes ids
# A [**tokenizer**](#Glossary) cuts text into pieces, the [**tokens**](#Glossary), and numbers them. RoBERTa's tokens are bytes that often stand together: frequent words are one token, rare ones several. So
# no word of any language is unknown. Each sentence begins with the marker `<s>` (id 0) and ends with `</s>` (id 2); `<pad>` (id 1) fills up.
# (The Ġ stands for the space in front of a word.)

# %%
example = "Two otters are sharing a fish."
ids = raw.tokenize([example])[0]
print(" ".join(raw.tokenizer.id_to_token(i) for i in ids))
print(ids)

# %% [markdown]
# Two rules for speed, and old examples break both. **Tokenize once and outside the model**: the ids never change, and the model gets rectangles of numbers, not text. And
# **pad to what the batch needs**, not to the longest text there could be: the model computes for padding just as for words. Six sentences, padded to 24
# and to 128:

# %%
def seconds(function, repeats=3):
    """Shortest time of a call; the first one, which compiles, does not count."""
    function()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def padded(rows, length):
    return {
        "token_ids": np.array([row + [1] * (length - len(row)) for row in rows]),
        "padding_mask": np.array([[1] * len(row) + [0] * (length - len(row)) for row in rows]),
    }


six = [ids] * 6
for length in (24, 128):
    print(f"padded to {length}: {seconds(lambda: raw.backbone.predict_on_batch(padded(six, length))):.3f} s")

# %% [markdown]
# The original RoBERTa reads up to 512 tokens. The best-known example of this training on the web, *the published example* from here on, pads to that, and six sentences take RoBERTa base 1.55 seconds on two processor cores; padded to 32
# they would take 0.10. (The course's encoders do better than the backbone just timed: on TensorFlow,
# `siamese_course.models.packed` leaves padding out of every layer that looks at one token at a time.)
#
# ### Both sides, measured
# Here is a cross-encoder on our backbone: both sentences in one row, and one number out of the first state. It is untrained, which does not matter: we only want
# to know how long it takes. We time 64 pairs and multiply; nobody waits for all of them.

# %%
judge = keras.Model(raw.backbone.input, keras.layers.Dense(1)(raw.backbone.output[:, 0]))
pair = ids + ids[1:]
pairs_at_once = padded([pair] * 64, len(pair))
a_pair = seconds(lambda: judge.predict_on_batch(pairs_at_once)) / 64

# %% [markdown]
# On the other side we embed every sentence once, and then find the most similar ones among all. We take 10,000 sentences of the data below (1,000 at the `smoke`
# budget), the same ones again and again until there are enough: the clock does not mind.

# %% tags=["nbval-check-output"]
data = load_scored_pairs()
triplets = load_triplets()
unseen_pairs = data.validation.take(np.arange(0, len(data.validation), 4 if quick else 1))
every = (6 if quick else 1) * max(1, len(triplets.validation) // 3_000)  # the published part has 220,000
unseen_triplets = triplets.validation.take(np.arange(0, len(triplets.validation), every))

# %%
parts = [part for part in (data.train, data.validation, data.test) if part]
collection = list(dict.fromkeys(s for part in parts for s in part.sentence1 + part.sentence2))
enough = 1_000 if quick else 10_000
many = [collection[i % len(collection)] for i in range(enough)]
started = time.perf_counter()
embeddings = raw.encode(many, verbose=False)
embedding_seconds = time.perf_counter() - started
search_seconds = seconds(lambda: searching.mine_pairs(embeddings, top=10), repeats=1)

# %%
calls = enough * (enough - 1) // 2
print(f"cross-encoder: {calls:,} calls of {1000 * a_pair:.2f} ms each: {calls * a_pair / 3600:.1f} hours")
print(f"bi-encoder: {embedding_seconds:.1f} s for {enough:,} embeddings, {search_seconds:.1f} s to compare all pairs")

# %% tags=["nbval-check-output"]
print("the bi-encoder is at least 20 times as fast:", calls * a_pair > 20 * (embedding_seconds + search_seconds))

# %% [markdown]
# The calls grow with the square of the number of sentences, the embeddings with the number alone: that is why. The price is quality, since each sentence is read without knowing the other. In practice one often uses both: the bi-encoder finds a
# hundred candidates, the cross-encoder puts them in order.

# %% [markdown]
# ## What the raw model says
# So we have embeddings; are they any good? Let us ask for a dog at its meal, and compare, by the **cosine** of the angle between two points (1: the same direction), with three sentences: one about something else, one that is near,
# one that means the same.

# %%
query = "The dog is busy with its dinner."
candidates = ["The sky is clear and blue today.", "I could do with something to eat.", "A puppy is eating from its bowl."]


def ask(encoder):
    """Cosines of the query with the three sentences."""
    return np.round(recipes.cosines(encoder, [query] * 3, candidates), 2)


asked = pd.DataFrame({"raw": ask(raw)}, index=candidates)
asked

# %% [markdown]
# Look at the numbers rather than at the order. In a raw masked language model the cosine of almost *any* two sentences is high: with RoBERTa base, and sentences like these, 0.97, 0.98 and 0.99. Its states lie
# in a narrow cone: its training asked it to guess words, and never to spread sentences apart. How high are the cosines in your model? Here are those of all pairs of 200 sentences from all over the data; most of these pairs have little in common.

# %% tags=["figure-cone"] alt="Histogram of the cosines of all pairs of 200 sentences in the raw model: nearly all lie far above 0."
some = collection[:: len(collection) // 200][:200]
cone = searching.mine_pairs(raw.encode(some, verbose=False), top=200 * 199 // 2)[0]
_, axis = plt.subplots(figsize=(6.5, 2.6))
axis.hist(cone, bins=np.linspace(-1, 1, 81), color=plotting.PALETTE[0])
axis.set(xlim=(-1, 1), xlabel="cosine, raw model", ylabel="pairs")
plt.show()

# %% tags=["nbval-check-output"]
print(f"pairs: {len(cone):,}")
print("cosines from -1 to 1:", cone.min() >= -1 and cone.max() <= 1)

# %% [markdown]
# Keep the query in mind. After training we ask *the same one* again. (Published examples like to change it in between.)

# %% [markdown]
# ## Sentences with a score
# To learn what "alike" means, the model needs examples. The **STS benchmark** (semantic textual similarity) has pairs of sentences with a score that people
# gave: 5 for the same meaning, 0 for nothing in common. Where it is not at hand, you work with 960 pairs that ship with the course. A language model wrote and scored
# those, so their scores only stand in for people's judgement. The lines printed above say which you have.

# %%
some = data.train.take(np.linspace(0, len(data.train) - 1, 6).astype(int))
table = pd.DataFrame({"sentence 1": some.sentence1, "sentence 2": some.sentence2, "score": some.score})
table.style.format({"score": "{:.1f}"}).set_properties(**{"text-align": "left"})

# %% [markdown]
# ## Exercise 1 · Label scaling (5 points)
# The model will predict a cosine, from −1 to 1. The scores go from 0 to 5. Bring them to the range of a cosine: 0 becomes −1, 5 becomes 1, and in between a straight line.

# %% answer="scaling"
def scale_scores(score):
    """Scores from 0 to 5 on the range of a cosine.

    score: array (n,). Returns a new array (n,), from -1 to 1.
    """
    ### BEGIN SOLUTION
    return score / 2.5 - 1.0
    ### END SOLUTION

# %% check="scaling" tags=["nbval-check-output"]
exercises.scaling.check(scale_scores)

# %% [markdown]
# Stuck? Take the `#` away and run the cell; run it again for the next hint. After the third one there is
# `exercises.scaling.solution()`. It is the same with every exercise.

# %%
# exercises.scaling.hint()

# %%
scale_scores = exercises.scaling.use(scale_scores)

# %% tags=["nbval-check-output"]
targets = np.asarray(scale_scores(data.train.score), "float32")
print(f"{len(targets)} targets from {targets.min():.1f} to {targets.max():.1f}")

# %% [markdown]
# ## Exercise 2 · Pair and triplet data sets (20 points)
# Now the batches. A batch of pairs is a block of numbers of shape (batch, 2, length): row, side, token. A batch of triplets has three sides. One generator serves both.
#
# Beside the ids goes a [**mask**](#Glossary) of the same shape, 1 for a real token and 0 for padding, so that the model can tell them apart. (Comparing with the id of `<pad>` would do, too;
# the models of KerasHub want a mask.)
#
# Two functions:
#
# * `pad_rows` makes a rectangle of rows of different length. The length is **the next multiple of 8 at or above the longest row**: what the batch needs, and still few different shapes,
#   since a model is compiled anew for each.
# * `batches` never ends. Each pass has a new order from `rng` and uses no row twice; rows that do not fill a last batch are left out of that pass. All sides of a row, and its target, stay together.
#
# For `batches` it helps to lay the sentences of a batch out in one long list, row by row (left 1, right 1, left 2, right 2, ...), pad that, and then `reshape`.

# %% answer="datasets.pad"
def pad_rows(rows, pad_id):
    """Rows of ids as a rectangle.

    rows: n lists of whole numbers, which stay as they are. pad_id: what to pad with, at the end.
    Returns {"token_ids": ..., "padding_mask": ...}, two arrays (n, length) of whole numbers.
    """
    ### BEGIN SOLUTION
    length = 8 * int(np.ceil(max(len(row) for row in rows) / 8))
    ids = np.full((len(rows), length), pad_id, "int32")
    mask = np.zeros((len(rows), length), "int32")
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return {"token_ids": ids, "padding_mask": mask}
    ### END SOLUTION

# %% answer="datasets.batches"
def batches(sides, targets, batch_size, rng, pad_id):
    """Batches without end.

    sides: two lists (pairs) or three (triplets), each of n lists of ids. targets: array (n,).
    Both stay as they are.
    Yields ({"token_ids", "padding_mask"}, targets): arrays (batch, sides, length) and (batch,).
    """
    ### BEGIN SOLUTION
    while True:
        order = rng.permutation(len(targets))
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            shape = (batch_size, len(sides), -1)
            yield {name: array.reshape(shape) for name, array in flat.items()}, targets[rows]
    ### END SOLUTION

# %% check="datasets" tags=["nbval-check-output"]
exercises.datasets.check(pad_rows, batches)

# %%
# exercises.datasets.hint()

# %%
pad_rows, batches = exercises.datasets.use(pad_rows, batches)

# %% tags=["nbval-check-output"]
left, right = (raw.tokenize(side) for side in (data.train.sentence1, data.train.sentence2))
inputs, batch_targets = next(batches([left, right], targets, 6, np.random.default_rng(0), raw.pad_id))
print("rows and sides:", inputs["token_ids"].shape[:2], " targets:", batch_targets.shape)
print("a length that 8 divides:", inputs["token_ids"].shape[2] % 8 == 0)

# %% [markdown]
# ## Exercise 3 · Pooling (20 points)
# The backbone gives a state for every token: (batch, length, dim). We want *one* vector for a sentence: (batch, dim). Making one of many is called [**pooling**](#Glossary), and there are three common ways:
#
# * **mean**: the mean of the states of all real tokens. It did best in the comparison of the Sentence-BERT paper, and we use it.
# * **max**: for each dimension, the largest value among the real tokens.
# * **CLS**: the state of the first token, `<s>`, which stands for no word and can gather the whole. (In BERT that token is called `[CLS]`.)
#
# **The padding must not take part.** If it does, the embedding of a sentence depends on how long its neighbours in the batch are: the same sentence, two different points. The markers `<s>` and
# `</s>` count as real tokens, as the mask says.
#
# For the mean: multiply the states by the mask, add them up, and divide by the number of *real* tokens. For the maximum, zero is no good replacement, since real values may all be below zero: put the
# padding at $-10^4$ instead. The mask comes as whole numbers; `ops.cast(padding_mask, states.dtype)` makes it multiply. Write with `ops`, so that the model can be trained through it.

# %% answer="pooling.mean"
def mean_pooling(states, padding_mask):
    """Mean over the real tokens.

    states: (batch, length, dim); padding_mask: (batch, length), 1 for a real token, 0 for padding.
    Returns (batch, dim).
    """
    ### BEGIN SOLUTION
    real = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * real, axis=1) / ops.sum(real, axis=1)
    ### END SOLUTION

# %% answer="pooling.max"
def max_pooling(states, padding_mask):
    """Largest value of each dimension over the real tokens; arguments and shape as above."""
    ### BEGIN SOLUTION
    real = ops.expand_dims(padding_mask, -1)
    return ops.max(ops.where(real > 0, states, -1e4), axis=1)
    ### END SOLUTION

# %% answer="pooling.cls"
def cls_pooling(states, padding_mask):
    """The state of the first token; arguments and shape as above."""
    ### BEGIN SOLUTION
    return states[:, 0]
    ### END SOLUTION

# %% check="pooling" tags=["nbval-check-output"]
exercises.pooling.check(mean_pooling, max_pooling, cls_pooling)

# %%
# exercises.pooling.hint()

# %%
mean_pooling, max_pooling, cls_pooling = exercises.pooling.use(mean_pooling, max_pooling, cls_pooling)

# %% [markdown]
# The same sentence, alone and beside a long neighbour: with the mask it stays where it is, without the mask it moves.

# %% tags=["nbval-check-output"]
alone = pad_rows([ids], raw.pad_id)
beside = pad_rows([ids, ids * 4], raw.pad_id)
for name, pooled in {"masked": mean_pooling, "unmasked": lambda states, mask: ops.mean(states, axis=1)}.items():
    one, two = (ops.convert_to_numpy(pooled(raw.backbone(batch), batch["padding_mask"])) for batch in (alone, beside))
    print(f"{name} mean: the same point:", np.allclose(one[0], two[0], atol=1e-3))

# %% [markdown]
# ### The encoder
# Backbone and pooling make the encoder. Your `mean_pooling` becomes a layer of its own; `SentenceEncoder` keeps the model together with its tokenizer, and its `encode` turns a list of
# sentences into an array: sorted by length, in batches that need little padding, and back in order.

# %%
def build_encoder():
    """A sentence encoder on a fresh backbone, with your pooling."""
    backbone, tokenizer = load_backbone(BACKBONE, layers=layers)
    inputs = {name: keras.Input((None,), dtype="int32", name=name) for name in ("token_ids", "padding_mask")}
    pool = keras.layers.Lambda(lambda parts: mean_pooling(*parts), dtype="float32")
    model = keras.Model(inputs, pool([backbone(inputs), inputs["padding_mask"]]))
    return SentenceEncoder(model, backbone, tokenizer, BACKBONE, longest=raw.longest)


regressor = build_encoder()

# %% tags=["nbval-check-output"]
embeddings = regressor.encode([query, *candidates], verbose=False)
print("embeddings:", embeddings.shape, embeddings.dtype)
print("a list of no sentences:", regressor.encode([]).shape)

# %% [markdown]
# ## The regression objective
# Both sentences of a pair go through the same encoder. That is the **siamese network**, and in practice it is even simpler than it sounds: the two sides are laid into one batch, run through the
# encoder once, and are parted again. (`Siamese`, below, does so.)
#
# ```
#   sentence 1 ─► backbone ─► pooling ─► u ─┐
#                    ║ same weights         ├─► cosine(u, v) ─► squared error ◄─ score / 2.5 − 1
#   sentence 2 ─► backbone ─► pooling ─► v ─┘
# ```
#
# The prediction for a pair is the cosine of its two embeddings,
#
# $$\cos(u, v) = \frac{u \cdot v}{|u|\,|v|}$$
#
# and the loss is the mean squared error between this and the scaled score.
#
# ## Exercise 4 · Regression siamese (15 points)
# Two functions, with `ops` again. `embeddings` has shape (batch, 2, dim): `embeddings[:, 0]` are the left sides, `embeddings[:, 1]` the right ones.
#
# **Row by row**: the first cosine compares left 1 with right 1, and so on. Notebook 02 compared every left with every right, on purpose; here each pair has a score of its own, and no other pair
# has anything to do with it.
#
# **Mind the shape of the targets.** Depending on the data pipeline, Keras hands over (batch,) or (batch, 1). Subtract (batch, 1) from (batch,), and you get a table of (batch, batch), with no error. Make
# it (batch,) first.

# %% answer="regression.cosines"
def row_cosines(embeddings):
    """The cosine of the two sides, row by row.

    embeddings: (batch, 2, dim), of any length. Returns (batch,).
    """
    ### BEGIN SOLUTION
    lengths = ops.sqrt(ops.sum(ops.square(embeddings), axis=-1, keepdims=True) + 1e-12)
    unit = embeddings / lengths
    return ops.sum(unit[:, 0] * unit[:, 1], axis=-1)
    ### END SOLUTION

# %% answer="regression.loss"
def regression_loss(targets, embeddings):
    """Mean squared error between the cosines and their targets.

    targets: (batch,) or (batch, 1), from -1 to 1; embeddings: (batch, 2, dim).
    Returns one number.
    """
    ### BEGIN SOLUTION
    targets = ops.reshape(targets, (-1,))
    return ops.mean(ops.square(row_cosines(embeddings) - targets))
    ### END SOLUTION

# %% check="regression" tags=["nbval-check-output"]
exercises.regression.check(row_cosines, regression_loss)

# %%
# exercises.regression.hint()

# %%
row_cosines, regression_loss = exercises.regression.use(row_cosines, regression_loss)

# %% [markdown]
# ### What to ask for
# Before training, a second look at the targets. For a pair with score 0 they ask for a cosine of −1: the two should point in *opposite* directions. Can unrelated sentences do that? Two can, three cannot: if the second and the third
# both point away from the first, they point the same way. The cosines of $n$ points among themselves are at least $-1/(n - 1)$ on average, whatever the points are. A right angle, cosine 0, is a goal that many sentences can reach at once.
#
# So we train on the upper half of the range, from 0 to 1, and beside it a second encoder on the full range, as the published example does. Then you see what the choice is worth.

# %% tags=["nbval-check-output"]
goals = (targets + 1) / 2
print(f"goals from {goals.min():.1f} to {goals.max():.1f}")

# %% [markdown]
# ### Fine-tuning
# Now train. Adam, batches of six as in the published example. Its learning rate is $2 \cdot 10^{-5}$, small, so that 124 million well-trained parameters are only nudged; our backbone has
# far fewer, and needs a larger one. It takes 300 such batches, you take 160 at the `course` budget. `clipnorm` limits the length of each gradient, so that a single odd batch cannot shake the model. `train` is the loop of notebook 01: it runs the steps and notes the losses.

# %%
learning_rate = 1e-4 if BACKBONE == OWN_PRESET else 2e-5


def fine_tune(encoder, sides, targets, loss, steps, rate, batch_size=6):
    """Train an encoder on your batches; returns the history of the loss."""
    rows = [encoder.tokenize(side) for side in sides]
    stream = batches(rows, targets, batch_size, np.random.default_rng(0), encoder.pad_id)
    siamese = Siamese(encoder.model)
    siamese.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    siamese.optimizer.build(siamese.trainable_variables)  # now, or TensorFlow compiles twice
    return train(siamese, stream, whole_stretches(steps), jit=keras.backend.backend() == "jax")


sentences = (data.train.sentence1, data.train.sentence2)
right_way = fine_tune(regressor, sentences, goals, regression_loss, sizes.classic_pair_steps, learning_rate)

# %%
full_range = build_encoder()
_ = fine_tune(full_range, sentences, targets, regression_loss, sizes.classic_pair_steps, learning_rate)

# %% [markdown]
# The same query as before:

# %%
asked["−1 to 1"], asked["0 to 1"] = ask(full_range), ask(regressor)
asked

# %% [markdown]
# The published example, with RoBERTa base and the STS benchmark, reports 0.97, 0.98, 0.99 before and 0.11, 0.53, 0.84 after (for two different queries; its older version, with KerasNLP, 0.13, 0.46, 0.80 after). Whatever the numbers are with your backbone: they should lie further apart now, since the loss asks
# for low cosines where people gave low scores. Is the order right, too? One query is an anecdote; a small backbone, trained this briefly, often gets it wrong. That is why we go on to
# measure.

# %% [markdown]
# ## A mistake that raises no error
# The published example does another thing differently, and that is a mistake. Instead of the cosines of the pairs it computes the product of the two embedding matrices, $U V^T$. That is a table of
# shape (batch, batch), every left with every right, as you wrote it in notebook 02. The targets have shape (batch, 1). And then it takes the mean squared error of the two:

# %% tags=["nbval-check-output"]
left, right = np.random.default_rng(0).normal(size=(2, 6, 4))
product = left @ right.T
column = np.linspace(0, 1, 6).reshape(6, 1)
print("product:", product.shape, " targets:", column.shape, " difference:", (product - column).shape)

# %% [markdown]
# No error: the column is stretched over the table ([**broadcasting**](#Glossary)). So left 1 should be as similar to *every* right sentence as its own pair was rated. Five of six wishes are nonsense, the loss falls all the same, and the
# page measures nothing but the loss. What does it cost? Same start, same batches, same goals, same number of steps; only the loss differs.

# %%
def published_loss(targets, embeddings):
    """The mistake: every left with every right."""
    unit = losses.unit_length(embeddings)
    table = ops.matmul(unit[:, 0], ops.transpose(unit[:, 1]))
    return ops.mean(ops.square(table - ops.reshape(targets, (-1, 1))))


mistaken = build_encoder()
wrong_way = fine_tune(mistaken, sentences, goals, published_loss, sizes.classic_pair_steps, learning_rate)

# %% tags=["figure-mistake"] alt="Two training losses against the step, row by row and every left with every right: both fall."
plotting.loss_curve({"row by row": right_way, "every left with every right": wrong_way})
plt.show()

# %% tags=["nbval-check-output"]
print("steps of both:", right_way.steps[-1] == wrong_way.steps[-1])
print("losses are numbers:", bool(np.isfinite(right_way.losses + wrong_way.losses).all()))

# %% [markdown]
# Both curves look like curves. To see the difference one must measure what one wants.

# %% [markdown]
# ## Evaluation
# What do we want? That the cosine of a pair tells how alike people found it, for pairs that were not trained on. Two numbers say how far that holds, both from −1 to 1, and near 0 where there is no such relation:
#
# * [**Pearson's correlation**](#Glossary): do cosine and score lie on a straight line?
# * [**Spearman's correlation**](#Glossary): do they put the pairs in the same *order*? It is Pearson's correlation of the ranks, and the number by which sentence encoders are usually compared: whoever searches needs the order, and no particular
#   scale.

# %%
models = {
    "raw": raw,
    "every left with every right": mistaken,
    "row by row, −1 to 1": full_range,
    "row by row, 0 to 1": regressor,
}
report = pd.DataFrame({name: recipes.score_pairs(model, unseen_pairs) for name, model in models.items()}).T
report[["pearson", "spearman"]].style.format("{:.3f}")

# %% [markdown]
# The first row is where all began. Between the second and the last lies the price of the mistake, between the last two what the goals are worth. A row that ends *below* the first has lost something: a goal that cannot be reached
# may cost more than the training brings. (Mind the size of the test: with the course's 160 pairs, differences of less than about 0.1 may be chance.)

# %% tags=["figure-scores"] alt="Cosine against score for the validation pairs: in the raw model a high band, after fine-tuning spread wider and rising with the score."
sides = unseen_pairs.sentence1, unseen_pairs.sentence2
before, after = (recipes.cosines(model, *sides) for model in (raw, regressor))
panels = {
    f"raw: Spearman {report.spearman['raw']:.2f}": before,
    f"fine-tuned: Spearman {report.spearman['row by row, 0 to 1']:.2f}": after,
}
plotting.score_scatter(panels, unseen_pairs.score, lowest=0.0)
plt.show()

# %% tags=["nbval-check-output"]
print("pairs to validate on:", len(before))
print("fine-tuned cosines are spread wider than raw ones:", np.std(after) > np.std(before))
print("Spearman is a correlation:", bool(report.spearman.between(-1, 1).all()))

# %% [markdown]
# On the left the raw model: whatever the score, the cosines lie close together. On the right they are spread wider, and the more they rise with the score, the better. The dotted line is what the regression asks for.
# Look at the right end, too: with the small backbone and the course's own pairs, good paraphrases (scores near 5) often get lower cosines than pairs with a score of 2 or 3 that share most of their words. It still compares words more than meanings.

# %% [markdown]
# ## Triplets
# Scores are expensive: somebody has to give them. Often one has only a hint of what belongs together. A neat source is **sections of articles**: two sentences from one section are about
# the same thing, a sentence from another section of the same article is about something else. So
#
# * the **anchor** is a sentence,
# * the **positive** another one from its section,
# * the **negative** one from another section of the same article.
#
# Nobody had to label anything, and the negatives are hard: they share the article's subject.

# %%
first = triplets.train.take([0, len(triplets.train) // 2])
table = pd.DataFrame({"anchor": first.anchor, "positive": first.positive, "negative": first.negative})
table.style.set_properties(**{"text-align": "left"})

# %% [markdown]
# ## Exercise 5 · Triplet distances (10 points)
# This objective uses the Euclidean distance, and embeddings that are *not* brought to unit length:
#
# $$D(a, b) = \sqrt{\textstyle\sum_i (a_i - b_i)^2 + 10^{-6}}$$
#
# **Why the epsilon?** The derivative of $\sqrt{x}$ is infinite at 0. Two equal embeddings, say of a sentence that occurs twice, would turn every weight into NaN in one step. The published example leaves it out.

# %% answer="distances"
def triplet_distances(embeddings):
    """Distances from the anchor.

    embeddings: (batch, 3, dim): anchor, positive, negative.
    Returns (distance to the positive, distance to the negative), two arrays (batch,).
    """
    ### BEGIN SOLUTION
    def distance(left, right):
        return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + 1e-6)

    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    return distance(anchor, positive), distance(anchor, negative)
    ### END SOLUTION

# %% check="distances" tags=["nbval-check-output"]
exercises.distances.check(triplet_distances)

# %%
# exercises.distances.hint()

# %%
triplet_distances = exercises.distances.use(triplet_distances)

# %% [markdown]
# ## Exercise 6 · Triplet loss (10 points)
# The positive should be nearer to the anchor than the negative, by a margin $m = 1$:
#
# $$L = \max(0,\ D(a, p) - D(a, n) + m)$$
#
# and the loss is the mean over the batch. Compare with notebook 02: there it was similarities, and the signs were the other way round.
#
# **Why are there `targets`?** Keras calls a loss given to `compile` with both targets and predictions, so every batch must bring targets. A triplet is its own label: *the first two belong together, the third does
# not* is in the order of the sides. So we hand in zeros, and the loss ignores them.

# %% answer="loss"
def triplet_loss(targets, embeddings, margin=1.0):
    """Mean triplet loss of a batch.

    targets: not used. embeddings: (batch, 3, dim): anchor, positive, negative. margin: m above.
    Returns one number.
    """
    ### BEGIN SOLUTION
    near, far = triplet_distances(embeddings)
    return ops.mean(ops.maximum(0.0, near - far + margin))
    ### END SOLUTION

# %% check="loss" tags=["nbval-check-output"]
exercises.loss.check(triplet_loss)

# %%
# exercises.loss.hint()

# %%
triplet_loss = exercises.loss.use(triplet_loss)

# %% [markdown]
# Three triplets on a line, the anchor at 0. The first is right by more than the margin, the second is right but too close, the third is wrong.

# %% tags=["nbval-check-output"]
for positive, negative in [(1.0, 3.0), (1.0, 1.5), (2.0, 1.0)]:
    one = ops.convert_to_tensor([[[0.0], [positive], [negative]]])
    print(f"positive at {positive}, negative at {negative}: pays {float(triplet_loss(ops.zeros(1), one)):.2f}")

# %% [markdown]
# Train another encoder, from the raw backbone again. Your `batches` takes three sides as well as two. How good the encoder is we measure as [**triplet accuracy**](#Glossary): the share of triplets, from articles that were not trained on, whose
# positive is nearer than the negative. Guessing gets one half.

# %%
chosen = np.random.default_rng(0).permutation(len(triplets.train))[: sizes.most_triplets]
train_triplets = triplets.train.take(chosen)
three = (train_triplets.anchor, train_triplets.positive, train_triplets.negative)
unused = np.zeros(len(train_triplets), "float32")

grouper = build_encoder()
triplet_history = fine_tune(grouper, three, unused, triplet_loss, sizes.classic_triplet_steps, learning_rate)

# %% [markdown]
# ### The modern way: softmax over the batch
# Today most sentence encoders are trained with another loss, the [**in-batch softmax**](#Glossary) (it goes by many names: multiple negatives ranking, InfoNCE). Each anchor must pick its own positive out of *all* positives and negatives of the batch:
#
# $$L_i = -\log \frac{e^{\cos(a_i,\, p_i) / t}}{\sum_j e^{\cos(a_i,\, p_j) / t} + \sum_j e^{\cos(a_i,\, n_j) / t}}$$
#
# With 16 triplets in a batch that is one right candidate among 32, for the price of the same forward pass. No margin is needed: hard negatives weigh more by themselves, the more so the smaller the [**temperature**](#Glossary) $t$. Larger batches
# give more negatives, so one takes them as large as fits. (One catch you know from notebook 02: another row of the batch may belong to the same section.)

# %%
def softmax_loss(targets, embeddings, temperature=0.05):
    """In-batch softmax: (batch, 3, dim) of anchors, positives, negatives -> one number."""
    unit = losses.unit_length(embeddings)
    anchor, positive, negative = unit[:, 0], unit[:, 1], unit[:, 2]
    candidates = ops.concatenate([positive, negative])
    cosines = ops.matmul(anchor, ops.transpose(candidates)) / temperature
    own = ops.sum(anchor * positive, axis=-1) / temperature
    return ops.mean(ops.logsumexp(cosines, axis=1) - own)


modern = build_encoder()
size = 6 if quick else 16
softmax_steps = sizes.classic_triplet_steps * 6 / size
softmax_history = fine_tune(modern, three, unused, softmax_loss, softmax_steps, learning_rate, size)

# %% [markdown]
# Both have read about the same number of triplets. For both we measure nearness by the Euclidean distance, although the softmax was trained on cosines.

# %%
models = {"raw": raw, "triplet loss": grouper, "in-batch softmax": modern}
accuracies = {name: recipes.score_triplets(model, unseen_triplets)["accuracy"] for name, model in models.items()}
for name, accuracy in accuracies.items():
    print(f"{name}: triplet accuracy {accuracy:.1%}")

# %% tags=["figure-triplets"] alt="Losses of the triplet loss and of the in-batch softmax against the step: both fall."
plotting.loss_curve({"triplet loss": triplet_history, "in-batch softmax": softmax_history})
plt.show()

# %% tags=["nbval-check-output"]
print("triplets to validate on:", len(unseen_triplets))
print("losses are numbers:", bool(np.isfinite(triplet_history.losses + softmax_history.losses).all()))
print("every accuracy is a share:", all(0 <= accuracy <= 1 for accuracy in accuracies.values()))

# %% [markdown]
# The two losses measure different things, so compare the accuracies and not the curves. And do not read too much into those: with the course's 360 triplets, thirty from each of twelve articles, an accuracy is certain to five points up or down at best, so a gain of one
# or two may be chance. With the small backbone do not be surprised if both ways end hardly above the raw model. So few steps are not much, and neither are the course's own 1,800 triplets: the published ones number 1.8 million.
#
# The course has recipes that go further: larger batches of similar length, a learning rate that rises and falls. `siamese-course train triplets --recipe course --out DIR` is one. `siamese-course train stsb --recipe course --out DIR` also
# looks at every sentence twice: in context, as you did here, and as nothing but the weighted mean of its words' embeddings before the first layer, where frequent words count for less. It ends by printing how each view
# does alone and both together. With the small backbone the simple one is hard to beat. (Arora, Liang and Ma, 2017, called such a mean "simple but tough-to-beat".)

# %% [markdown]
# ## Using it
# Three things to do with sentence embeddings. None of them trains anything any more.
#
# ## Exercise 7 · Semantic search (10 points)
# A query, a collection, and the question which $k$ sentences come nearest. With embeddings: bring all rows to unit length, take dot products, keep the $k$ largest, best first. The results are two arrays of shape (queries, k): the
# cosines, and the row numbers in the collection.
#
# NumPy can do it (`np.argsort`). For large collections there is [**FAISS**](#Glossary), a library for exactly this: `faiss.IndexFlatIP(dim)` is an index by dot product, `add` puts rows in, `search(queries, k)` finds. Either is right.

# %% answer="search"
def semantic_search(queries, collection, k):
    """The k rows of the collection that are most similar to each query, by the cosine.

    queries: (m, dim); collection: (n, dim); rows of any length. Both stay as they are.
    Returns (similarities, row numbers), two arrays (m, k), best first.
    """
    ### BEGIN SOLUTION
    import faiss

    def unit(rows):
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("float32")

    index = faiss.IndexFlatIP(collection.shape[1])
    index.add(unit(collection))
    return index.search(unit(queries), k)
    ### END SOLUTION

# %% check="search" tags=["nbval-check-output"]
exercises.search.check(semantic_search)

# %%
# exercises.search.hint()

# %%
semantic_search = exercises.search.use(semantic_search)

# %% [markdown]
# The collection: every sentence of the scored pairs, and some from the sections of articles. (The encoder was trained on part of them. For a toy search that is fair; for a measurement it would not be.)

# %%
collection = list(dict.fromkeys([*collection, *triplets.train.anchor[:1000], *unseen_triplets.anchor]))
collection = collection[:400] if quick else collection
library = regressor.encode(collection, verbose=False)

# %%
queries = ["Somebody is preparing a meal.", "An animal is asleep.", "It is raining hard."]
cosines, found = semantic_search(regressor.encode(queries, verbose=False), library, 3)
pd.DataFrame(
    [(query, collection[row], cosine) for query, rows, values in zip(queries, np.asarray(found), np.asarray(cosines))
     for row, cosine in zip(rows, values)],
    columns=["query", "found", "cosine"],
).style.format({"cosine": "{:.2f}"}).set_properties(**{"text-align": "left"})

# %% [markdown]
# How good are the hits? The small backbone often finds a sentence that shares a *word* with the query and not its meaning. The search is exact; what it searches is only as good as the encoder.
#
# Type your own queries, and try `grouper` or `raw` in place of `regressor`, in both cells. What does each of them find alike?
#
# ### Exact and approximate
# This search compares a query with *every* row. With ten thousand rows that takes milliseconds, with a hundred million it takes too long. Then one lets FAISS sort the rows into lists of neighbours beforehand, and look into the nearest lists
# only. It may miss something. How much?

# %%
asking = library[:: max(1, len(library) // 200)]
exact, approximate = (searching.build_index(library, approximate=short) for short in (False, True))
truth = searching.semantic_search(asking, exact, 10)[1]
for lists in sorted({1, 4, approximate.nprobe}):
    approximate.nprobe = lists
    guess = searching.semantic_search(asking, approximate, 10)[1]
    shared = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(truth.tolist(), guess.tolist())])
    print(f"{lists} of {approximate.nlist} lists looked into: {shared:.1%} of the ten nearest rows found")

# %% tags=["nbval-check-output"]
print("of the ten nearest rows, the approximate index finds at least 90%:", shared >= 0.9)

# %% [markdown]
# The fewer lists, the faster, and the more is missed. Left alone, `build_index` looks into all lists of up to about 5,000 rows, which saves nothing and misses nothing; of a million rows it looks into 128 of 4,000 lists.
#
# ### Duplicates
# Which sentences of the collection say the same? We need the most similar *pairs*: all $n (n - 1) / 2$ of them compared, but never all kept. `mine_pairs` goes through the table in tiles, and remembers only the best.

# %% tags=["nbval-check-output"]
similarities, first, second = searching.mine_pairs(library, top=300)
print("best first:", bool((np.diff(similarities) <= 0).all()), " no sentence with itself:", bool((first < second).all()))

# %%
table = pd.DataFrame({"cosine": similarities, "one": [collection[i] for i in first], "another": [collection[i] for i in second]})
table[:8].style.format({"cosine": "{:.3f}"}).set_properties(**{"text-align": "left"})

# %% [markdown]
# Would you call them duplicates? Look for pairs that share nearly all words and differ in the one that matters: a small model is easily caught by those.

# %% [markdown]
# ## Exercise 8 · Clustering (10 points)
# No query this time: which sentences belong together? [**K-means**](#Glossary) puts $k$ centres among the points, gives every point to the nearest centre, moves each centre into the middle of its points, and repeats. It uses Euclidean distances, as
# the triplet objective did, so we take the triplet-trained encoder, and its embeddings as they are.
#
# Use `sklearn.cluster.KMeans` with `n_init=10` (ten starts, the best wins) and `random_state=0`. What the clusters are called, 0 or 1, means nothing, and the check does not care.

# %% answer="clusters"
def cluster(embeddings, k):
    """Group rows into k clusters.

    embeddings: (n, dim). Returns an array (n,): a label for each row, the same for rows of one cluster.
    """
    ### BEGIN SOLUTION
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(embeddings)
    ### END SOLUTION

# %% check="clusters" tags=["nbval-check-output"]
exercises.clusters.check(cluster)

# %%
# exercises.clusters.hint()

# %%
cluster = exercises.clusters.use(cluster)

# %% [markdown]
# Six questions on two subjects, in mixed order. Does the encoder find out which belong together?

# %%
questions = [
    "How can I learn Spanish by myself?",
    "What is a good way to earn money on the internet?",
    "Which is the quickest way to learn a foreign language?",
    "How do people make money online from home?",
    "How many hours a day should I practise to learn French?",
    "Can I earn an income with a website?",
]
subjects = [0, 1, 0, 1, 0, 1]
names = cluster(grouper.encode(questions, verbose=False), 2)
pd.DataFrame({"cluster": names, "question": questions}).sort_values("cluster").style.hide().set_properties(**{"text-align": "left"})

# %%
print("the same groups as the subjects:", evaluation.same_clusters(np.unique(names, return_inverse=True)[1], subjects))

# %% [markdown]
# The published example has six questions like these, and RoBERTa base, trained on the published triplets, parts them three and three. If yours puts a question on the wrong side, remember what it was fine-tuned on: statements from articles, and not a single question.
#
# ### Whole articles
# The sentences of the validation triplets, in ten clusters. They come from articles the encoder has not seen. If clusters mean anything, anchor and positive should share one more often than anchor and negative, and both more often than
# two sentences drawn at random.

# %%
part = unseen_triplets
held_out = list(dict.fromkeys(s for three in zip(part.anchor, part.positive, part.negative) for s in three))[:400]
points = grouper.encode(held_out, verbose=False)
labels = np.unique(cluster(points, 10), return_inverse=True)[1]
label_of = dict(zip(held_out, labels))

# %%
def share_a_cluster(left, right):
    known = [(a, b) for a, b in zip(left, right) if a in label_of and b in label_of]
    return np.mean([label_of[a] == label_of[b] for a, b in known])


print(f"anchor and positive: {share_a_cluster(part.anchor, part.positive):.0%}")
print(f"anchor and negative: {share_a_cluster(part.anchor, part.negative):.0%}")
print(f"two at random: {np.sum((np.bincount(labels) / len(labels)) ** 2):.0%}")

# %% [markdown]
# ### The map
# To look at it we need two dimensions instead of a few hundred. [**t-SNE**](#Glossary) places the points in a plane so that near neighbours stay near. What is far apart in the plane need not be: read the neighbourhoods, not the distances. The colours
# are the clusters.

# %% tags=["figure-map"] alt="Map of the validation sentences, coloured by their cluster: sentences of one cluster lie mostly together."
from sklearn.manifold import TSNE

tsne = TSNE(perplexity=min(30, len(points) // 4), method="exact", max_iter=500, init="pca", random_state=0)
plane = tsne.fit_transform(points)
plotting.scatter(plane, labels, "Sentences by meaning, coloured by cluster")
plt.show()

# %% tags=["nbval-check-output"]
print("sentences on the map:", len(held_out), " clusters:", len(np.unique(labels)))

# %% [markdown]
# And with the sentence under the pointer (in JupyterLab and Colab):

# %%
plotting.interactive_sentences(plane, labels, held_out)

# %% [markdown]
# ### Keeping it
# An encoder is saved with its tokenizer and its settings, and gives the same embeddings when it is read again. The folder holds an ordinary KerasHub preset and one file beside it.

# %% tags=["nbval-check-output"]
import tempfile

from siamese_course.models.sentences import load_encoder

with tempfile.TemporaryDirectory() as folder:
    regressor.save(folder)
    again = load_encoder(folder).encode(candidates, verbose=False)
print("the same embeddings:", np.allclose(again, regressor.encode(candidates, verbose=False), atol=1e-5))

# %% [markdown]
# ## You come from the KerasNLP example?
# The page *Sentence embeddings using Siamese RoBERTa-networks* appeared in 2023, written with KerasNLP, and was later moved to KerasHub. If you bring its code, here is what stops it, and what is wrong although it runs:
#
# | there | here | why |
# |---|---|---|
# | `import keras_nlp` | `import keras_hub` | renamed in 2024; the models are the same |
# | `keras_nlp.models.RobertaPreprocessor` | ids made by the tokenizer, `encoder.tokenize` | the class is now `RobertaTextClassifierPreprocessor`, the old name an alias |
# | `keras.Input(shape=(1,), dtype="string")`, preprocessor inside the model | tokenize in the data pipeline | KerasHub refuses strings of rank 2: *inputs should be a string, list of strings, or string tensor with rank < 2* |
# | every sentence padded to 512 | to what the batch needs | fifteen times the time, for nothing |
# | `matmul(u, transpose(v))` in the regression model | `sum(u * v, axis=-1)` | every left with every right; broadcasting hides it (see above) |
# | `tf.unstack(y_pred, axis=0)` in the triplet loss, with a (2, batch) output | `embeddings[:, 0]`, batch first; `keras.ops` | works on TensorFlow only, and Keras takes the first axis for the batch |
# | `sqrt(sum(square(a - b)))` | the same with `+ 1e-6` inside | infinite gradient where two embeddings are equal |
# | the loss is all that is reported | Pearson, Spearman, triplet accuracy | the loss of a wrong objective falls, too |
# | one query before training, another one after | the same query | else the two cannot be compared |
#
# The losses that those pages report, of RoBERTa base in training and validation, are not to be reached. With KerasHub: 0.475 and 0.403 for the regression, 0.782 and 0.713 for the triplets, in 115 and 128 s on a GPU in
# `mixed_float16`. With KerasNLP: 0.398 and 0.408, 0.743 and 0.653, in 541 and 641 s. The regression losses belong to the wrong objective.

# %% [markdown]
# ### Your points
# Over all notebooks, as far as you have come on this machine:

# %%
from siamese_course import exercises as checks

checks.progress()

# %% [markdown]
# ## What you can do now
# You have counted what a cross-encoder costs, batched sentences with their masks, pooled states without their padding, fine-tuned a transformer on scores and on triplets, seen a mistake that no error message would have told you of, and
# put the embeddings to use in a search, among duplicates, and on a map.
#
# This is the end of the course. Over three notebooks the data changed, from pictures to questions to sentences, and so did the encoder, from dense layers to an LSTM to a transformer. The idea did not: one encoder, several inputs, and a loss that
# says who belongs together.
#
# **To think about**
#
# 1. What is measured is the *order* of the pairs, and what is trained is each cosine by itself. Can you think of a loss that asks for the order alone? (The package has one, `losses.score_ranking_loss`; `siamese-course train stsb --recipe course --pooling mean --out DIR` trains with it.)
# 2. The encoder reads each sentence alone. Think of two sentences that only a cross-encoder can tell apart.
# 3. Sections as labels cost nothing. What else, that people have written anyway, says which texts belong together?
#
# **Further reading**
#
# * N. Reimers, I. Gurevych (2019). *Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks.* EMNLP-IJCNLP, 3982–3992. What this notebook is about.
# * Y. Liu et al. (2019). *RoBERTa: A Robustly Optimized BERT Pretraining Approach.* arXiv:1907.11692. The backbone.
# * D. Cer, M. Diab, E. Agirre, I. Lopez-Gazpio, L. Specia (2017). *SemEval-2017 Task 1: Semantic Textual Similarity Multilingual and Crosslingual Focused Evaluation.* SemEval, 1–14. The STS benchmark.
# * L. Ein Dor et al. (2018). *Learning Thematic Similarity Metric from Article Sections Using Triplet Networks.* ACL (short papers), 49–54. Sections as labels.
# * K. Ethayarajh (2019). *How Contextual are Contextualized Word Representations? Comparing the Geometry of BERT, ELMo, and GPT-2 Embeddings.* EMNLP-IJCNLP, 55–65. The narrow cone.
# * A. van den Oord, Y. Li, O. Vinyals (2018). *Representation Learning with Contrastive Predictive Coding.* arXiv:1807.03748. The softmax over negatives, under the name InfoNCE.
# * J. Johnson, M. Douze, H. Jégou (2021). *Billion-Scale Similarity Search with GPUs.* IEEE Transactions on Big Data 7(3), 535–547. FAISS.
# * L. van der Maaten, G. Hinton (2008). *Visualizing Data using t-SNE.* Journal of Machine Learning Research 9, 2579–2605. How the map is drawn.

# %% [markdown]
# ## Glossary
# * **backbone**: the trained network below, to which one adds what the task needs.
# * **bi-encoder**: a model that reads each text alone and makes an embedding of it: a siamese network in use.
# * **broadcasting**: the rule by which arrays of different shape are stretched to fit. Handy, and silent when it was not meant.
# * **cross-encoder**: a model that reads two texts together and scores the pair.
# * **FAISS**: a library for the search of nearest vectors, exact or approximate.
# * **fine-tuning**: training a trained model further, on another task and with a small learning rate.
# * **in-batch softmax**: a loss by which each anchor picks its positive out of all candidates of the batch.
# * **K-means**: clustering by moving $k$ centres into the middle of their points.
# * **mask**: 1 for a real token, 0 for padding; tells the model what to leave out.
# * **masked language model**: a model that was trained to guess hidden words.
# * **Pearson's correlation**: how far two lists of numbers lie on a straight line, from −1 to 1.
# * **pooling**: making one vector of the states of all tokens.
# * **preset**: a trained model with a name, which a library can load.
# * **Sentence-BERT**: a siamese network round a transformer, which makes one point of a sentence.
# * **Spearman's correlation**: Pearson's correlation of the ranks: do both lists have the same order?
# * **t-SNE**: a way to draw points of many dimensions in a plane that keeps near neighbours near.
# * **temperature**: what similarities are divided by before a softmax: the smaller, the more the hardest negative counts.
# * **tokenizer**: what cuts text into tokens and numbers them.
# * **tokens**: pieces of text with an id: frequent words, and parts of rare ones.
# * **transformer**: a network in whose layers every token of a text looks at all the others.
# * **triplet accuracy**: the share of triplets whose positive is nearer to the anchor than the negative.
