# %% [markdown]
# # 02 · Siamese networks: the same question in other words
#
# {{badge}}
#
# *How old are you?* and *What is your age?* share no content word and ask the same. *Where are you from?* and *Where are
# you going?* share three words of four and don't. Which questions are duplicates?
#
# First you build the classic answer in [**Trax**](#Glossary): an [**LSTM**](#Glossary) with a [**triplet loss**](#Glossary).
# On small data it ends near chance. Then you find out why, and repair it step by step, in Keras, until it works.
#
# **You need:** notebook 01, or an idea of what an embedding is. No knowledge of Trax, no GPU.
#
# **Time:** about three hours with the exercises; the computer itself needs less than three minutes.

# %% [markdown]
# **After this notebook you can** build batches in which one matrix product finds all negatives; write the triplet loss with
# hard negatives; share weights in Trax and resume a training from its checkpoint; say why a model does not work on new data,
# and test each repair; use the token vectors of a pretrained model; choose a threshold honestly.
#
# **The exercises.** There are thirteen short ones, worth 100 points. Write your answer where it says `YOUR CODE HERE`, run
# the cell, and run the check below it. Each exercise has three hints. You can also skip one: the notebook then uses the
# course's own answer, and tells you so.

# %% [markdown]
# ## Setup
# The first cell installs the course where it is missing, as on Colab: from its wheel, if you put `siamese_course-*.whl` beside
# this notebook (on Colab: *Files*, *Upload*). Elsewhere it does nothing.

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
from functools import cache

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
from siamese_course.datasets.own_questions import read_near_misses
from siamese_course.datasets.question_splits import components
from siamese_course.datasets.quora import load_questions
from siamese_course.exercises import quora_triplet as exercises
from siamese_course.models import questions as quora_keras
from siamese_course.models import questions_trax as quora_trax
from siamese_course.models.sentences import load_backbone
from siamese_course.models.trax_patch import training, trax

# %%
from siamese_course.runtime import settings
from siamese_course.training.loop import History, train
from siamese_course.training.schedules import OneCycle
from siamese_course.training.trax_loop import run_loop

sizes = settings.quora_sizes()
tl, jnp = trax.layers, trax.fastmath.numpy

# %% [markdown]
# **Trax** is a library for neural networks from 2019 to 2021, built on JAX. It is no longer developed; `trax_patch` fixes the
# few places where it fails on today's JAX. `tl` holds its layers. `jnp` is NumPy in JAX: the same functions, and JAX can
# differentiate what you write with them.
#
# The classic part follows an assignment of DeepLearning.AI's *Natural Language Processing with Sequence Models* (Younes
# Bensouda Mourri, Łukasz Kaiser, Eddy Shyu). `sizes` says how much to train; the environment variable
# `SIAMESE_COURSE_BUDGET` sets it to `smoke`, `course` or `full`.

# %% [markdown]
# ## The data
# Pairs of questions, each with a label `same`: 1 for duplicates, 0 for others. The original is the set that Quora published
# in 2017, 404,290 pairs (Shankar Iyer, Nikhil Dandekar, Kornél Csernai). If it isn't available, you work with the questions
# that ship with the course: 328 meanings, each worded in seven to nine ways by a language model.

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
# A classifier learns **what something is**: one output per class. Here every *meaning* would be a class, thousands of them with
# a few questions each, and tomorrow somebody asks what nobody has asked before. A siamese network learns **whether two things
# are the same**. That works for questions it never saw.
#
# ### Three splits, and no leak
# One split to train, one to choose a threshold (validation), one to test. Splitting the *pairs* at random would leak, since one
# question occurs in many pairs. Here no test question is in the training split.

# %% tags=["nbval-check-output"]
trained_on = {*data.train.question1, *data.train.question2}
tested = {*data.test.question1, *data.test.question2}
print("test questions:", len(tested), " of these in training:", len(tested & trained_on))

# %% [markdown]
# The triplet loss needs only the duplicates. Why, you will see when we come to the batches.

# %% tags=["nbval-check-output"]
duplicates = data.train.duplicates()
chosen = np.random.default_rng(0).permutation(len(duplicates))[: sizes.classic_rows]
duplicates = duplicates.take(chosen)
print("duplicate pairs to train on:", len(duplicates))

# %% [markdown]
# # First act: the classic
#
# ## Exercise 1 · Vocabulary (8 points)
# A network reads numbers, so every word gets one, its [**id**](#Glossary). `tokenize` is nltk's `word_tokenize`: it splits a
# question into words and punctuation, and knows that *don't* is *do* and *n't*.
#
# Two ids are special. **1 is `<PAD>`**: it fills up short questions, so that a batch is a rectangle. **0 is for every word that
# is not in the vocabulary.** Words count from 2 on, in any order.
#
# The vocabulary comes from the training questions *only*. A word that first appears in the test has no trained vector. Giving it
# an id of its own would pretend that the model knew it.

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
# Stuck? Remove the `#` and run the cell; run it again for the next hint. After the third one there is
# `exercises.vocabulary.solution()`. It is the same with every exercise.

# %%
# exercises.vocabulary.hint()

# %%
build_vocabulary, encode = exercises.vocabulary.use(build_vocabulary, encode)

# %% [markdown]
# `to_ids` reads the first 24 words: one question with 200 words would make its whole batch 256 long. A question without any
# word becomes one unknown word, because an LSTM can't read nothing.

