# %% [markdown]
# # 02 · Siamese networks: the same question in other words
#
# {{badge}}
#
# *How old are you?* and *What is your age?* share no content word but ask the same thing. *Where are you from?* and
# *Where are you going?* share three of four words but ask different things.
#
# First you'll build the classic model in [**Trax**](#Glossary): an [**LSTM**](#Glossary) with a [**triplet
# loss**](#Glossary). On small data it's hardly better than chance. Then you'll find out why, and fix it in Keras.
#
# **You need:** notebook 01, or a basic idea of embeddings. No experience with Trax, no GPU.
#
# **Time:** about three hours, including a few minutes of computing.

# %% [markdown]
# **You'll learn to** find a batch's negatives in one matrix product, write the triplet loss with hard negatives, share
# weights and resume training in Trax, find out why a model fails on new data, use pretrained token vectors, and choose
# a threshold on validation data.
#
# **Exercises:** thirteen, worth 100 points. Write your code at `YOUR CODE HERE`, run the cell, then the check below it.
# Each exercise has three hints. If you skip an exercise, the notebook uses the course's answer. A function must not
# change its arguments, and must return new arrays in each call.

# %% [markdown]
# ## Setup
# If the course is missing, the first cell installs it from the wheel beside this notebook, `siamese_course-*.whl` (on
# Colab: *Files*, *Upload*). To build the wheel, run `python -m pip wheel --no-deps .` in the course's folder. If you got
# this notebook from GitHub, you don't need the wheel.
#
# On Windows, pip leaves Trax out, because one of its dependencies doesn't exist there. The second cell then installs
# Trax without its dependencies. This needs an internet connection once.

# %%
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

if importlib.util.find_spec("siamese_course") is None:
    wheels = map(str, Path().glob("siamese_course-*.whl"))
    package = next(filter(None, [os.environ.get("SIAMESE_COURSE_PACKAGE"), *wheels, "{{package}}"]), None)
    if package is None:
        raise SystemExit("The course is missing: put its wheel, siamese_course-*.whl, beside this notebook.")
    subprocess.check_call([sys.executable, "-m", "pip", "install", "-q", package])

# %%
from siamese_course.runtime.startup import install_trax, start

install_trax()
start(seed=0)

# %%
import tempfile
import time
from collections import defaultdict
from functools import cache
from itertools import permutations

import keras
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from keras import ops

from siamese_course import diagrams, evaluation, losses, plotting
from siamese_course.batching import questions as batching
from siamese_course.batching import tokens
from siamese_course.batching.padding import pad, pad_pair
from siamese_course.datasets import punkt
from siamese_course.datasets.own_questions import more_pairs, read_near_misses
from siamese_course.datasets.question_splits import components
from siamese_course.datasets.quora import load_questions
from siamese_course.exercises import quora_triplet as exercises
from siamese_course.models import questions as quora_keras
from siamese_course.models import questions_trax as quora_trax
from siamese_course.models.sentences import load_backbone, token_states
from siamese_course.runtime.trax_patch import training, trax

# %%
from siamese_course.runtime import settings
from siamese_course.training.loop import History, train
from siamese_course.training.schedules import OneCycle
from siamese_course.training.trax_loop import run_loop

sizes = settings.quora_sizes()
tl, jnp = trax.layers, trax.fastmath.numpy

# %% [markdown]
# **Trax** is a neural network library built on JAX, developed from 2019 to 2021; `trax_patch` makes it work with
# today's JAX. `tl` holds its layers. `jnp` is NumPy in JAX: the same functions, but differentiable.
#
# Part 1 follows an assignment from DeepLearning.AI's *Natural Language Processing with Sequence Models*; its code is
# "the classic" below. `sizes` sets how much to train (`SIAMESE_COURSE_BUDGET`: `smoke`, `course` or `full`).

# %% [markdown]
# ## The data
# Pairs of questions with a label `same`: 1 for duplicates, otherwise 0. The classic uses Quora's 2017 data set, with
# 404,290 pairs. Without it, you get questions that ship with the course: 328 meanings, each phrased in seven to nine
# ways by a language model, in British English.

# %% tags=["nbval-check-output"]
data = load_questions(scored=sizes.scored)

# %%
def show(pairs, rows, **more):
    """Some pairs as a table."""
    columns = {"question 1": pairs.question1, "question 2": pairs.question2, "same": pairs.same}
    table = pd.DataFrame(columns).iloc[rows].assign(**more)
    return table.style.format(precision=2).set_properties(**{"text-align": "left"})


show(data.test, np.random.default_rng(1).choice(len(data.test), 6, replace=False))

# %% [markdown]
# ### Why not a classifier?
# A classifier learns **what something is**. Every *meaning* would be a class with a few questions, and new questions
# often have new meanings. A siamese network learns **whether two things are the same**. That can work for questions it
# has never seen.
#
# ### Three splits
# One split is for training, one for choosing a threshold (validation), one for the test. If we split *pairs* at random,
# test questions would leak into training, since one question occurs in many pairs. Here no test question is in training or
# validation. (In Quora's data, training and validation may share questions, but no pairs.)

# %% tags=["nbval-check-output"]
trained_on = {*data.train.question1, *data.train.question2}
tested = {*data.test.question1, *data.test.question2}
print("test questions:", len(tested), " of these in training:", len(tested & trained_on))

# %% tags=["nbval-check-output"]
# The triplet loss needs only the duplicates
duplicates = data.train.duplicates()
chosen = np.random.default_rng(0).permutation(len(duplicates))[: sizes.classic_rows]
duplicates = duplicates.take(chosen)
print("duplicate pairs to train on:", len(duplicates))

# %% [markdown]
# # Part 1: the classic
#
# ## Exercise 1 · Vocabulary (8 points)
# Every word gets a number, its [**id**](#Glossary). `tokenize` is NLTK's `word_tokenize`: it splits a question into words
# and punctuation, and *don't* into *do* and *n't*.
#
# **1 is `<PAD>`**, which fills up short questions so that a batch is a rectangle. **0 is for every word not in the
# vocabulary.** Words are numbered from 2, in any order. Keep upper and lower case as `tokenize` returns them.
#
# Use the training questions *only*. A word that appears only in the test has no trained vector, and shouldn't get an
# id.

# %%
tokenize = tokens.word_tokenizer(sentence_data=punkt.prepare())
print(tokenize("Why don't cats like water?"))

# %% answer="vocabulary.build"
def build_vocabulary(questions, tokenize):
    """Number the words of the training questions.

    questions: list of strings; tokenize: function from a string to a list of words.
    Returns a dictionary, word -> id: "<PAD>" has 1, the words have 2, 3, 4 and so on.
    """
    ### BEGIN SOLUTION
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            if token not in vocabulary:
                vocabulary[token] = len(vocabulary) + 1
    return vocabulary
    ### END SOLUTION

# %% answer="vocabulary.encode"
def encode(question, vocabulary, tokenize):
    """The ids of a question's words, in their order; 0 for a word that is not in the vocabulary.

    Leaves the vocabulary as it is. Returns a list of integers.
    """
    ### BEGIN SOLUTION
    return [vocabulary.get(token, 0) for token in tokenize(question)]
    ### END SOLUTION

# %% check="vocabulary" tags=["nbval-check-output"]
exercises.vocabulary.check(build_vocabulary, encode)

# %% [markdown]
# Stuck? Delete the `#` in the next cell and run it. Run it again for the next hint. The last resort is
# `exercises.vocabulary.solution()`.

# %%
# exercises.vocabulary.hint()

# %%
# Your functions if they passed the check, the course's if not
build_vocabulary, encode = exercises.vocabulary.use(build_vocabulary, encode)

# %%
# Many pairs share a question: each is read once
vocabulary = build_vocabulary(list(dict.fromkeys(duplicates.question1 + duplicates.question2)), tokenize)


@cache
def to_ids(question):
    # The first 24 words: one question with 200 would make its whole batch 256 long.
    # An empty question becomes an unknown word, because an LSTM needs at least one.
    return list(encode(question, vocabulary, tokenize))[: sizes.max_length] or [tokens.UNKNOWN]


left, right = ([to_ids(q) for q in side] for side in (duplicates.question1, duplicates.question2))

# %% tags=["nbval-check-output"]
unknown = np.mean([i == 0 for q in data.test.question1 for i in to_ids(q)])
print("words in the vocabulary:", len(vocabulary) - 1)
print(f"unknown words in the test questions: {unknown:.0%}")
print("ids of a question:", to_ids("How do I boil an egg ?"))

# %% [markdown]
# To the network, all unknown words are the same. That will matter later.
#
# ## Batches that contain their own negatives
# A triplet is an [**anchor**](#Glossary), a [**positive**](#Glossary) that means the same, and a [**negative**](#Glossary)
# that doesn't. A batch of duplicate pairs has all three:
#
# | row | left | right |
# |---|---|---|
# | 1 | How old are you? | What is your age? |
# | 2 | Where are you from? | What is your home town? |
# | 3 | Where are you going? | What is your destination? |
#
# Left 1 and right 1 are duplicates; left 1 and *any other* right question probably aren't. So 256 duplicate pairs give
# 256 positives and 256 × 255 = 65,280 negatives, without any pair labeled as different.

# %% [markdown]
# ## Exercise 2 · Data generator (9 points)
# The generator never ends: after the last row it starts again, in a new order if it shuffles. A batch that isn't full
# at the end of an epoch is filled from the next epoch. Both sides of a batch are padded at the end with the id `pad` to
# *one* length: **the smallest power of two that fits the longest question of that batch, on either side**, because
# JAX compiles the model for each length.
#
# The classic has a bug: at the end of an epoch it sets its index to the length of the data instead of 0, and
# fails with an `IndexError` after the first epoch.

# %% answer="generator"
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    """Endless batches of duplicates.

    left, right: lists of ids, one list per question; row i of both is a duplicate pair.
    shuffle: draw a new order for every epoch, from rng; else keep the rows in order.
    Yields (left, right): two arrays (batch_size, length) of integers.
    """
    ### BEGIN SOLUTION
    rows = []
    while True:
        order = rng.permutation(len(left)) if shuffle else range(len(left))
        for row in order:
            rows.append(row)
            if len(rows) == batch_size:
                a, b = [left[r] for r in rows], [right[r] for r in rows]
                longest = max(len(question) for question in a + b)
                length = 2 ** int(np.ceil(np.log2(longest)))
                padded = [[q + [pad] * (length - len(q)) for q in side] for side in (a, b)]
                yield np.array(padded[0]), np.array(padded[1])
                rows = []
    ### END SOLUTION

# %% check="generator" tags=["nbval-check-output"]
exercises.generator.check(data_generator)

# %%
# exercises.generator.hint()

# %%
data_generator = exercises.generator.use(data_generator)

# %% tags=["nbval-check-output"]
batch_size = min(sizes.batch, len(left))
batches = data_generator(left, right, batch_size, True, np.random.default_rng(0))
a, b = next(batches)
print("one batch:", a.shape, b.shape)
print(f"fraction of it that is padding: {np.mean(a == 1):.0%}")

# %% [markdown]
# ## The model
# Both questions go through **the same** encoder:

# %% alt="Question 1 and question 2 each go through the same encoder of embedding, LSTM, mean and unit length; the cosines of the embeddings v1 and v2 of a batch go into the triplet loss."
diagrams.siamese_architecture("questions")
plt.show()

# %% [markdown]
# * **Embedding**: a learned vector of 128 numbers for each word.
# * **LSTM**: reads word by word and keeps a state, so "from Paris to Rome" and "from Rome to Paris" differ.
# * **Mean over time**: the mean of all states.
# * **Unit length**: divide the mean by its length.
#
# We compare embeddings by their cosine; with unit lengths, it's the dot product:
#
# $$\cos(v_1, v_2) = \frac{v_1 \cdot v_2}{\lVert v_1 \rVert\, \lVert v_2 \rVert}$$
#
# It's 1 for the same direction, 0 for nothing in common, −1 for opposite directions.

# %% [markdown]
# ## Exercise 3 · Similarity matrix (6 points)
# We want *all* cosines of a batch, every left question with every right one. Their rows have unit length
# already, so don't divide again: one matrix product is enough.
#
# $$S = V_1 V_2^T, \qquad s_{ij} = \cos(v_{1,i},\, v_{2,j})$$
#
# Positives are on the diagonal, negatives everywhere else. From here through the loss, use `jnp`, so that Trax can
# compute gradients.

# %% answer="similarity"
def similarity_matrix(left, right):
    """All cosines of a batch.

    left, right: (batch, dim), rows of unit length.
    Returns (batch, batch): entry (i, j) compares left row i with right row j.
    """
    ### BEGIN SOLUTION
    return jnp.dot(left, right.T)
    ### END SOLUTION

# %% check="similarity" tags=["nbval-check-output"]
exercises.similarity.check(similarity_matrix)

# %%
# exercises.similarity.hint()

# %%
similarity_matrix = exercises.similarity.use(similarity_matrix)

# %% [markdown]
# ## The loss, step by step
# **The goal.** The similarity of anchor and positive, $s(A, P)$, should be near its maximum, 1; that of anchor and
# negative, $s(A, N)$, clearly lower. (The figures below show distances $d$: a high similarity is a short distance.)
#
# **Step 1.** At the very least, the positive should be more similar to the anchor than the negative:
#
# $$\mathrm{diff} = s(A, N) - s(A, P) < 0$$
#
# But if we minimize diff itself, easy triplets, with very negative values, outweigh the wrong ones.
#
# **Step 2.** $\max(\mathrm{diff}, 0)$ is 0 for a correct triplet, but also if all questions have the same embedding.
#
# **Step 3: a margin.** $\max(\mathrm{diff} + \alpha, 0)$: the positive must be ahead by $\alpha = 0.25$.

# %% alt="An anchor, a positive and a negative before and after a training step: the positive comes closer, the negative moves away."
diagrams.triplet_step()
plt.show()

# %% tags=["nbval-check-output"]
for negative in (0.2, 0.6, 0.9):
    print(f"positive 0.80, negative {negative:.2f}: loss {max(negative - 0.8 + 0.25, 0):.2f}")

# %% [markdown]
# ### Which negative?
# **A random one** is soon easy: *How old are you?* is far from *How do I boil an egg?*, the loss is 0, and nothing is
# learned. **A hard one**, with $s(A, N)$ above $s(A, P)$ or just below, teaches more. The [**hardest negative**](#Glossary) is
# the largest off-diagonal value in its row.
#
# Training on it alone can be unstable: the network may *collapse* (give all questions the same embedding), and the
# negative may really be a duplicate (a *false negative*). So the loss adds the **mean negative**, the mean of the row's
# off-diagonal values. (In the figure, *semi-hard* negatives are within the margin, but farther than the positive.)

# %% alt="Negatives around an anchor: hard ones are closer than the positive, semi-hard ones farther but within the margin, easy ones beyond it."
diagrams.easy_and_hard_negatives()
plt.show()

# %% [markdown]
# Made-up similarities, easy to read. Left and right question $i$ are two wordings of the same question; the labels show
# only one of them:

# %% tags=["figure-worked-example"] alt="Heat map of a four by four similarity matrix of questions; the diagonal and the hardest negative of each row are framed; the mean negatives are in a column on the right."
worked = np.array(
    [[0.9, -0.8, 0.3, -0.5], [-0.8, 0.5, 0.1, -0.2], [0.3, 0.1, 0.7, -0.8], [-0.5, -0.2, -0.8, 1.0]]
)
names = ["How old\nare you?", "Where are\nyou from?", "What is\nyour age?", "Where are\nyou going?"]
plotting.similarity_heatmap(worked, "Left question 1 to 4, right question 1 to 4", names)
plt.show()

# %% [markdown]
# In every row, the positive (green) is ahead of the hardest negative (purple) by at least 0.4, more than $\alpha$: the
# loss is 0. But questions 1 and 3 are duplicates of each other, and the loss treats them as negatives.
#
# > **Two definitions.** Some lectures define the hardest negative as the largest value *below the positive*. The classic
# > takes the largest off-diagonal value, even above the positive. So do we, because those are the mistakes to
# > correct.

# %% [markdown]
# ## Exercise 4 · Hardest and mean negative (10 points)
# The diagonal must not count. For the maximum, subtract 2 from it (`jnp.eye(b)` has ones on the diagonal), so that no
# cosine there can be the largest. For the mean, set it to 0, and divide by the number of other values, $b - 1$.

# %% answer="negatives"
def hard_negatives(similarities):
    """The two negatives of every row.

    similarities: (batch, batch), positives on the diagonal.
    Returns (hardest, mean), two arrays (batch,).
    """
    ### BEGIN SOLUTION
    # from the package: exercises.quora_triplet.negatives.hard_negatives
    ### END SOLUTION