# %%
vocabulary = build_vocabulary(duplicates.question1 + duplicates.question2, tokenize)


def to_ids(question):
    return list(encode(question, vocabulary, tokenize))[: sizes.max_length] or [tokens.UNKNOWN]


left, right = ([to_ids(q) for q in side] for side in (duplicates.question1, duplicates.question2))

# %% tags=["nbval-check-output"]
unknown = np.mean([i == 0 for q in data.test.question1 for i in to_ids(q)])
print("words in the vocabulary:", len(vocabulary) - 1)
print(f"unknown words in the test questions: {unknown:.0%}")
print("ids of a question:", to_ids("How do I boil an egg ?"))

# %% [markdown]
# Remember the unknown words: for the network they are all the same word. We come back to them.
#
# ## Batches that contain their own negatives
# A triplet is an [**anchor**](#Glossary), a [**positive**](#Glossary) that means the same, and a [**negative**](#Glossary) that
# does not. Where do the negatives come from? Take a batch of duplicate pairs, one pair a row:
#
# | row | left | right |
# |---|---|---|
# | 1 | How old are you? | What is your age? |
# | 2 | Where are you from? | What is your home town? |
# | 3 | Where are you going? | What is your destination? |
#
# Row 1 left and row 1 right are duplicates. Row 1 left with *any other* right question is not. So a batch of 256 pairs contains
# 256 positives and 256 × 255 negatives, without a label for any. That is why we train on duplicates only.

# %% [markdown]
# ## Exercise 2 · Data generator (9 points)
# Write the generator of such batches. It never ends: when it has used all rows it begins again, in a new order if it shuffles. A
# batch that is half full at the end of an epoch is filled from the next. Both sides are padded at the end with the id `pad`, to
# *one* length: **the power of two at or above the longest question of either side**. Few different lengths, because JAX compiles
# the model again for each.
#
# The published version has a bug: at the end of an epoch it sets its index to the length of the data instead of 0, and fails
# with an `IndexError`, after hours of training.

# %% answer="generator"
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    """Batches of duplicates, without end.

    left, right: lists of ids, one list a question; row i of both is a duplicate pair.
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
# * **Embedding**: every word has a vector of 128 numbers, learned with the rest.
# * **LSTM**: reads the words one after another and keeps a state, so that "from Paris to Rome" and "from Rome to Paris" differ.
# * **Mean over time**: one vector for the whole question, the mean of all states.
# * **Unit length**: divide by the length.
#
# Two embeddings are compared by their cosine. For vectors of any length it is
#
# $$\cos(v_1, v_2) = \frac{v_1 \cdot v_2}{\lVert v_1 \rVert\, \lVert v_2 \rVert}$$
#
# 1 if they point the same way, 0 if they have nothing in common, −1 if they are opposite. Both lengths are 1 here, so the dot
# product alone is the cosine.

# %% [markdown]
# ## Exercise 3 · Similarity matrix (6 points)
# For a batch we want *all* cosines, every left question with every right one. For unit vectors that is one matrix product:
#
# $$S = V_1 V_2^T, \qquad s_{ij} = \cos(v_{1,i},\, v_{2,j})$$
#
# The positives are on the diagonal and negatives everywhere else. Write it with `jnp`, as everything from here to the loss, so
# that Trax can train with it.

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
# **The goal.** The similarity of anchor and positive, $s(A, P)$, should be near 1; that of anchor and negative, $s(A, N)$, near −1.
#
# **Step 1.** At least the positive should be more similar than the negative. So look at the difference
#
# $$\mathrm{diff} = s(A, N) - s(A, P)$$
#
# Negative is good. If we minimized it as it is, easy triplets would hide the wrong ones.
#
# **Step 2.** $\max(\mathrm{diff}, 0)$ is 0 for a triplet that is right. But a network that gives every question the same embedding
# has diff = 0 everywhere, and no loss either.
#
# **Step 3, a margin.** $\max(\mathrm{diff} + \alpha, 0)$: the positive must be ahead by $\alpha$. We take $\alpha = 0.25$.

# %% alt="An anchor, a positive and a negative before and after a training step: the positive comes closer, the negative moves away."
diagrams.triplet_step()
plt.show()

# %% tags=["nbval-check-output"]
for negative in (0.2, 0.6, 0.9):
    print(f"positive 0.80, negative {negative:.2f}: loss {max(negative - 0.8 + 0.25, 0):.2f}")

# %% [markdown]
# ### Which negative?
# **A random one** is soon easy. After a few steps *How old are you?* is far from *How do I boil an egg?*, the loss is 0, and
# nothing is learned. **A hard one**, with $s(A, N)$ near $s(A, P)$ or above it, has something to teach. In the matrix it is easy
# to find: the largest value of the row off the diagonal, the [**hardest negative**](#Glossary).
#
# Alone it is unstable: it may be a labeling error. So the loss uses a second one, the **mean negative**, the mean of all values
# of the row off the diagonal.

# %% alt="Easy negatives lie far from the anchor, beyond the margin; hard negatives lie about as near as the positive, or nearer."
diagrams.easy_and_hard_negatives()
plt.show()

# %% [markdown]
# Four pairs of questions, and a similarity matrix that a trained model might give them:

# %% tags=["figure-worked-example"] alt="Heat map of a four by four similarity matrix of questions; the diagonal, the hardest negative of each row and the mean negatives are marked."
worked = np.array(
    [[0.9, -0.8, 0.3, -0.5], [-0.8, 0.5, 0.1, -0.2], [0.3, 0.1, 0.7, -0.8], [-0.5, -0.2, -0.8, 1.0]]
)
names = ["How old\nare you?", "Where are\nyou from?", "What is\nyour age?", "Where are\nyou going?"]
plotting.similarity_heatmap(worked, "Left question 1 to 4, right question 1 to 4", names)
plt.show()

# %% [markdown]
# In every row the positive (green) is ahead of the hardest negative (purple) by at least 0.4, more than $\alpha$: the loss is 0.
# But look at rows 1 and 3. *How old are you?* and *What is your age?* are duplicates, and in this batch they count as negatives:
# the loss would push them apart. Keep that in mind, too.
#
# > **Two definitions.** Some lectures define the hardest negative as the largest value *below the positive*. The well-known code
# > takes the largest off-diagonal value, even above the positive. So do we: those are the cases that are wrong.

# %% [markdown]
# ## Exercise 4 · Hardest and mean negative (10 points)
# The diagonal must not take part. For the maximum, lower it by 2 (`jnp.eye(b)` has ones on the diagonal): no cosine can win
# from there. For the mean, set it to 0, and divide by the number of values that are left, $b - 1$.

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
# Put it together. With the similarity matrix $S$, for row $i$:
#
# $$L_1 = \max(0,\ \alpha - s_{ii} + \mathrm{hardest}_i) \qquad L_2 = \max(0,\ \alpha - s_{ii} + \mathrm{mean}_i)$$
#
# The loss is the **mean** of $L_1 + L_2$ over the batch. The slides of the original course write the cost as a *sum* over the
# batch; its code takes the mean, so that the learning rate does not depend on the batch size. So do we.

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
# Try it on three matrices. (With the identity as right side, the similarities are the left side itself.) In the second, one
# negative, 0.7, beats the positive, 0.6. The third is that of a network that gives all questions the same embedding. It has
# *collapsed*: its loss is $2 \alpha$.

# %% tags=["nbval-check-output"]
wrong_row = jnp.array([[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]])
examples = {"worked example": jnp.array(worked), "a wrong row": wrong_row, "collapsed": jnp.ones((3, 3))}
for name, matrix in examples.items():
    print(f"{name}: loss {float(triplet_loss(matrix, jnp.eye(len(matrix)))):.3f}")

# %% [markdown]
# ## Exercise 6 · Siamese model in Trax (8 points)
# Trax builds models from layers:
#
# * `tl.Serial(a, b, c)`: one after the other;
# * `tl.Parallel(a, b)`: side by side, the first input through `a`, the second through `b`;
# * `tl.Embedding(vocabulary_size, dim)`, `tl.LSTM(dim)`, `tl.Mean(axis=1)` (axis 1 is time);
# * `tl.Fn("Name", function)` makes a layer from any function. `normalize` is given.
#
# **Sharing weights.** Trax shares weights where it meets *the same layer object* again. Two encoders that are built alike start
# with different weights, and the cosine of a question with itself would not be 1.
#
# The original's model has one more argument, `mode="train"`, `"eval"` or `"predict"`, for layers such as dropout that behave
# differently in training. This model has none.

# %% answer="siamese"
def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    """A Trax model of two inputs (batch, length) and two outputs (batch, dim).

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
# Trax divides the work among three objects.
#
# * `training.TrainTask`: what to learn from (`labeled_data`), the `loss_layer`, the `optimizer`, the `lr_schedule`, and how often
#   to report and save (`n_steps_per_checkpoint`).
# * `training.EvalTask`: what to measure (`metrics`, a list of layers), on which data, over how many batches (`n_eval_batches`).
# * `training.Loop`: applies the tasks to a model. With an `output_dir` it saves [**checkpoints**](#Glossary) there: model,
#   optimizer and step counter. A Loop made with the same folder goes on where the last one stopped.
#
# Use `trax.optimizers.Adam(0.01, eps=1e-9)` and the schedule `trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)`: up in a straight line,
# then down with $1/\sqrt{\text{step}}$. Report every 20 steps, evaluate two batches, and set `random_seed=34`. Only make the
# Loop; the next cells run it.