# %% check="negatives" tags=["nbval-check-output"]
exercises.negatives.check(hard_negatives)

# %%
# exercises.negatives.hint()

# %%
hard_negatives = exercises.negatives.use(hard_negatives)

# %% tags=["nbval-check-output"]
for name, values in zip(("hardest", "mean"), hard_negatives(jnp.array(worked))):
    print(f"{name} negatives:", [round(float(value), 2) for value in values])

# %% [markdown]
# ## Exercise 5 · Triplet loss (9 points)
# For row $i$ of the similarity matrix $S$:
#
# $$L_1 = \max(0,\ \alpha - s_{ii} + \mathrm{hardest}_i) \qquad L_2 = \max(0,\ \alpha - s_{ii} + \mathrm{mean}_i)$$
#
# The loss is the **mean** of $L_1 + L_2$ over the batch. (The slides that go with the classic use the sum; its code
# takes the mean, so that the loss doesn't grow with the batch.)

# %% answer="loss"
def triplet_loss(left, right, margin=0.25):
    """Mean over the batch of L1 + L2.

    left, right: (batch, dim) embeddings of unit length, row i of both a duplicate pair.
    Returns one number. Use your `similarity_matrix` and `hard_negatives`.
    """
    ### BEGIN SOLUTION
    similarities = similarity_matrix(left, right)
    hardest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    with_hardest = jnp.maximum(0.0, margin - positive + hardest)
    with_mean = jnp.maximum(0.0, margin - positive + mean)
    return jnp.mean(with_hardest + with_mean)
    ### END SOLUTION

# %% check="loss" tags=["nbval-check-output"]
exercises.loss.check(triplet_loss)

# %%
# exercises.loss.hint()

# %%
triplet_loss = exercises.loss.use(triplet_loss)

# %% [markdown]
# Three examples. In the second, a negative, 0.7, beats the positive, 0.6. The third has *collapsed*: all embeddings are
# equal, and the loss is $2 \alpha$.

# %% tags=["nbval-check-output"]
wrong_row = jnp.array([[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]])
# With the identity as right side, the left side is the similarity matrix
examples = {"worked example": jnp.array(worked), "a wrong row": wrong_row, "collapsed": jnp.ones((3, 3))}
for name, matrix in examples.items():
    print(f"{name}: loss {float(triplet_loss(matrix, jnp.eye(len(matrix)))):.3f}")

# %% [markdown]
# ## Exercise 6 · Siamese model in Trax (8 points)
# Trax builds models from layers:
#
# * `tl.Serial(a, b, c)`: one after the other;
# * `tl.Parallel(a, b)`: side by side, first input through `a`, second through `b`;
# * `tl.Embedding(vocabulary_size, dim)`, `tl.LSTM(dim)`, `tl.Mean(axis=1)` (axis 1 is time);
# * `tl.Fn("Name", function)`: a function as a layer. `normalize` is given.
#
# Trax **shares weights** only where *the same layer object* appears again. Two encoders would start with different
# weights, and the cosine of a question with itself wouldn't be 1.
#
# The classic's `mode` (`"train"`, `"eval"`, `"predict"`) is for layers such as dropout, which this model doesn't have.

# %% answer="siamese"
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    """A Trax model with two inputs (batch, length) and two outputs (batch, dim).

    Embedding, LSTM, mean over time, normalize; one encoder for both sides.
    """
    ### BEGIN SOLUTION
    encoder = tl.Serial(
        tl.Embedding(vocabulary_size, dim),
        tl.LSTM(dim),
        tl.Mean(axis=1),
        tl.Fn("Normalize", normalize),
    )
    return tl.Parallel(encoder, encoder)
    ### END SOLUTION

# %% check="siamese" tags=["nbval-check-output"]
exercises.siamese.check(build_siamese)

# %%
# exercises.siamese.hint()

# %%
build_siamese = exercises.siamese.use(build_siamese)

# %%
siamese = build_siamese(len(vocabulary) + 1)
print(siamese)

# %% [markdown]
# ## Exercise 7 · Training loop (7 points)
# Trax uses three objects:
#
# * `training.TrainTask`: data (`labeled_data`), `loss_layer`, `optimizer`, `lr_schedule`, and the number of steps between
#   reports and checkpoints (`n_steps_per_checkpoint`).
# * `training.EvalTask`: data, `metrics` (a list of layers), and the number of batches (`n_eval_batches`).
# * `training.Loop(model, train_task, eval_tasks=[...])`: applies tasks to a model. With `output_dir=folder` it saves
#   [**checkpoints**](#Glossary): model, optimizer and step counter. A new Loop on that folder resumes there.
#
# Use `trax.optimizers.Adam(0.01, eps=1e-9)` and `trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)`, which rises linearly,
# then falls as $1/\sqrt{\text{step}}$. Report every 20 steps, evaluate the loss layer on two batches, save to `folder`,
# and set `random_seed=34`. Don't run the Loop; the next cells do.

# %% answer="loop"
def training_loop(
    model, loss_layer, train_batches, validation_batches, folder, warmup=400
):
    """A Loop that is ready to run.

    model: the siamese model; loss_layer: a Trax layer that takes its two outputs.
    train_batches, validation_batches: generators of (left, right).
    folder: where the checkpoints go. warmup: steps in which the learning rate rises.
    """
    ### BEGIN SOLUTION
    # from the package: exercises.quora_triplet.loop.training_loop
    ### END SOLUTION

# %% check="loop" tags=["nbval-check-output"]
exercises.loop.check(training_loop)

# %%
# exercises.loop.hint()

# %%
training_loop = exercises.loop.use(training_loop)

# %% [markdown]
# **Why the epsilon?** Adam divides each gradient by its typical magnitude plus $\varepsilon$. At first all embeddings are
# nearly equal, and the gradients are smaller than Trax's default $\varepsilon = 10^{-5}$, so the steps would be tiny.

# %%
valid = data.validation.duplicates()
valid_sides = ([to_ids(q) for q in side] for side in (valid.question1, valid.question2))
valid_batches = data_generator(*valid_sides, batch_size, True, np.random.default_rng(1))
# tl.Fn accepts no function with default values, hence the lambda
loss_layer = tl.Fn("TripletLoss", lambda left, right: triplet_loss(left, right, 0.25))
folder = tempfile.mkdtemp()
# The classic's 400 warmup steps suit a longer training run
loop = training_loop(siamese, loss_layer, batches, valid_batches, folder, warmup=20)

# %%
started = time.perf_counter()
# loop.run with a stop button
run_loop(loop, sizes.classic_steps)
classic_seconds = time.perf_counter() - started
print("steps done:", loop.step)

# %% tags=["figure-loss"] alt="Training and validation loss of the Trax model: the training loss falls, the validation loss stays near 0.5 or rises."
curves = {}
for mode, name in (("train", "training"), ("eval", "validation")):
    steps, values = zip(*loop.history.get(mode, "metrics/TripletLoss"))
    curves[name] = History(list(steps), list(map(float, values)))
plotting.loss_curve(curves).axes[0].set_ylabel("loss")
plt.show()

# %% tags=["nbval-check-output"]
losses_seen = curves["training"].losses
print("the loss began near 2 alpha = 0.5:", abs(losses_seen[0] - 0.5) < 0.1)

# %% [markdown]
# ### Resume from a checkpoint
# A new Loop on the same folder, with an untrained model, gets the weights and step counter of the last checkpoint. The
# learning rate schedule isn't saved: pass the same one. (Checkpoints are *pickles*: load only your own.)

# %% tags=["nbval-check-output"]
sorted(name for name in os.listdir(folder) if name.startswith("model."))

# %%
again = training_loop(build_siamese(len(vocabulary) + 1), loss_layer, batches, valid_batches, folder, warmup=20)
same_weights = zip(quora_trax.leaves(again.model.weights), quora_trax.leaves(loop.model.weights))
print("the new loop goes on at step", again.step)
print("with the weights of the old one:", all(np.array_equal(x, y) for x, y in same_weights))

# %% [markdown]
# ## The same model in Keras
# The same layers and loss (`losses.triplet_loss`). To verify that, we copy the Trax weights and compare the loss on one
# batch:

# %%
def keras_twin(trax_weights, vocabulary_size):
    table, matrix, bias = quora_trax.leaves(trax_weights)
    encoder = quora_keras.build_classic_encoder(vocabulary_size, table.shape[1])
    i, c, f, o = np.split(matrix, 4, axis=1)  # Trax's order of gates; Keras has i, f, c, o
    bi, bc, bf, bo = np.split(bias, 4)
    kernel, recurrent = np.split(np.concatenate([i, f, c, o], axis=1), 2)
    encoder.set_weights([table, kernel, recurrent, np.concatenate([bi, bf, bc, bo])])
    return encoder


twin = keras_twin(loop.model.weights[0], len(vocabulary) + 1)

# %% tags=["nbval-check-output"]
in_trax = float(loss_layer(loop.eval_model((a, b))))
in_keras = float(losses.triplet_loss(None, quora_keras.build_siamese(twin)([a, b])))
print("the same loss, to five digits:", abs(in_trax - in_keras) < 1e-5)

# %% [markdown]
# ## Does it work on new questions?
# If the cosine is above a threshold $\tau$, we call the pair a duplicate. **Choose $\tau$ on the validation pairs,
# never on the test pairs**, or the accuracy will be too optimistic.
#
# ## Exercise 8 · Classify with a threshold (6 points)
# The first function computes the cosine of each *pair* (left row $i$ with right row $i$, so you don't need the matrix), at
# most `batch_size` pairs at a time. The last batch may be shorter; the classic fails there. `pad_pair` pads two
# lists of questions to one length, as your generator does.
#
# The second chooses the threshold with the best accuracy on the validation pairs (try each of their similarities), and
# returns it with the accuracy on the test pairs. `similarity > threshold` means duplicate: one
# equal to the threshold doesn't count.

# %% answer="classify.similarities"
def pair_similarities(embed, left, right, batch_size):
    """The cosine of every pair.

    embed: function from ids (rows, length) to unit vectors (rows, dim).
    left, right: n lists of ids. Returns an array (n,).
    """
    ### BEGIN SOLUTION
    cosines = []
    for start in range(0, len(left), batch_size):
        a, b = pad_pair(left[start : start + batch_size], right[start : start + batch_size])
        cosines.append(np.sum(embed(a) * embed(b), axis=1))
    return np.concatenate(cosines)
    ### END SOLUTION

# %% answer="classify.evaluate"
def evaluate(validation, test):
    """Choose a threshold on the validation pairs, and measure the accuracy on the test pairs.

    validation, test: (similarities, same), two arrays (n,) each; same is 1 for duplicates.
    Returns (threshold, accuracy).
    """
    ### BEGIN SOLUTION
    def accuracy(threshold, similarities, same):
        return np.mean((similarities > threshold) == (same == 1))

    candidates = np.unique(validation[0])
    threshold = max(candidates, key=lambda t: accuracy(t, *validation))
    return threshold, accuracy(threshold, *test)
    ### END SOLUTION

# %% check="classify" tags=["nbval-check-output"]
exercises.classify.check(pair_similarities, evaluate)

# %%
# exercises.classify.hint()

# %%
pair_similarities, evaluate = exercises.classify.use(pair_similarities, evaluate)

# %% [markdown]
# Only 37% of the pairs are duplicates, so "always different" is right for 63%. The [**AUC**](#Glossary) doesn't depend
# on that fraction: it's the probability that a random duplicate pair has a higher cosine than a random other pair.
# **0.5 is chance, 1 is perfect.**
#
# We compute the AUC of the duplicates against *all* test pairs labeled different, and against just the
# [**near misses**](#Glossary) among them: pairs that only look alike.

# %%
listed = {frozenset(pair) for pair in read_near_misses()}
words_of = cache(lambda question: frozenset(tokenize(question)))


def near_misses(pairs):
    """Which pairs look alike but are labeled different.

    The shipped questions come with a list. Quora's don't, so there it's the pairs that share at least half of their words.
    """
    both = list(zip(pairs.question1, pairs.question2))
    found = np.array([frozenset(pair) in listed for pair in both], bool)
    if not found.any():
        words = [[words_of(question) for question in pair] for pair in both]
        found = np.array([len(x & y) >= 0.5 * len(x | y) for x, y in words], bool)
    return (pairs.same == 0) & found


near = near_misses(data.test)
show(data.test, np.flatnonzero(near)[:3])

# %%
rungs, cosines_of = [], {}


def similarities_of(pairs, embed, to_ids):
    """The cosine of every pair. Many pairs share a question, so each question is embedded only once."""
    texts = sorted({*pairs.question1, *pairs.question2})
    ids = [to_ids(text) for text in texts]
    vectors = np.concatenate([embed(pad(ids[i : i + 256])) for i in range(0, len(ids), 256)])
    row_of = {text: row for row, text in enumerate(texts)}
    left, right = ([[row_of[question]] for question in side] for side in (pairs.question1, pairs.question2))
    # Your function gets row indices instead of ids, and looks up their vectors
    return pair_similarities(lambda rows: vectors[np.asarray(rows)[:, 0]], left, right, 256)


def measure(name, embed, to_ids, seconds):
    """Add a row to the table: AUC on all test pairs, and AUC of the duplicates against near misses."""
    similarities, same = similarities_of(data.test, embed, to_ids), data.test.same
    cosines_of[name] = similarities
    hard = near | (same == 1)
    columns = "AUC, new questions", "AUC, near misses", "seconds"
    values = evaluation.roc_auc(similarities, same), evaluation.roc_auc(similarities[hard], same[hard])
    rungs.append({"model": name} | dict(zip(columns, (*values, round(seconds)))))
    print(f"{name}: AUC {values[0]:.3f} on new questions, {values[1]:.3f} against near misses")

# %%
trax_embed = quora_trax.forward_function(loop.eval_model.sublayers[0], loop.model.weights[0])
measure("0 classic (Trax)", trax_embed, to_ids, classic_seconds)

# %% tags=["nbval-check-output"]
print("the classic model is near chance on new questions:", rungs[0]["AUC, new questions"] < 0.6)

# %% [markdown]
# That's close to chance, although the training loss fell. Against near misses it's far *below* chance: they share more
# words than duplicates do.
#
# **Why?** Four possible causes:
#
# 1. **Padding.** The mean includes it, so an embedding depends on the length of the *other* questions in its batch.
# 2. **False negatives.** A batch contains duplicates of other rows, and the loss pushes them apart.
# 3. **Few negatives count.** The mean negative is soon behind by the margin, and its term is 0. Then only one negative of
#    each anchor, the hardest, has a gradient.
# 4. **Unknown words.** All have id 0, and the training questions (1,600 in the shipped set) contain few words.

# %% [markdown]
# # Part 2: the ladder
# You'll remove these causes one by one, now in Keras, with smaller batches and a lower learning rate. Each step is a
# *rung* of a ladder; after each, we measure again on the test pairs. That's to explain the steps; to choose a rung, use
# the validation pairs.

# %%
def number_rows(duplicates):
    """The questions of some pairs, each once, and the pairs as row indices (n, 2)."""
    questions = sorted({*duplicates.question1, *duplicates.question2})
    row_of = {question: row for row, question in enumerate(questions)}
    both = zip(duplicates.question1, duplicates.question2)
    return questions, np.array([[row_of[question] for question in pair] for pair in both])


questions, pairs = number_rows(duplicates)
# One table, padded to one length: TensorFlow traces the model only once
word_table = pad([to_ids(question) for question in questions], sizes.max_length)
print("questions:", word_table.shape, " pairs:", pairs.shape)


# %%
def fit(encoder, table, loss, epochs, sides=2, steps=sizes.rung_steps, learning_rate=0.003):
    """Train an encoder on batches of `sides` questions per row; returns the seconds."""
    words = keras.Input((sides, table.shape[1]), dtype="int32")
    flat = encoder(ops.reshape(words, (-1, table.shape[1])))
    model = keras.Model(words, ops.reshape(flat, (-1, sides, flat.shape[-1])))
    model.compile(keras.optimizers.Adam(OneCycle(learning_rate, steps), epsilon=1e-9), loss)
    batches = ((table[batch], np.zeros(len(batch))) for batch in epochs)
    return train(model, batches, steps, name="training", jit=False).seconds


def embedder(encoder):
    """The encoder as a compiled function."""
    return quora_keras.compiled_forward(encoder)

# %% [markdown]
# ## Exercise 9 · A mean without the padding (8 points)
# Multiply each state by 1 for a real word and 0 for padding, sum over time, and divide by the number of *real* words. In
# exercises 9 and 11, use `ops` (`keras.ops`), so that Keras can compute gradients.