# %% answer="loop"
def training_loop(
    model, loss_layer, train_batches, validation_batches, folder, warmup=400
):
    """A Loop that is ready to run.

    model: the siamese model; loss_layer: a Trax layer of its two outputs.
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
# **Why the epsilon?** Adam divides each gradient by its usual size plus $\varepsilon$. At the start all embeddings of this model are
# nearly the same, and the gradients are smaller than Trax's default $\varepsilon = 10^{-5}$. Dividing by it would make tiny steps.
#
# The loss becomes a layer with `tl.Fn`, which takes no functions with default values, hence the `lambda`. The classic 400 steps of
# warmup belong to a long training; here 20 must do. `run_loop` is `loop.run` with a stop button that ends training after a step.

# %%
valid = data.validation.duplicates()
valid_sides = ([to_ids(q) for q in side] for side in (valid.question1, valid.question2))
valid_batches = data_generator(*valid_sides, batch_size, True, np.random.default_rng(1))
loss_layer = tl.Fn("TripletLoss", lambda left, right: triplet_loss(left, right, 0.25))
folder = tempfile.mkdtemp()
loop = training_loop(siamese, loss_layer, batches, valid_batches, folder, warmup=20)

# %%
started = time.perf_counter()
run_loop(loop, sizes.classic_steps)
classic_seconds = time.perf_counter() - started
print("steps done:", loop.step)

# %% tags=["figure-loss"] alt="Training and validation loss of the Trax model: the training loss falls, the validation loss stays near 0.5 or rises."
curves = {}
for mode, name in (("train", "training"), ("eval", "validation")):
    steps, values = zip(*loop.history.get(mode, "metrics/TripletLoss"))
    curves[name] = History(list(steps), list(map(float, values)))
plotting.loss_curve(curves)
plt.show()

# %% tags=["nbval-check-output"]
losses_seen = curves["training"].losses
print("the loss began near 2 alpha = 0.5:", abs(losses_seen[0] - 0.5) < 0.1)

# %% [markdown]
# ### Killed, and not lost
# The folder holds the last checkpoint. A new Loop on the same folder, with a model that was never trained, has its weights and its
# step counter. (A checkpoint is a *pickle*: load only what your own run wrote.)

# %% tags=["nbval-check-output"]
sorted(name for name in os.listdir(folder) if name.startswith("model."))

# %%
again = training_loop(build_siamese(len(vocabulary) + 1), loss_layer, batches, valid_batches, folder)
same_weights = zip(quora_trax.leaves(again.model.weights), quora_trax.leaves(loop.model.weights))
print("the new loop goes on at step", again.step)
print("with the weights of the old one:", all(np.array_equal(x, y) for x, y in same_weights))

# %% [markdown]
# ## The same in Keras
# Layer by layer it is the same model, with the same loss (`losses.triplet_loss`, in `keras.ops`). To be sure, copy the Trax
# weights, and compare the loss of one batch.

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
# The model gives a cosine; we need a threshold $\tau$, above which we say "duplicate". **Choose it on the validation pairs, never
# on the test pairs.** Chosen on the test, it has seen the answers, and the accuracy is too optimistic.
#
# ## Exercise 8 · Classify with a threshold (6 points)
# The first function computes the cosine of every *pair* (row $i$ left with row $i$ right, so no matrix), one batch at a time. The
# last batch is shorter and counts like the others; the published version fails there. `pad_pair` pads two lists of questions to one
# length, as your generator does.
#
# The second chooses the threshold with the best accuracy on the validation pairs, and returns the accuracy on the test pairs.
# `similarity > threshold` means duplicate.

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
# Accuracy depends on the fraction of duplicates, 37% here: "always different" is right in 63%. The [**AUC**](#Glossary) does not:
# draw a duplicate pair and another pair at random; it is the probability that the duplicate has the higher cosine. **0.5 is
# chance, 1 is perfect.**
#
# We measure twice. Against *all* different test pairs, and against the [**near misses**](#Glossary) among them: pairs that
# share most of their words and ask different things, planted to be hard. (Quora's pairs don't mark them; there we take different
# pairs that share half of their words.)

# %%
planted = {frozenset(pair) for pair in read_near_misses()}
words_of = cache(lambda question: frozenset(tokenize(question)))


def near_misses(pairs):
    """Which pairs are labeled different and look alike."""
    both = list(zip(pairs.question1, pairs.question2))
    words = [[words_of(question) for question in pair] for pair in both]
    alike = np.array([len(x & y) >= 0.5 * len(x | y) for x, y in words])
    found = np.array([frozenset(pair) in planted for pair in both])
    return (pairs.same == 0) & (found if found.any() else alike)


near = near_misses(data.test)
show(data.test, np.flatnonzero(near)[:3])

# %%
rungs = []


def similarities_of(pairs, embed, to_ids):
    sides = ([to_ids(question) for question in side] for side in (pairs.question1, pairs.question2))
    return pair_similarities(embed, *sides, 256)


def measure(name, embed, to_ids, seconds):
    """Add a row to the table: AUC on the test pairs, and of its duplicates against near misses."""
    similarities, same = similarities_of(data.test, embed, to_ids), data.test.same
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
# That is close to guessing, although the training loss fell. Against near misses it is far *below* chance: they share more words
# than duplicates do.
#
# **Why?** Four suspects:
#
# 1. **Padding.** The mean runs over padding too, so an embedding depends on how long its *neighbors* are.
# 2. **False negatives.** In one batch there are duplicates of other rows, and the loss pushes them apart.
# 3. **One negative decides.** The loss looks at the hardest negative and the mean. If all embeddings are alike, it sits at
#    $2\alpha$, and no direction is clearly better (collapse).
# 4. **Words never seen.** Each is id 0, and 1,600 questions teach little about the others.
#
# In the second act you remove them one at a time, and measure after each.

# %% [markdown]
# # Second act: the ladder
# All rungs are in Keras. The questions are one table of ids, padded to one length, so that TensorFlow traces the model only once;
# `pairs` holds two row indices per duplicate pair.

# %%
questions = sorted({*duplicates.question1, *duplicates.question2})
row_of = {question: row for row, question in enumerate(questions)}
pairs = np.array([[row_of[q] for q in pair] for pair in zip(duplicates.question1, duplicates.question2)])
word_table = pad([to_ids(question) for question in questions], sizes.max_length)
print("questions:", word_table.shape, " pairs:", pairs.shape)


# %%
def fit(encoder, table, loss, epochs, sides=2, steps=sizes.rung_steps, rate=0.003):
    """Train an encoder on batches of `sides` questions per row; returns the seconds."""
    words = keras.Input((sides, table.shape[1]), dtype="int32")
    flat = encoder(ops.reshape(words, (-1, table.shape[1])))
    model = keras.Model(words, ops.reshape(flat, (-1, sides, flat.shape[-1])))
    model.compile(keras.optimizers.Adam(OneCycle(rate, steps), epsilon=1e-9), loss)
    batches = ((table[batch], np.zeros(len(batch))) for batch in epochs)
    return train(model, batches, steps, name="training", jit=False).seconds


def embedder(encoder):
    """The encoder as a compiled function."""
    return quora_keras.compiled_forward(encoder)

# %% [markdown]
# ## Exercise 9 · A mean without the padding (8 points)
# Multiply every state by 1 if its word is real and by 0 if it is padding, sum over time, and divide by the number of *real* words.
# From here on write with `ops` (`keras.ops`).

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
    """Row indices of random batches, without end."""
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
# "Row 1 left with any other right question is not a duplicate." Is that so? Questions that are linked by duplicate pairs form
# groups. Count the rows that meet another row of their own group in their batch.

# %% tags=["nbval-check-output"]
groups = components(duplicates, duplicates_only=True)
order = np.random.default_rng(0).permutation(len(groups))
random_batches = np.array_split(order, len(order) // batch_size)
met = batching.false_negatives(groups, random_batches)
print(f"rows with a false negative in their batch: {met:.0%}")

# %% [markdown]
# On Quora's own questions it is about one row in ten. On the set that ships, two in three, since each meaning has so many
# wordings. (The validation batches of the first act have even more: 51 meanings in a batch of 256. That is one reason why that
# loss could not fall.)
#
# ## Exercise 10 · Batches without false negatives (10 points)
# Split the rows into batches so that no batch holds two rows of one group. One way is to deal them like cards: put the rows of a
# group side by side, and give one row to each batch in turn. It needs at least as many batches as the largest group has rows.

# %% answer="false_negatives"
def group_batches(groups, batch_size, rng):
    """One epoch of batches without two rows of one group in a batch.

    groups: (n,) the group of each row, an integer. batch_size: at most so many rows in a batch.
    rng: NumPy random generator for the order.
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
def group_epochs(rng, size=128):
    """Row indices of batches without false negatives, without end."""
    while True:
        for rows in group_batches(groups, min(size, len(groups)), rng):
            yield rng.permuted(pairs[rows], axis=1)