# %% answer="padding"
def masked_mean(words, values):
    """The mean over the real words of each question.

    words: (batch, length) ids, 1 is padding; values: (batch, length, dim).
    Returns (batch, dim).
    """
    ### BEGIN SOLUTION
    real = ops.expand_dims(ops.cast(ops.not_equal(words, 1), "float32"), -1)
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)
    ### END SOLUTION

# %% check="padding" tags=["nbval-check-output"]
exercises.padding.check(masked_mean)

# %%
# exercises.padding.hint()

# %%
masked_mean = exercises.padding.use(masked_mean)


# %%
def build_encoder(size=len(vocabulary) + 1, dim=128):
    """The classic encoder with your masked mean."""
    words = keras.Input((None,), dtype="int32")
    vectors = keras.layers.Embedding(size, dim)(words)
    states = keras.layers.LSTM(dim, return_sequences=True)(vectors)
    return keras.Model(words, losses.unit_length(masked_mean(words, states)))


def random_epochs(rng, size=128):
    """Row indices of random batches, endlessly."""
    while True:
        for rows in np.array_split(rng.permutation(len(pairs)), max(1, len(pairs) // size)):
            yield rng.permuted(pairs[rows], axis=1)

# %%
keras.utils.set_random_seed(0)
encoder = build_encoder()
seconds = fit(encoder, word_table, losses.triplet_loss, random_epochs(np.random.default_rng(0)))
measure("1 padding masked", embedder(encoder), to_ids, seconds)

# %% [markdown]
# ## False negatives
# Are all the other right questions really negatives? Duplicate pairs link questions into groups. Count the rows that share a
# batch with another row of their group, in random batches as large as part 1's:

# %% tags=["nbval-check-output"]
groups = components(duplicates, duplicates_only=True)
order = np.random.default_rng(0).permutation(len(groups))
random_batches = np.array_split(order, len(order) // batch_size)
met = batching.false_negatives(groups, random_batches)
print(f"rows with a false negative in their batch: {met:.0%}")

# %% [markdown]
# With Quora's questions it's about one row in ten; with the shipped ones, two in three, since each meaning has many
# wordings. (The validation batches of part 1 have 51 meanings in 256 rows, one reason why the validation loss couldn't
# fall.)
#
# ## Exercise 10 · Batches without false negatives (10 points)
# Split the rows into batches so that no batch contains two rows of the same group. Which rows meet must depend on `rng`.
# For example, deal them like cards: shuffle the rows, sort them by group (a stable sort), and give each batch one in turn.
# You need at least as many batches as the largest group has rows, and at least $n$ / `batch_size`. A few more do no harm, but
# many small batches have few negatives: the check allows half as many again.

# %% answer="false_negatives"
def group_batches(groups, batch_size, rng):
    """One epoch of batches, none with two rows of the same group.

    groups: (n,) the group of each row, an integer. batch_size: the maximum number of rows in a batch.
    rng: NumPy random generator for the order of the rows.
    Returns a list of batches, each with its row indices; every row occurs once.
    """
    ### BEGIN SOLUTION
    place = rng.permutation(groups.max() + 1)[groups]  # the groups in random order
    order = rng.permutation(len(groups))
    order = order[np.argsort(place[order], kind="stable")]
    largest = np.unique(groups, return_counts=True)[1].max()
    count = max(int(np.ceil(len(groups) / batch_size)), largest)
    return [order[start::count] for start in range(count)]
    ### END SOLUTION

# %% check="false_negatives" tags=["nbval-check-output"]
exercises.false_negatives.check(group_batches)

# %%
# exercises.false_negatives.hint()

# %%
group_batches = exercises.false_negatives.use(group_batches)


# %%
def group_epochs(rng, pairs=pairs, groups=groups, size=128):
    """Row indices of batches without false negatives, endlessly."""
    while True:
        for rows in group_batches(groups, min(size, len(groups)), rng):
            yield rng.permuted(pairs[np.asarray(rows)], axis=1)


keras.utils.set_random_seed(0)
encoder = build_encoder()
seconds = fit(encoder, word_table, losses.triplet_loss, group_epochs(np.random.default_rng(0)))
measure("2 no false negatives", embedder(encoder), to_ids, seconds)

# %% [markdown]
# ## Exercise 11 · In-batch softmax (10 points)
# Each anchor *picks* its positive from all candidates, as a classifier picks a class. The *logits* of row $i$ are its cosines
# with all candidates, divided by a *temperature*, $t = 0.1$; the correct class is $i$. Cosines only range from −1 to 1; a
# small $t$ spreads them.
#
# $$\ell_i = -\log \frac{e^{s_{ii} / t}}{\sum_j e^{s_{ij} / t}} = \log \sum_j e^{s_{ij} / t} - \frac{s_{ii}}{t}$$
#
# Every negative counts, the hard ones most, and there's no margin (Henderson et al. 2017, section 4).
#
# In `embeddings`, (batch, sides, dim), side 0 holds the anchors. The candidates are side 1 of all rows, and any further
# sides: **rung 4** adds a near miss.

# %% answer="softmax"
def softmax_loss(targets, embeddings, *, temperature=0.1):
    """The mean over the batch of -log softmax at the positive.

    targets: unused, but Keras passes them.
    embeddings: (batch, sides, dim) unit vectors: anchor, positive, and maybe near misses.
    Returns one number. Anchor i must pick row i of side 1 out of all rows of sides 1, 2 and so on.
    """
    ### BEGIN SOLUTION
    others = [embeddings[:, side] for side in range(1, embeddings.shape[1])]
    logits = ops.matmul(embeddings[:, 0], ops.transpose(ops.concatenate(others))) / temperature
    return ops.mean(ops.logsumexp(logits, axis=1) - ops.diagonal(logits))
    ### END SOLUTION

# %% check="softmax" tags=["nbval-check-output"]
exercises.softmax.check(softmax_loss)

# %%
# exercises.softmax.hint()

# %%
softmax_loss = exercises.softmax.use(softmax_loss)

# %%
keras.utils.set_random_seed(0)
encoder = build_encoder()
seconds = fit(encoder, word_table, softmax_loss, group_epochs(np.random.default_rng(0)))
measure("3 softmax", embedder(encoder), to_ids, seconds)

# %% [markdown]
# ### The same rung in Trax
# `tl.Branch` passes a copy of its input to each of its layers; `None` passes it on unchanged, so that the mean gets the
# states and the ids. Differences from the Keras rung: the learning rate is
# constant, Trax's Adam adds a little weight decay, and the weights start differently (Trax adds 1 to the biases of all
# LSTM gates, Keras only to the forget gate's).

# %%
def trax_masked_mean(states, words):
    real = (words != 1)[..., None]
    return jnp.sum(states * real, axis=1) / jnp.sum(real, axis=1)


def trax_softmax(left, right):
    logits = similarity_matrix(left, right) / 0.1
    return jnp.mean(trax.fastmath.logsumexp(logits, axis=1) - jnp.diagonal(logits))


states = tl.Serial(tl.Embedding(len(vocabulary) + 1, 128), tl.LSTM(128))
masked = tl.Serial(
    tl.Branch(states, None),
    tl.Fn("MaskedMean", trax_masked_mean),
    tl.Fn("Normalize", normalize),
)

# %%
two_sides = (tuple(np.moveaxis(word_table[rows], 1, 0)) for rows in group_epochs(np.random.default_rng(0)))
task = training.TrainTask(
    two_sides, tl.Fn("Softmax", trax_softmax), trax.optimizers.Adam(0.003, eps=1e-9)
)
trax_loop = training.Loop(tl.Parallel(masked, masked), task, random_seed=34)
started = time.perf_counter()
run_loop(trax_loop, sizes.rung_steps)
trax_embed = quora_trax.forward_function(masked, trax_loop.model.weights[0])
measure("3 softmax (Trax)", trax_embed, to_ids, time.perf_counter() - started)

# %% [markdown]
# ## Near misses as hard negatives
# All rungs so far are far below chance on near misses: these share more words than duplicates do, and an anchor seldom
# meets its own near misses in a batch. But the training data has near misses, labeled *different*. So each anchor gets a
# *rival*: one of its near misses; if it has none, a question from a group that has near misses with its own group;
# failing that, any question from another group.

# %%
def among(pairs, questions):
    """Those pairs of which both questions are given."""
    known = {*questions}
    return pairs.take(np.array([a in known and b in known for a, b in zip(pairs.question1, pairs.question2)], bool))

# %%
def find_rivals(questions, duplicates, groups, hard):
    """For each question the rows of its near misses; or else of rival groups; or else a hundred of other groups."""
    row_of = {question: row for row, question in enumerate(questions)}
    group_of = dict(zip(duplicates.question1 + duplicates.question2, [*groups, *groups]))
    row_groups = np.array([group_of[question] for question in questions])
    near_rows, rival_groups = defaultdict(list), defaultdict(set)
    for pair in zip(hard.question1, hard.question2):
        for one, other in permutations(row_of[question] for question in pair):
            if row_groups[one] != row_groups[other]:
                near_rows[one].append(other)
                rival_groups[row_groups[one]].add(row_groups[other])

    def rivals_of(row):
        group = row_groups[row]
        if row in near_rows:
            return near_rows[row]
        if group in rival_groups:
            return np.flatnonzero(np.isin(row_groups, list(rival_groups[group])))
        # A copy, because a slice would keep the whole array in memory
        return np.flatnonzero(row_groups != group)[:: 1 + len(questions) // 100].copy()

    return [rivals_of(row) for row in range(len(questions))]

# %%
hard = among(data.train, questions)
hard = hard.take(near_misses(hard))
rivals = find_rivals(questions, duplicates, groups, hard)
print("near misses:", len(hard), " questions with a near miss of their own:", len({*hard.question1, *hard.question2}))

# %% [markdown]
# Each row's third side is a random rival, another candidate for your softmax. (It's a candidate for the other anchors, too,
# so some false negatives return.) `labeled_pairs_loss` adds a *logistic loss*, as for a yes-or-no classifier: the cosine should be
# above 0.5 for duplicates, and below it for an anchor paired with its rival. Its weight, 5, is a compromise: a larger one helps
# against near misses, but lowers the AUC on new questions.

# %%
def rival_epochs(rng, pairs=pairs, groups=groups, rivals=rivals):
    """Row indices of anchor, positive and rival, endlessly."""
    for sides in group_epochs(rng, pairs, groups):
        third = [rng.choice(rivals[anchor]) for anchor in sides[:, 0]]
        yield np.column_stack([sides, third])


def near_miss_loss(weight):
    """Your softmax with rivals among the candidates, plus `weight` times a logistic loss on labeled pairs."""

    def loss(targets, embeddings):
        duplicates, different = embeddings[:, :2], ops.take(embeddings, [0, 2], axis=1)
        ones = ops.ones_like(embeddings[:, 0, 0])
        same = ops.concatenate([ones, ops.zeros_like(ones)])
        both = ops.concatenate([duplicates, different])
        labeled = losses.labeled_pairs_loss(same, both, scale=10.0, threshold=0.5)
        return softmax_loss(targets, embeddings) + weight * labeled

    return loss

# %%
keras.utils.set_random_seed(0)
encoder = build_encoder()
seconds = fit(encoder, word_table, near_miss_loss(5.0), rival_epochs(np.random.default_rng(0)), sides=3)
measure("4 near misses", embedder(encoder), to_ids, seconds)

# %% [markdown]
# That helps against near misses, but hardly changes the AUC on all new questions. A data set this small can't teach what words
# *mean*.
#
# ## Unseen words
# [**RoBERTa**](#Glossary) (Liu et al. 2019) is a language model, pretrained on a large corpus. The course ships a small
# one, which also learned to predict the embeddings of a good sentence encoder (notebook 03). With Quora's data, the
# scores of rungs 5b to 7 are slightly optimistic: this model has read Quora's questions, including your test questions.
#
# First we use only the first layer, the table of token vectors. Tokens are pieces of words ([**byte-level
# BPE**](#Glossary), Radford et al. 2019): an unknown word becomes a sequence of known pieces, and needs no id of
# its own.

# %%
backbone, roberta_tokenizer = load_backbone("course_roberta_en")
roberta_table = np.array(backbone.token_embedding.get_weights()[0], "float32")
print("token vectors:", roberta_table.shape)
print([roberta_tokenizer.id_to_token(int(i)) for i in roberta_tokenizer("Is quinoa gluten-free?")])


# %%
# All at once: with older versions of KerasHub, one call for each takes minutes
every = sorted({*questions, *(q for side in (data.validation, data.test) for q in side.question1 + side.question2)})
tokens_of = {question: np.asarray(row).tolist() for question, row in zip(every, roberta_tokenizer(every))}


def to_tokens(question, length=sizes.token_length):
    row = tokens_of[question] if question in tokens_of else np.asarray(roberta_tokenizer(question)).tolist()
    # RoBERTa expects its markers for start and end, 0 and 2, around every text
    return [0, *row[:length], 2]


def tokens_to_train_on(questions):
    """Ids (n, length). Few questions are longer than three quarters of what we read, so we cut those off."""
    length = 3 * sizes.token_length // 4
    return pad([to_tokens(question, length) for question in questions], length + 2)

# %% [markdown]
# ## Exercise 12 · Token vectors (6 points)
# These vectors have two flaws. All share one large component, their mean, which makes every cosine high. And *the*
# counts as much as *egg*. The fix (after Arora, Liang and Ma 2017, who remove the common component from the *sentence*
# vectors instead):
#
# * subtract the mean vector of all tokens, then divide each vector by its length;
# * weight each token by $a / (a + p)$, where $p$ is the token's fraction of all training tokens: nearly 1 for rare tokens, nearly 0
#   for frequent ones, 1 for tokens that never occur.

# %% answer="token_vectors.vectors"
def prepare_vectors(table):
    """Token vectors minus their mean, scaled to length 1.

    table: (tokens, dim), a NumPy array. Returns an array of the same shape.
    """
    ### BEGIN SOLUTION
    # from the package: exercises.quora_triplet.token_vectors.prepare_vectors
    ### END SOLUTION

# %% answer="token_vectors.importance"
def token_importance(counts, a=1e-3):
    """The importance of each token: a / (a + its fraction of all tokens).

    counts: (tokens,) how often each occurs in training. Returns an array (tokens,).
    """
    ### BEGIN SOLUTION
    # from the package: exercises.quora_triplet.token_vectors.token_importance
    ### END SOLUTION

# %% check="token_vectors" tags=["nbval-check-output"]
exercises.token_vectors.check(prepare_vectors, token_importance)

# %%
# exercises.token_vectors.hint()

# %%
prepare_vectors, token_importance = exercises.token_vectors.use(prepare_vectors, token_importance)

# %%
def log_importance(table):
    """The logarithm of your importance of every token, counted in a table of ids; (tokens, 1)."""
    counts = np.bincount(table[table != 1], minlength=len(roberta_table))
    return np.log(token_importance(counts)).astype("float32")[:, None]


token_table = tokens_to_train_on(questions)
importance = log_importance(token_table)

# %% [markdown]
# The next encoder has no LSTM, because an LSTM easily overfits so few questions. Word order matters only within three
# tokens. The encoder learns two small corrections: a shift, and a weight that depends on neighboring words (a convolution
# over three tokens). Both are computed from the vectors, so they work for *every* token.

# %%
def frozen(rows, dtype="float32"):
    """A layer that looks up rows of a table, and doesn't train them."""
    return keras.layers.Embedding(*rows.shape, lambda shape, dtype: rows, trainable=False, dtype=dtype)


def build_head(dim, importance):
    """Ids and their vectors -> a unit vector: the masked mean of the shifted and weighted vectors.

    Both corrections start at zero. The vectors are frozen, so seen and unseen words stay comparable.
    """
    dense = keras.layers.Dense
    words, vectors = keras.Input((None,), dtype="int32"), keras.Input((None, dim))
    fixed = keras.layers.Dropout(0.2, noise_shape=(None, None, 1))(vectors)
    shift = dense(dim, kernel_initializer="zeros")(dense(128, "relu")(fixed))
    context = keras.layers.Conv1D(32, 3, padding="same", activation="relu")(fixed)
    weight = ops.exp(frozen(importance)(words) + dense(1, kernel_initializer="zeros")(context))
    return keras.Model([words, vectors], losses.unit_length(masked_mean(words, (fixed + shift) * weight)))


def build_token_encoder(vectors):
    words = keras.Input((None,), dtype="int32")
    return keras.Model(words, build_head(vectors.shape[1], importance)([words, frozen(vectors)(words)]))

# %% [markdown]
# Which one helps, the vectors or the new encoder? We try random vectors first, then RoBERTa's:

# %%
def token_rung(name, vectors):
    keras.utils.set_random_seed(0)
    encoder, epochs = build_token_encoder(vectors), rival_epochs(np.random.default_rng(0))
    options = {"sides": 3, "steps": sizes.last_steps, "learning_rate": 0.001}
    seconds = fit(encoder, token_table, near_miss_loss(5.0), epochs, **options)
    measure(name, embedder(encoder), to_tokens, seconds)


random_vectors = np.random.default_rng(0).normal(size=roberta_table.shape).astype("float32")
token_rung("5a random token vectors", prepare_vectors(random_vectors))
token_rung("5b RoBERTa's token vectors", prepare_vectors(roberta_table))

# %% [markdown]
# ## Words in context
# A token's vector is the same in every question, so *Is the cat older than the dog?* and *Is the dog older than the
# cat?* look the same to rung 5, except for the weights that depend on neighbors. RoBERTa's [**states**](#Glossary), the
# vectors that its last layer computes, depend on the whole question. We compute those of the training questions once,
# standardize every dimension (notebook 03 explains why), and train the same corrections on them.

# %%
words = keras.Input((None,), dtype="int32")
mask = ops.cast(ops.not_equal(words, 1), "int32")
states = token_states(backbone, {"token_ids": words, "padding_mask": mask})
reader = keras.Model(words, ops.cast(states, "float16"))  # half the memory

# %%
def state_rung(name, table, epochs, steps, learning_rate, weight):
    """Train the corrections on RoBERTa's states, and measure; returns a function from ids to unit vectors."""
    started = time.perf_counter()
    keras.utils.set_random_seed(0)
    states = reader.predict(table, batch_size=256, verbose=0)
    real = states[table != 1].astype("float32")
    standardize = keras.layers.Normalization(mean=real.mean(axis=0), variance=real.var(axis=0))
    head = build_head(states.shape[-1], log_importance(table))

    # For training, look up a question's stored states by its number, instead of running RoBERTa at every step
    numbers = keras.Input((1,), dtype="int32")
    rows = frozen(states.reshape(len(states), -1), "float16")(numbers)
    looked_up = ops.reshape(rows, (-1, *states.shape[1:]))
    ids = ops.cast(ops.reshape(frozen(table.astype("float32"))(numbers), (-1, states.shape[1])), "int32")
    by_number = keras.Model(numbers, head([ids, standardize(looked_up)]))
    row_indices = np.arange(len(table))[:, None]
    fit(by_number, row_indices, near_miss_loss(weight), epochs, sides=3, steps=steps, learning_rate=learning_rate)

    embed = embedder(keras.Model(words, head([words, standardize(reader(words))])))
    measure(name, embed, to_tokens, time.perf_counter() - started)
    return embed

# %%
epochs = rival_epochs(np.random.default_rng(0))
embed = state_rung("6 RoBERTa's states", token_table, epochs, sizes.last_steps, learning_rate=0.001, weight=5.0)

# %% [markdown]
# ## More questions
# Near misses are still the weak point. Do more of them help? The course ships 10,000 additional training questions, written by
# a language model in American English, with 4,300 near misses. The last rung adds the duplicates in which both questions
# have a near miss, and trains the same encoder for about as many passes over the data. The settings change, too: larger
# steps, and a larger weight on the labeled pairs.

# %%
more = more_pairs()
extra_hard = more.take(more.same == 0)
extra = among(more.duplicates(), extra_hard.question1 + extra_hard.question2)
extra = extra.take(np.random.default_rng(0).permutation(len(extra))[: sizes.classic_rows])
extra_questions, extra_pairs = number_rows(extra)
extra_groups = components(extra, duplicates_only=True)
extra_rivals = find_rivals(extra_questions, extra, extra_groups, among(extra_hard, extra_questions))

# The extra rows are numbered after yours
all_pairs = np.concatenate([pairs, len(questions) + extra_pairs])
all_groups = np.concatenate([groups, groups.max() + 1 + extra_groups])
all_rivals = rivals + [len(questions) + np.array(rows) for rows in extra_rivals]
tokens_of |= {q: np.asarray(row).tolist() for q, row in zip(extra_questions, roberta_tokenizer(extra_questions))}
all_tokens = tokens_to_train_on(questions + extra_questions)
print("questions:", all_tokens.shape, " pairs:", all_pairs.shape)

# %%
epochs = rival_epochs(np.random.default_rng(0), all_pairs, all_groups, all_rivals)
embed = state_rung("7 more questions", all_tokens, epochs, 5 * sizes.last_steps // 2, learning_rate=0.004, weight=12.0)

# %% [markdown]
# ## The ladder

# %%
table = pd.DataFrame(rungs).set_index("model")
table.style.format({"AUC, new questions": "{:.3f}", "AUC, near misses": "{:.3f}", "seconds": "{:.0f}"})

# %% tags=["nbval-check-output"]
auc, near_auc, _ = table.columns
enough = {"smoke": 0.5, "course": 0.8, "full": 0.8}[settings.budget()]
last, softmax_rung = table.iloc[-1], table.loc["3 softmax"]
print(f"AUC on new questions is at least {enough}:", last[auc] >= enough)
print("near misses are told apart better than by rung 3:", last[near_auc] > softmax_rung[near_auc])

# %% [markdown]
# Rungs 1 and 2 account for most of the LSTM's gain on new questions. (Rung 1 also has different initial weights, smaller batches and
# another learning rate schedule, so the mask may explain only part of it. The two versions of rung 3 have the same
# batches, but different initial weights, schedules and weight decay; on new questions, the one in Trax scores lower.) In-batch softmax
# does about as well as the triplet loss, so cause 3 hardly matters here. Rungs 5a to 6 are large steps: an encoder that reads pieces of
# words, overfits less and trains longer; vectors that know what words mean; states that know what they mean in a sentence.

# %% [markdown]
# **Near misses** get worse first, probably because the better LSTMs rely more on shared words. The labeled ones
# win back a little (rung 4), the better encoders more. Rung 7 goes further, but pays for it with other questions: it's a
# trade-off. The pairs, the learning rate and their weight changed together, so this doesn't show what more near misses
# alone would do. The better rung depends on what people will ask. Even then, near misses have about the same cosines as
# duplicates, which share few words.

# %% [markdown]
# With two other seeds, no AUC changed by more than 0.03. Other test questions would change them, too: the shipped test
# has few meanings. So trust the large steps, not the order of 2, 3 and 4. (All this is
# about the shipped questions. The seconds of rungs 6 and 7 include computing RoBERTa's states.)
#
# For comparison, `siamese-course train quora --recipe course --out DIR` trains the package's encoder.

# %% [markdown]
# ## Choose a threshold
# Apply your `evaluate` to the last model, which handles near misses best. (With the shipped questions, rung 6 has the
# higher AUC on all pairs. For your own use, compare the two on validation pairs like the ones you expect.)

# %%
validation = similarities_of(data.validation, embed, to_tokens), data.validation.same
test = cosines_of["7 more questions"], data.test.same
threshold, accuracy = evaluate(validation, test)
print(f"threshold {threshold:.2f}, accuracy {accuracy:.1%}, always different {1 - test[1].mean():.1%}")

# %% tags=["figure-accuracy"] alt="Accuracy on the validation pairs against the threshold: it rises to a peak, where the threshold is chosen, and falls again."
thresholds, accuracies = evaluation.accuracy_curve(*validation)
plotting.accuracy_chart(thresholds, accuracies, threshold, 1 - validation[1].mean())
plt.show()

# %% [markdown]
# Near the peak, the curve is flat: a slightly different threshold costs little, a much lower one costs a lot. For all
# thresholds from 1 to −1, the [**ROC curve**](#Glossary) plots the fraction of duplicates found (true positive rate)
# against the fraction of other pairs taken for duplicates (false positive rate).

# %% tags=["figure-roc"] alt="ROC curves of the last model and of the classic Trax model on the test pairs; the classic one is near the diagonal of guessing."
classic = cosines_of["0 classic (Trax)"], data.test.same
plotting.roc_chart({"rung 7": test, "classic (Trax)": classic})
plt.show()

# %% tags=["nbval-check-output"]
above = evaluation.roc_auc(*test) > evaluation.roc_auc(*classic)
print(f"pairs: {len(test[1]):,}  rung 7 is above the classic model:", above)

# %% [markdown]
# ### Confident mistakes
# The errors farthest from the threshold:

# %%
similarities, same = test
wrong = (similarities > threshold) != (same == 1)
surest = np.argsort(-np.abs(similarities - threshold) * wrong)[:8]
show(data.test, surest, cosine=similarities[surest])

# %% [markdown]
# Most are near misses with a high cosine: a few words decide, or only their order. This encoder's mean mostly measures what two
# questions are *about*, although its states depend on context. (The shipped questions contain many such pairs on purpose.)

# %% [markdown]
# ## Exercise 13 · Predict (3 points)
# Return True if the cosine of two questions is above the threshold, otherwise False. Use all ids of both questions, pad with
# 1 (`pad_pair` does), and embed the questions one at a time or both together. With `verbose=True`, also print the similarity.

# %% answer="prediction"
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    """Are two questions duplicates?

    to_ids: function from a question to its list of ids.
    embed: function from ids (rows, length) to unit vectors (rows, dim).
    verbose: also print the similarity. Returns True or False.
    """
    ### BEGIN SOLUTION
    a, b = pad_pair([to_ids(question1)], [to_ids(question2)])
    similarity = float(np.sum(embed(a) * embed(b)))
    if verbose:
        print(f"similarity {similarity:.3f}, threshold {threshold:.3f}")
    return similarity > threshold
    ### END SOLUTION

# %% check="prediction" tags=["nbval-check-output"]
exercises.prediction.check(predict)

# %%
# exercises.prediction.hint()

# %%
predict = exercises.prediction.use(predict)

# %%
def ask(question1, question2):
    return predict(question1, question2, to_tokens, embed, threshold, verbose=True)


print(ask("How do I boil an egg?", "What is the right way to boil an egg?"))
print(ask("How do I boil an egg?", "Where do birds go in winter?"))

# %% tags=["nbval-check-output"]
# An empty question is two markers; the longest one is cut off
odd = ["", "🙂🙂", "?!", "qwrtz", "من أين أنت؟", "why " * 10_000]
found = [predict(question, question, to_tokens, embed, 0.99) for question in odd]
print("odd questions are duplicates of themselves:", found)

# %%
import ipywidgets as widgets

boxes = [widgets.Text(q, description=f"question {n}", layout={"width": "90%"}) for n, q in
         enumerate(["How old are you?", "What is your age?"], 1)]
verdict = widgets.Label()


def compare(_=None):
    cosine = float(np.sum(np.prod([embed(pad([to_tokens(box.value)])) for box in boxes], axis=0)))
    verdict.value = f"cosine {cosine:.2f}: {'duplicates' if cosine > threshold else 'different'}"


for box in boxes:
    box.observe(compare, "value")
compare()
widgets.VBox([*boxes, verdict])

# %% [markdown]
# Type your own questions (in JupyterLab or Colab; elsewhere, edit the cell).

# %% [markdown]
# ## Your questions: a small project
# Find duplicates in a list of your own, from a forum, a FAQ or your inbox. Put the questions into a text file, one per
# line, and set `my_file`. Each question is embedded **once**; then one matrix product gives all cosines.
#
# 1. Which threshold suits your list? Read the pairs around it. Duplicates are rare among *all* pairs, so you'll need a
#    higher threshold.
# 2. Which mistakes come from the words, and which from their order?
# 3. Label a hundred pairs for `siamese-course score --pairs` (columns question1, question2, is_duplicate).

# %%
my_file = None
mine = sorted({*data.test.question1, *data.test.question2})[:100]
if my_file:
    with open(my_file, encoding="utf-8") as lines:
        mine = [line.strip() for line in lines if line.strip()]

# %%
embeddings = embed(pad([to_tokens(question) for question in mine]))
cosines = np.triu(embeddings @ embeddings.T, 1)
highest = np.argsort(-cosines, axis=None)[:5]
for row, column in zip(*np.unravel_index(highest, cosines.shape)):
    print(f"{cosines[row, column]:.2f}  {mine[row]}\n      {mine[column]}")

# %% [markdown]
# ## Coming from an old Trax example?
# Trax's last release: 2021. What breaks today:
#
# | there | here | why |
# |---|---|---|
# | `import trax` | `from siamese_course.runtime.trax_patch import trax` | faster, quiet, resumes checkpoints |
# | `trax==1.3.1` | `trax==1.4.1` | its NumPy and JAX no longer install |
# | `TypeError` for a Loop on an old folder | the same import | JAX doesn't compare arrays with `()` |
# | `Loop(..., eval_task=...)` | `eval_tasks=[...]` | now a list |
# | `trax.supervised.lr_schedules` | `trax.lr` | |
# | `Adam(0.01)` | `Adam(0.01, eps=1e-9)` | else a collapsed network hardly moves |
# | `len(scores)` in a loss | `scores.shape[0]` | works on both backends |
# | `nltk.download("punkt")` | `punkt_tab` | nltk 3.9 rejects the pickle |
# | `idx = len(Q1)` in the generator | `idx = 0` | fails after an epoch |
#
# For new projects, use Keras, or JAX with Flax.

# %% [markdown]
# ### Your points
# The points of each notebook on this machine, from your best score in every exercise. `exercises.NAME.reset()` clears one
# exercise. (The solved notebooks were run without keeping points.)

# %%
from siamese_course import exercises as checks

checks.progress()

# %% [markdown]
# ## To think about
# <details><summary>1. Can training get stuck at 2α, the loss of a collapsed network? Why is that more likely with a large learning rate?</summary>
#
# Yes: if all embeddings are equal, every cosine is 1, its maximum, where its gradient is 0. A large first step can push all
# questions into the saturated part of the LSTM, where gradients are tiny.
#
# </details>
#
# <details><summary>2. Twice the batch size: twice the negatives per anchor. And false negatives?</summary>
#
# About twice as many in random batches, so the hardest negative is a false one more often. Without rivals, batches
# by group have none, but can't be larger than the number of groups.
#
# </details>
#
# <details><summary>3. When do two different questions have cosine 1 in rung 5?</summary>
#
# When the weighted means of their token vectors point in the same direction: for example, the same words in a different
# order, with the same weights.
#
# </details>

# %% [markdown]
# ## Sources
# * Younes Bensouda Mourri, Łukasz Kaiser, Eddy Shyu (2020). *Natural Language Processing with Sequence Models*, week 4,
#   Siamese Networks. DeepLearning.AI.
# * F. Schroff, D. Kalenichenko, J. Philbin (2015). *FaceNet.* CVPR, 815–823. The triplet loss, and which negatives to take.
# * J. Mueller, A. Thyagarajan (2016). *Siamese Recurrent Architectures for Learning Sentence Similarity.* AAAI, 2786–2792.
# * S. Hochreiter, J. Schmidhuber (1997). *Long Short-Term Memory.* Neural Computation 9(8), 1735–1780.
# * Matthew Henderson et al. (2017). *Efficient Natural Language Response Suggestion for Smart Reply.* arXiv:1705.00652.
# * Sanjeev Arora, Yingyu Liang, Tengyu Ma (2017). *A Simple but Tough-to-Beat Baseline for Sentence Embeddings.* ICLR.
# * Yinhan Liu et al. (2019). *RoBERTa.* arXiv:1907.11692. Alec Radford et al. (2019). *Language Models are Unsupervised
#   Multitask Learners.*
# * Shankar Iyer, Nikhil Dandekar, Kornél Csernai (2017). *First Quora Dataset Release: Question Pairs.*

# %% [markdown]
# ## Glossary
# * **anchor**: the item that a triplet's other two items are compared with.
# * **AUC**: area under the ROC curve.
# * **byte-level BPE**: tokens are frequent pieces of words, down to single bytes.
# * **checkpoints**: files with weights, optimizer and step counter.
# * **hardest negative**: the negative in a batch that's most similar to the anchor.
# * **id**: the number of a word.

# %% [markdown]
# * **LSTM**: long short-term memory: a recurrent network that reads word by word and keeps a memory.
# * **near misses**: pairs that look alike but differ in meaning.
# * **negative**: an item that doesn't belong with the anchor.
# * **positive**: an item that belongs with the anchor.
# * **RoBERTa**: a transformer, pretrained to guess masked words; the course's small one also learned from a
#   sentence encoder.
# * **ROC curve**: the fraction of duplicates found against the fraction of other pairs taken for duplicates.
# * **states**: the vectors that a network computes for the tokens of a text, here those of its last layer.
# * **Trax**: a neural network library on JAX.
# * **triplet loss**: the positive should be more similar to the anchor than the negative, by a margin.