keras.utils.set_random_seed(0)
encoder = build_encoder()
seconds = fit(encoder, word_table, losses.triplet_loss, group_epochs(np.random.default_rng(0)))
measure("2 no false negatives", embedder(encoder), to_ids, seconds)

# %% [markdown]
# ## Exercise 11 · In-batch softmax (10 points)
# Let every anchor *pick* its positive out of all candidates, as a classifier picks a class. The logits of row $i$ are its cosines
# with all candidates, divided by a temperature $t$; the right class is $i$:
#
# $$\ell_i = -\log \frac{e^{s_{ii} / t}}{\sum_j e^{s_{ij} / t}} = \log \sum_j e^{s_{ij} / t} - \frac{s_{ii}}{t}$$
#
# Every negative counts, the hard ones most, and there is no margin to choose. This is the loss of Matthew Henderson and others
# (2017, section 4).
#
# Candidates are side 1 of all rows, and if there are more sides, those too: **rung 4** puts a near miss there. An embedding tensor has
# shape (batch, sides, dim), with the anchors at side 0.

# %% answer="softmax"
def softmax_loss(targets, embeddings, *, temperature=0.1):
    """The mean over the batch of -log softmax at the positive.

    targets: not used; Keras passes some.
    embeddings: (batch, sides, dim) unit vectors: anchor, positive, and maybe near misses.
    Returns one number. Anchor i must pick candidate i out of all rows of sides 1, 2 and so on.
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
# The masked mean and the softmax are a few lines there, too. `tl.Branch` gives a copy of its input to each of its layers.

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
# Against near misses every rung so far is far below chance. No wonder: a random batch hardly ever holds two questions that look
# alike. But the training pairs have labels, and some are labeled *different*. Every anchor gets a *rival*: a question that is a near
# miss of it, or, if it has none, one from a group that has a near miss with its own group.

# %%
group_of = dict(zip(duplicates.question1 + duplicates.question2, [*groups, *groups]))
row_groups = np.array([group_of[question] for question in questions])
hard = data.train.take(near_misses(data.train))
misses = [
    [row_of[question] for question in pair]
    for pair in zip(hard.question1, hard.question2)
    if all(question in row_of for question in pair)
]
misses = np.array([*misses, *np.flip(misses, axis=1)])  # both ways
print("near misses:", len(hard), " questions with their own:", len(np.unique(misses[:, 0])))

# %%
def rivals_of(row):
    """The near misses of a question, or else the questions of rival groups."""
    own = misses[misses[:, 0] == row, 1]
    rival_groups = row_groups[misses[row_groups[misses[:, 0]] == row_groups[row], 1]]
    others = np.flatnonzero(np.isin(row_groups, rival_groups))
    return own if len(own) else others if len(others) else np.arange(len(questions))


rivals = [rivals_of(row) for row in range(len(questions))]

# %% [markdown]
# Each row gets a third side, a random rival of its anchor. It joins the candidates of your softmax. And because the label says that
# anchor and rival are *different*, we also ask for that outright: `labeled_pairs_loss` is a logistic loss on single pairs, with cosines
# above 0.5 for duplicates and below 0.5 for others.

# %%
def rival_epochs(rng, size=128):
    """Row indices of anchor, positive and rival, without end."""
    for sides in group_epochs(rng, size):
        third = [rng.choice(rivals[anchor]) for anchor in sides[:, 0]]
        yield np.column_stack([sides, third])


def near_miss_loss(targets, embeddings):
    """Your softmax with rivals among the candidates, and a logistic loss on labeled pairs."""
    different = ops.concatenate([embeddings[:, :1], embeddings[:, 2:]], axis=1)
    ones = ops.ones_like(embeddings[:, 0, 0])
    same = ops.concatenate([ones, 0.0 * ones])
    couples = ops.concatenate([embeddings[:, :2], different])
    labeled = losses.labeled_pairs_loss(same, couples, scale=10.0, threshold=0.5)
    return softmax_loss(targets, embeddings) + 2.0 * labeled

# %%
keras.utils.set_random_seed(0)
encoder = build_encoder()
seconds = fit(encoder, word_table, near_miss_loss, rival_epochs(np.random.default_rng(0)), sides=3)
measure("4 near misses", embedder(encoder), to_ids, seconds)

# %% [markdown]
# Against near misses it helps; on new questions hardly. What is still missing is knowledge: what do the words *mean*? Sixteen
# hundred questions can't teach that, and about the words that are not in them, nothing.
#
# ## Words never seen
# [**RoBERTa**](#Glossary) (Yinhan Liu and others, 2019) is a language model, pretrained on many millions of words; notebook 03 is
# about it. We take only its first layer, the table of token vectors. Its tokens are pieces of words
# ([**byte-level BPE**](#Glossary), Alec Radford and others, 2019): an unknown word is a sequence of known pieces, and id 0 is no
# longer needed. The course's own small RoBERTa ships with it.

# %%
backbone, roberta_tokenizer = load_backbone("course_roberta_en")
roberta_table = np.array(backbone.token_embedding.get_weights()[0], "float32")
print("token vectors:", roberta_table.shape)
print([roberta_tokenizer.id_to_token(int(i)) for i in roberta_tokenizer("Is quinoa gluten-free?")])


# %%
@cache
def to_tokens(question):
    return [int(i) for i in roberta_tokenizer(question)][: sizes.token_length] or [2]

# %% [markdown]
# ## Exercise 12 · Token vectors (6 points)
# Used as they are, the vectors have two faults. They all share one large component, their mean, which makes every cosine high. And
# *the* counts as much as *egg*. The repair of Sanjeev Arora, Yingyu Liang and Tengyu Ma (2017, pages 3–5):
#
# * subtract the mean vector of all tokens, then divide each vector by its length;
# * weigh every token by its importance $a / (a + p)$, where $p$ is the fraction of all training tokens that are this one. Rare tokens
#   get nearly 1, frequent ones nearly 0, and a token that never occurs gets 1.

# %% answer="token_vectors.vectors"
def prepare_vectors(table):
    """Token vectors without their mean, of length 1.

    table: (tokens, dim), a NumPy array. Returns an array of the same shape.
    """
    ### BEGIN SOLUTION
    # from the package: exercises.quora_triplet.token_vectors.prepare_vectors
    ### END SOLUTION

# %% answer="token_vectors.importance"
def token_importance(counts, a=1e-3):
    """How much each token says: a / (a + its fraction of all tokens).

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
token_table = pad([to_tokens(question) for question in questions], sizes.token_length)
counts = np.bincount(token_table[token_table != 1], minlength=len(roberta_table))
importance = np.log(token_importance(counts)).astype("float32")

# %% [markdown]
# The last encoder has no LSTM: with so few questions, word order is mostly an occasion to overfit. Instead it learns two small
# corrections that work for *every* token, because they are computed from its vector: a shift of the vector, and a weight that
# depends on the neighboring words (a convolution over three tokens). Both start at zero. The vectors themselves stay as they are:
# then words that are not in the training questions stay comparable with those that are.

# %%
def build_last_encoder(vectors):
    """Token vectors, shifted and weighted, their masked mean, unit length."""
    dense, size = keras.layers.Dense, vectors.shape
    words = keras.Input((None,), dtype="int32")
    fixed = keras.layers.Embedding(*size, weights=[vectors], trainable=False)(words)
    fixed = keras.layers.Dropout(0.2, noise_shape=(None, None, 1))(fixed)
    known = keras.layers.Embedding(size[0], 1, weights=[importance[:, None]], trainable=False)(words)
    shift = dense(size[1], kernel_initializer="zeros")(dense(256, "relu")(fixed))
    context = keras.layers.Conv1D(64, 3, padding="same", activation="relu")(fixed)
    weight = ops.exp(known + dense(1, kernel_initializer="zeros")(context))
    return keras.Model(words, losses.unit_length(masked_mean(words, (fixed + shift) * weight)))

# %% [markdown]
# Is it the vectors, or only the new encoder? First with random vectors, then with RoBERTa's.

# %%
def last_rung(name, vectors):
    keras.utils.set_random_seed(0)
    encoder, epochs = build_last_encoder(vectors), rival_epochs(np.random.default_rng(0))
    options = {"sides": 3, "steps": sizes.last_steps, "rate": 0.001}
    seconds = fit(encoder, token_table, near_miss_loss, epochs, **options)
    measure(name, embedder(encoder), to_tokens, seconds)
    return embedder(encoder)


random_vectors = np.random.default_rng(0).normal(size=roberta_table.shape).astype("float32")
last_rung("5a random token vectors", prepare_vectors(random_vectors))
embed = last_rung("5b RoBERTa's token vectors", prepare_vectors(roberta_table))

# %% [markdown]
# ## The ladder
# All rungs in one table: what each step is worth on new questions and against near misses, and what it costs.

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
# Read it from top to bottom. The mask and the clean batches bring most of what the LSTM can reach here. In-batch softmax does about as
# well as the triplet loss, without a margin to choose. Labeled near misses help against near misses. The largest steps come last: an
# encoder with fewer ways to overfit, and vectors that know what words mean.
#
# How sure is that? Repeat a rung with other random seeds, and its AUC moves by 0.01 to 0.03. So trust the large steps (0 to 2, and 4 to
# 5), not the order of 2, 3 and 4. Near misses stay below 0.5: they still look more alike than most duplicates.
#
# The command `siamese-course train quora --recipe course` trains the package's own encoder on the same pairs: a yardstick for yours.

# %% [markdown]
# ## Choose a threshold
# Now use your `evaluate` on the last model.

# %%
validation = similarities_of(data.validation, embed, to_tokens), data.validation.same
test = similarities_of(data.test, embed, to_tokens), data.test.same
threshold, accuracy = evaluate(validation, test)
print(f"threshold {threshold:.2f}, accuracy {accuracy:.1%}, always different {1 - test[1].mean():.1%}")

# %% tags=["figure-accuracy"] alt="Accuracy on the validation pairs against the threshold: it rises to a peak, where the threshold is chosen, and falls again."
thresholds, accuracies = evaluation.accuracy_curve(*validation)
plotting.accuracy_chart(thresholds, accuracies, threshold, 1 - validation[1].mean())
plt.show()

# %% [markdown]
# Near the top the curve is flat: a slightly different threshold costs little, one that is far too low costs a lot. Let the
# threshold run from 1 to −1, and note how many duplicates are found and how many others are mistaken for one: that is the
# [**ROC curve**](#Glossary). AUC is the area under it.

# %% tags=["figure-roc"] alt="ROC curves of the last model and of the classic Trax model on the test pairs; the classic one is near the diagonal of guessing."
trax_embed = quora_trax.forward_function(loop.eval_model.sublayers[0], loop.model.weights[0])
classic = similarities_of(data.test, trax_embed, to_ids), data.test.same
plotting.roc_chart({"last rung": test, "classic (Trax)": classic})
plt.show()

# %% tags=["nbval-check-output"]
above = evaluation.roc_auc(*test) > evaluation.roc_auc(*classic)
print(f"pairs: {len(test[1]):,}  the last rung is above the classic model:", above)

# %% [markdown]
# ### Where it is wrong, and sure of it
# The most instructive table of any project: the mistakes farthest from the threshold.

# %%
similarities, same = test
wrong = (similarities > threshold) != (same == 1)
surest = np.argsort(-np.abs(similarities - threshold) * wrong)[:8]
show(data.test, surest, cosine=similarities[surest])

# %% [markdown]
# Most of them are near misses: one word decides, and the rest is the same. That is honest, and it is the limit of this model: a bag of
# weighted words, even good ones, mostly measures what two questions are *about*. On real sites few pairs are planted like this. Telling
# them apart takes a network that reads words in context: notebook 03.

# %% [markdown]
# ## Exercise 13 · Predict (3 points)
# Two typed questions, and an answer. With `verbose` it also prints the similarity.

# %% answer="prediction"
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    """Are two questions duplicates?

    to_ids: function from a question to its list of ids; embed: as above.
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
odd = ["", "🙂🙂", "?!", "qwrtz", "من أين أنت؟", "why " * 10_000]
found = [predict(question, question, to_tokens, embed, 0.99) for question in odd]
print("odd questions are duplicates of themselves:", found)

# %% [markdown]
# Nothing fails: an empty question is one marker, and of the one with 10,000 words the beginning is read.

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
# Type your own. (The boxes need JupyterLab or Colab; without them change the cell above.)

# %% [markdown]
# ## Your questions: a small project
# Find duplicates in a list of your own: questions from a forum, a FAQ, your inbox. Put them into a text file, one per line, and set
# `my_file`. Embed each question **once**; then all cosines are one matrix product.
#
# 1. Which threshold suits your list? Read the pairs around it: among *all* pairs of a list, duplicates are rare, so yours is higher.
# 2. Which mistakes come from words, and which from their order?
# 3. Label a hundred pairs yourself: `siamese-course score --pairs` takes a file with the columns question1, question2, is_duplicate.

# %%
my_file = None
mine = sorted({*data.test.question1, *data.test.question2})[:100]
if my_file:
    with open(my_file, encoding="utf-8") as lines:
        mine = [line.strip() for line in lines if line.strip()]

# %%
embeddings = embed(pad([to_tokens(question) for question in mine], sizes.token_length))
cosines = np.triu(embeddings @ embeddings.T, 1)
highest = np.argsort(-cosines, axis=None)[:5]
for row, column in zip(*np.unravel_index(highest, cosines.shape)):
    print(f"{cosines[row, column]:.2f}  {mine[row]}\n      {mine[column]}")

# %% [markdown]
# ## Coming from an old Trax example?
# Trax's last release is from 2021. What stops older notebooks today:
#
# | there | here | why |
# |---|---|---|
# | `import trax` | `from siamese_course.models.trax_patch import trax` | faster, quiet, checkpoints can be resumed |
# | `trax==1.3.1` | `trax==1.4.1` | older ones need a NumPy and JAX that no longer install |
# | `TypeError` when a Loop is made on an old folder | the same import | JAX no longer compares an array with `()` |
# | `Loop(..., eval_task=...)` | `eval_tasks=[...]` | one task became a list |
# | `trax.supervised.lr_schedules` | `trax.lr` | |
# | `Adam(0.01)` | `Adam(0.01, eps=1e-9)` | the default keeps a collapsed network where it is |
# | `len(scores)` in a loss | `scores.shape[0]` | works on both backends |
# | `nltk.download("punkt")` | `punkt_tab` | nltk 3.9 no longer loads the pickled one |
# | `idx = len(Q1)` in the generator | `idx = 0` | fails at the end of an epoch |
#
# For a new project use Keras, or JAX with Flax.

# %% [markdown]
# ### Your points
# Over all notebooks, so far on this machine:

# %%
from siamese_course import exercises as checks

checks.progress()

# %% [markdown]
# ## What you can do now
# You have turned language into numbers without a leak, found 65,280 negatives in one matrix product, trained a siamese network in two
# libraries, found out why it did not work, repaired it step by step, and tested with a threshold that had not seen the answers.

# %% [markdown]
# ## To think about
# <details><summary>1. The loss of a collapsed network is 2α. Can training get stuck there? Why does a large learning rate make it more
# likely?</summary>
#
# Yes: if all embeddings are equal, the gradients of positives and negatives nearly cancel. A large first step can push all questions the
# same way, into the saturated part of the LSTM, where gradients are tiny.
#
# </details>
#
# <details><summary>2. Twice the batch size means twice the negatives. What happens to the false negatives?</summary>
#
# In random batches each row meets about twice as many of its own group, and the hardest negative is a false one more often. With
# batches by group, nothing: but they can't be larger than the number of groups.
#
# </details>
#
# <details><summary>3. When do two different questions have cosine 1 in the last model?</summary>
#
# When their token vectors have the same weighted mean: for example the same words in another order, apart from the weights that
# depend on neighbors.
#
# </details>

# %% [markdown]
# ## Sources
# * Y. Bensouda Mourri, Ł. Kaiser, E. Shyu (2020). *Natural Language Processing with Sequence Models*, week 4, Siamese Networks.
#   DeepLearning.AI. The assignment that the first act follows.
# * F. Schroff, D. Kalenichenko, J. Philbin (2015). *FaceNet.* CVPR, 815–823. The triplet loss, and which negatives to take.
# * J. Mueller, A. Thyagarajan (2016). *Siamese Recurrent Architectures for Learning Sentence Similarity.* AAAI, 2786–2792.
# * S. Hochreiter, J. Schmidhuber (1997). *Long Short-Term Memory.* Neural Computation 9(8), 1735–1780.
# * M. Henderson et al. (2017). *Efficient Natural Language Response Suggestion for Smart Reply.* arXiv:1705.00652.
# * S. Arora, Y. Liang, T. Ma (2017). *A Simple but Tough-to-Beat Baseline for Sentence Embeddings.* ICLR.
# * Y. Liu et al. (2019). *RoBERTa.* arXiv:1907.11692. A. Radford et al. (2019). *Language Models are Unsupervised Multitask Learners.*
# * S. Iyer, N. Dandekar, K. Csernai (2017). *First Quora Dataset Release: Question Pairs.*

# %% [markdown]
# ## Glossary
# * **anchor**: the item that the other two of a triplet are compared with.
# * **AUC**: area under the ROC curve: the fraction of (duplicate, other) couples in which the duplicate is more similar.
# * **byte-level BPE**: tokens that are frequent pieces of words, down to single bytes; every text can be written with them.
# * **checkpoints**: files with weights, optimizer and step counter, from which an interrupted training resumes.
# * **hardest negative**: the negative of a batch that is most similar to the anchor.
# * **id**: the number of a word in the vocabulary.

# %% [markdown]
# * **LSTM**: long short-term memory: a network that reads word by word and keeps a memory of what it has read.
# * **near misses**: pairs that look alike and are different.
# * **negative**: an item that does not belong with the anchor.
# * **positive**: an item that belongs with the anchor.
# * **RoBERTa**: a transformer, pretrained to guess masked words.
# * **ROC curve**: duplicates found against other pairs taken for duplicates, one point per threshold.
# * **Trax**: a library for neural networks on JAX, no longer developed.
# * **triplet loss**: the positive should be more similar to the anchor than the negative is, by a margin.
