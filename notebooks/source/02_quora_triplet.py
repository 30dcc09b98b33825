# %% [markdown]
# # 02 · Siamese networks: the same question in other words
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/github/{{github}}/blob/{{branch}}/notebooks/{{notebook}}.ipynb)
#
# *How old are you?* and *What is your age?* share no word that matters, and ask the same. *Where are you from?* and *Where are
# you going?* share three words out of four, and do not. A site where people ask questions would like to know which is which.
#
# In this notebook you build a network that does: an [**LSTM**](#Glossary) that turns a question into a point, and a [**triplet loss**](#Glossary) that moves
# questions of one meaning together and all others apart. You write it in [**Trax**](#Glossary), where this exercise became famous, and see
# the same model in Keras.
#
# **You need:** notebook 01, or an idea of what an embedding is. No knowledge of Trax, no GPU.
#
# **At the end you can**
#
# * turn questions into numbers, without letting the test into the vocabulary;
# * build batches in which one matrix product finds all negatives;
# * write the triplet loss with hard negatives, and say why random ones soon teach nothing;
# * share weights in Trax, and train with its tasks, loops and checkpoints;
# * choose a threshold honestly, and read an ROC curve.
#
# **Time:** about two hours with the exercises; the computer itself needs less than three minutes.
#
# **The exercises.** There are nine, worth 100 points. Write your answer where it says `YOUR CODE HERE`,
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
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from siamese_course import evaluation, losses, plotting
from siamese_course.runtime import settings
from siamese_course.exercises import quora as exercises
from siamese_course.batching import questions as batching, tokens
from siamese_course.datasets import punkt
from siamese_course.datasets.question_splits import components
from siamese_course.datasets.quora import load_questions
from siamese_course.models import questions as quora_keras, questions_trax as quora_trax
from siamese_course.models.trax_patch import training, trax
from siamese_course.training import questions as recipes

sizes = settings.quora_sizes()
tl, jnp = trax.layers, trax.fastmath.numpy

# %% [markdown]
# **Trax** is a library for neural networks from 2019 to 2021, built on JAX. It is no longer developed; `trax_patch` mends the few places
# where it stumbles over today's JAX. `tl` holds its layers; `jnp` is NumPy as JAX speaks it: the same functions, but it can differentiate
# what you write.

# %% [markdown]
# ## The data
# Pairs of questions, and for each pair whether the two mean the same: 1 for duplicates, 0 for others (in this course: `same`).
# The original is the set that Quora published in 2017, 404,290 pairs. Where it is not at hand, you work with the questions that ship with
# the course: 328 meanings, each worded in seven to nine ways by a language model.

# %% tags=["nbval-check-output"]
data = load_questions(scored=sizes.scored)

# %%
def show(pairs, rows):
    table = {"question 1": pairs.question1, "question 2": pairs.question2, "same": pairs.same}
    return pd.DataFrame(table).iloc[rows].style.set_properties(**{"text-align": "left"})


some = np.random.default_rng(1).choice(len(data.test), 8, replace=False)
show(data.test, some)

# %% [markdown]
# ### Why not a classifier?
# A classifier has one output a class. What would the classes be here? Every *meaning* is one: thousands of them, with two or three
# questions each, and tomorrow somebody asks what nobody has asked before. A classifier learns **what something is**. We want to know
# **whether two things are the same**. That is what a siamese network learns, and it holds for questions it has never seen.
#
# ### Three parts, and no leak
# The pairs come in three parts: to train, to choose a threshold (validation), to test. A random split of the *pairs* would cheat: the same
# question stands in many pairs, so the test would be full of old acquaintances. Here no question of a test pair is in the training part.

# %% tags=["nbval-check-output"]
trained_on = {*data.train.question1, *data.train.question2}
tested = {*data.test.question1, *data.test.question2}
print("test questions:", len(tested), " of these in training:", len(tested & trained_on))

# %% [markdown]
# To train with the triplet loss we need only the duplicates. Why, you will see when we come to the batches.

# %% tags=["nbval-check-output"]
duplicates = data.train.duplicates()
chosen = np.random.default_rng(0).permutation(len(duplicates))[: sizes.classic_rows]
duplicates = duplicates.take(chosen)
print("duplicate pairs to train on:", len(duplicates))

# %% [markdown]
# ## Exercise 1 · Vocabulary (10 points)
# A network reads numbers. So every word gets one, its [**id**](#Glossary). `tokenize` cuts a question into words and punctuation marks; it is nltk's
# `word_tokenize`, which knows that *don't* is *do* and *n't*.
#
# Two ids are special. **1 is `<PAD>`**: it fills short questions up, so that a batch is a rectangle. **0 is for every word that is not in
# the vocabulary.** Words count from 2 on, in any order.
#
# The vocabulary comes from the training questions *only*. A word that first appears in the test has no trained vector; to give it an
# id of its own would be to pretend that the model knew it.

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

    The vocabulary is left as it is. Returns a list of whole numbers.
    """
    ### BEGIN SOLUTION
    return [vocabulary.get(token, 0) for token in tokenize(question)]
    ### END SOLUTION

# %% check="vocabulary" tags=["nbval-check-output"]
exercises.vocabulary.check(build_vocabulary, encode)

# %% [markdown]
# Stuck? Take the `#` away and run the cell; run it again for the next hint. After the third one there is
# `exercises.vocabulary.solution()`. It is the same with every exercise.

# %%
# exercises.vocabulary.hint()

# %%
build_vocabulary, encode = exercises.vocabulary.use(build_vocabulary, encode)

# %% [markdown]
# A question without a single word would become an empty list, and an LSTM cannot read nothing. `to_ids` turns it into one unknown word,
# and reads the first 24 words of long ones (8 at the `smoke` budget, a quick run that you get with the environment variable `SIAMESE_COURSE_BUDGET=smoke`; `sizes` holds the numbers of your budget): one question with 200 words would make its whole batch 256 long.

# %%
vocabulary = build_vocabulary(duplicates.question1 + duplicates.question2, tokenize)


def to_ids(question):
    return list(encode(question, vocabulary, tokenize))[: sizes.longest] or [tokens.UNKNOWN]


left, right = ([to_ids(q) for q in side] for side in (duplicates.question1, duplicates.question2))

# %% tags=["nbval-check-output"]
unknown = np.mean([i == 0 for q in data.test.question1 for i in to_ids(q)])
print("words in the vocabulary:", len(vocabulary) - 1)
print(f"unknown words in the test questions: {unknown:.0%}")
print("ids of a question:", to_ids("How do I boil an egg ?"))

# %% [markdown]
# ## Batches that hold their own negatives
# A triplet is an [**anchor**](#Glossary), a [**positive**](#Glossary) that means the same, and a [**negative**](#Glossary) that does not. Where do the negatives come from? Here is the
# trick of this notebook. Take a batch of duplicate pairs, one pair a row:
#
# | row | left | right |
# |---|---|---|
# | 1 | How old are you? | What is your age? |
# | 2 | Where are you from? | Which place do you come from? |
# | 3 | Where are you going? | What is your destination? |
#
# Row 1 left and row 1 right are duplicates. And row 1 left with *any other* right question is not. So a batch of 256 pairs holds 256 positives and
# 256 × 255 negatives, and nobody had to label one. That is why we train on duplicates only.
#
# ## Exercise 2 · Data generator (15 points)
# Write the generator of such batches. It never ends: when the rows are used up it begins again, with a new order if it shuffles. A batch that is half
# full at the end of an epoch is filled up from the next. Both sides of a batch are padded with 1, at the end, to *one* length: **the power of two at or above
# the longest question of either side**. (Few different lengths, since JAX compiles the model anew for each.)
#
# The version of this generator that went round the world has a bug worth knowing: at the end of an epoch it sets its index to the length of the
# data instead of 0, and dies with an `IndexError`, after hours of training.

# %% answer="generator"
def data_generator(left, right, batch_size, shuffle, rng):
    """Batches of duplicates, without end.

    left, right: lists of ids, one list a question; row i of both is a duplicate pair.
    shuffle: draw a new order for every epoch, from rng; else keep the rows in order.
    Yields (left, right): two arrays (batch_size, length) of whole numbers.
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
                padded = [[q + [1] * (length - len(q)) for q in side] for side in (a, b)]
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
print(f"share of it that is padding: {np.mean(a == 1):.0%}")

# %% [markdown]
# ### A quiet assumption
# "Row 1 left with any other right question is not a duplicate." Is that so? If two rows of a batch belong to the same meaning, it is not, and
# the loss pushes duplicates apart. How often does it happen? Questions linked by duplicate pairs form groups; count the rows that meet another row of
# their own group.

# %% tags=["nbval-check-output"]
groups = components(duplicates, duplicates_only=True)
order = np.random.default_rng(0).permutation(len(groups))
random_batches = np.array_split(order, len(order) // batch_size)
print(f"rows that meet a hidden duplicate, random batches: {batching.false_negatives(groups, random_batches):.0%}")
careful = batching.group_batches(groups, batch_size, np.random.default_rng(0))
print(f"with one row of a group in a batch: {batching.false_negatives(groups, careful):.0%}")

# %% [markdown]
# On Quora's own questions it is one row in ten; on the small set that ships it is two in three, since each meaning has so many wordings. The classic
# recipe lives with it. The course's recipe, below, deals the rows of a group to different batches, like cards to players.

# %% [markdown]
# ## The model
# Both questions go through **the same** encoder:
#
# ```
#   question 1 ─► Embedding ─► LSTM ─► mean over time ─► unit length ─► v1 ─┐
#                     ║          ║   same weights                           ├─► cosine ─► loss
#   question 2 ─► Embedding ─► LSTM ─► mean over time ─► unit length ─► v2 ─┘
# ```
#
# * **Embedding**: every word has a vector of 128 numbers, learned with the rest.
# * **LSTM**: reads the words one after another and keeps a state; so "from Paris to Rome" and "from Rome to Paris" end up different.
# * **Mean over time**: one vector for the whole question, the mean of all states.
# * **Unit length**: divide by the length. Then the dot product of two questions is the cosine of the angle between them: 1 if they point the same
#   way, 0 if they have nothing in common, −1 if they are opposite.
#
# ## Exercise 3 · Similarity matrix (10 points)
# For a batch we want *all* cosines: every left question with every right one. For unit vectors this is one matrix product,
#
# $$S = V_1 V_2^T, \qquad s_{ij} = \cos(v_{1,i},\, v_{2,j})$$
#
# with the positives on the diagonal and negatives everywhere else. From here to the loss we write in `jnp`, so that Trax can train with it.

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
# **Step 1, a wish.** The anchor $A$ should be more similar to the positive $P$ than to the negative $N$. So look at the difference
#
# $$\mathrm{diff} = s(A, N) - s(A, P)$$
#
# Negative is good. We could minimise it, but then the network would go on improving what is right already, at the price of what is wrong.
#
# **Step 2, enough is enough.** $\max(\mathrm{diff}, 0)$ pays nothing for a triplet that is right. But a network that gives every question the same
# embedding has diff = 0 everywhere, and pays nothing either.
#
# **Step 3, a margin.** $\max(\mathrm{diff} + \alpha, 0)$: the positive must be ahead by $\alpha$. We take $\alpha = 0.25$.

# %% alt="Loss against the difference of similarities: with a margin of 0.25 a triplet pays until the positive is ahead by 0.25."
difference = np.linspace(-1, 1, 200)
_, axis = plt.subplots(figsize=(6.5, 3))
axis.plot(difference, np.maximum(difference, 0), color=plotting.PALETTE[1], label="max(diff, 0)")
axis.plot(difference, np.maximum(difference + 0.25, 0), color=plotting.PALETTE[0], label="max(diff + 0.25, 0)")
axis.axvline(0, color="grey", linestyle=":")
axis.set(xlabel="diff = s(A, N) − s(A, P)", ylabel="loss", title="What a triplet pays")
axis.legend()
plt.show()

# %% tags=["nbval-check-output"]
for negative in (0.2, 0.6, 0.9):
    print(f"positive 0.80, negative {negative:.2f}: pays {max(negative - 0.8 + 0.25, 0):.2f}")

# %% [markdown]
# ### Which negative?
# **A random one** is soon easy. After a few steps *How old are you?* is far from *How do I boil an egg?*, the triplet pays 0, and nothing is learned
# from it. **A hard one**, with $s(A, N)$ close to $s(A, P)$ or above it, has something to teach. In the similarity matrix it is easy to find: the largest
# value of the row that is not on the diagonal. We call it the [**closest negative**](#Glossary).
#
# The hardest negative alone is a nervous teacher: it may be a labelling error, or one of the hidden duplicates. So the loss uses a second one, the **mean
# negative**: the mean of all values of the row off the diagonal. It moves slowly and keeps the crowd at a distance.
#
# > **A word on definitions.** Some lectures define the closest negative as the largest value *below the positive*. The well-known code takes the largest
# > off-diagonal value outright, also if it beats the positive, and so do we: those are the very cases that are wrong.

# %% tags=["figure-worked-example"] alt="Heat map of a four by four similarity matrix; the diagonal, the closest negative of each row and the negatives that enter the mean are marked."
worked = np.array(
    [[0.9, -0.8, 0.3, -0.5], [-0.8, 0.5, 0.1, -0.2], [0.3, 0.1, 0.7, -0.8], [-0.5, -0.2, -0.8, 1.0]]
)
plotting.similarity_heatmap(worked, "Four pairs of questions")
plt.show()

# %% [markdown]
# In every row the positive (green frame) is far ahead of the closest negative (purple): by at least 0.4, which is more than $\alpha$. Nothing to pay.
#
# ## Exercise 4 · Closest and mean negative (15 points)
# The diagonal must not take part. For the maximum, lower it by 2 (`jnp.eye(b)` has ones on the diagonal): from there no cosine can win. For the mean, set it
# to 0, and divide by the number of values that are left, which is $b - 1$.

# %% answer="negatives"
def hard_negatives(similarities):
    """The two negatives of every row.

    similarities: (batch, batch), positives on the diagonal.
    Returns (closest, mean), two arrays (batch,).
    """
    ### BEGIN SOLUTION
    batch = similarities.shape[0]
    diagonal = jnp.eye(batch)
    closest = jnp.max(similarities - 2.0 * diagonal, axis=1)
    mean = jnp.sum(similarities * (1.0 - diagonal), axis=1) / (batch - 1)
    return closest, mean
    ### END SOLUTION

# %% check="negatives" tags=["nbval-check-output"]
exercises.negatives.check(hard_negatives)

# %%
# exercises.negatives.hint()

# %%
hard_negatives = exercises.negatives.use(hard_negatives)

# %% tags=["nbval-check-output"]
closest, mean = hard_negatives(jnp.array(worked))
for name, values in {"closest": closest, "mean": mean}.items():
    print(f"{name} negatives:", [round(float(value), 2) for value in values])

# %% [markdown]
# ## Exercise 5 · Triplet loss (15 points)
# Now put it together. With the similarity matrix $S$, for row $i$:
#
# $$L_1 = \max(0,\ \alpha - s_{ii} + \mathrm{closest}_i) \qquad L_2 = \max(0,\ \alpha - s_{ii} + \mathrm{mean}_i)$$
#
# and the loss is the mean of $L_1 + L_2$ over the batch. Use your `similarity_matrix` and `hard_negatives`.

# %% answer="loss"
def triplet_loss(left, right, margin=0.25):
    """Mean over the batch of L1 + L2.

    left, right: (batch, dim) embeddings of unit length, row i of both a duplicate pair.
    Returns one number.
    """
    ### BEGIN SOLUTION
    similarities = similarity_matrix(left, right)
    closest, mean = hard_negatives(similarities)
    positive = jnp.diagonal(similarities)
    with_closest = jnp.maximum(0.0, margin - positive + closest)
    with_mean = jnp.maximum(0.0, margin - positive + mean)
    return jnp.mean(with_closest + with_mean)
    ### END SOLUTION

# %% check="loss" tags=["nbval-check-output"]
exercises.loss.check(triplet_loss)

# %%
# exercises.loss.hint()

# %%
triplet_loss = exercises.loss.use(triplet_loss)

# %% [markdown]
# Three matrices to try it on. (With the identity as right side, the similarities are the left side itself.) The second one has a row where a negative, 0.7, beats the
# positive, 0.6. The third belongs to a network that gives all questions the same embedding: it pays $2 \alpha$.

# %% tags=["nbval-check-output"]
wrong_row = jnp.array([[0.6, 0.7, -0.2], [0.1, 0.3, 0.2], [0.4, -0.5, 0.8]])
collapsed = jnp.ones((3, 3))
for name, matrix in {"worked example": jnp.array(worked), "a wrong row": wrong_row, "collapsed": collapsed}.items():
    print(f"{name}: loss {float(triplet_loss(matrix, jnp.eye(len(matrix)))):.3f}")

# %% [markdown]
# ## Exercise 6 · Siamese model in Trax (10 points)
# Trax builds models from layers that are put together:
#
# * `tl.Serial(a, b, c)`: one after the other;
# * `tl.Parallel(a, b)`: side by side, the first input through `a`, the second through `b`;
# * `tl.Embedding(vocabulary_size, dim)`, `tl.LSTM(dim)`, `tl.Mean(axis=1)` (axis 1 is time);
# * `tl.Fn("Name", function)` makes a layer of any function. `normalize` is given.
#
# **Sharing weights.** Trax shares weights where it meets *the same layer object* again. Two encoders that are built alike are two encoders: they start with
# different weights, and the cosine of a question with itself would not be 1.

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
# ## Exercise 7 · Training loop (10 points)
# Trax divides the work among three objects.
#
# * `training.TrainTask`: what to learn from (`labeled_data`), the `loss_layer`, the `optimizer`, the `lr_schedule`, and how often to report and save
#   (`n_steps_per_checkpoint`).
# * `training.EvalTask`: what to measure (`metrics`, a list of layers) on which data, over how many batches (`n_eval_batches`).
# * `training.Loop`: puts the tasks to a model. With an `output_dir` it saves [**checkpoints**](#Glossary) there: model, optimizer and step counter. A Loop that is made with the same
#   folder goes on where the last one stopped, even if that one was killed.
#
# Use `trax.optimizers.Adam(0.01, eps=1e-9)` and the schedule `trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)`: up in a straight line, then down with
# $1/\sqrt{\text{step}}$. Report every 20 steps; two batches to evaluate; `random_seed=34` makes runs repeatable. Only make the Loop: the next cells run it.
#
# **Why the epsilon?** Adam divides each gradient by its usual size plus $\varepsilon$. At the start all embeddings of this model are nearly the same (their cosines are 0.9999 and more), and
# the gradients are smaller than Trax's own $\varepsilon = 10^{-5}$: dividing by it makes tiny steps of them, and the network may sit at a loss of $2\alpha$ for hundreds of steps. With
# $10^{-9}$ it has a better chance to get away.

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
    train_task = training.TrainTask(
        labeled_data=train_batches,
        loss_layer=loss_layer,
        optimizer=trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
        n_steps_per_checkpoint=20,
    )
    eval_task = training.EvalTask(
        labeled_data=validation_batches, metrics=[loss_layer], n_eval_batches=2
    )
    return training.Loop(
        model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34
    )
    ### END SOLUTION

# %% check="loop" tags=["nbval-check-output"]
exercises.loop.check(training_loop)

# %%
# exercises.loop.hint()

# %%
training_loop = exercises.loop.use(training_loop)

# %% [markdown]
# The classic 400 steps of warm-up belong to a long training; ours is short, so 20 must do. The loss becomes a layer with `tl.Fn` (which takes no functions with default values, hence the `lambda`). The validation batches are duplicates, too: of questions that
# are not trained on.

# %%
import tempfile

valid = data.validation.duplicates()
valid_left, valid_right = ([to_ids(q) for q in side] for side in (valid.question1, valid.question2))
valid_batches = data_generator(valid_left, valid_right, batch_size, True, np.random.default_rng(1))
loss_layer = tl.Fn("TripletLoss", lambda left, right: triplet_loss(left, right, 0.25))
folder = tempfile.mkdtemp()
loop = training_loop(siamese, loss_layer, batches, valid_batches, folder, warmup=20)

# %%
loop.run(sizes.classic_steps)

# %% tags=["nbval-check-output"]
trax_losses = [loss for _, loss in loop.history.get("train", "metrics/TripletLoss")]
print("steps:", loop.step)
print("the loss began near 2 alpha = 0.5:", abs(trax_losses[0] - 0.5) < 0.1)
print("and fell below 0.45:", trax_losses[-1] < 0.45)

# %% [markdown]
# The training loss falls. But look at the `eval` lines of the log, too: on questions that are not trained on, the loss need not follow, and it may rise above 0.5. With the questions that ship there are
# two reasons. The validation part has 51 meanings, so in a batch of 256 nearly every row meets a hidden duplicate, and the loss takes that for a negative. And some sixteen hundred questions are soon
# known by heart (*overfitting*). How much was learned that holds for new questions, the test below will tell.
#
# ### Killed, and not lost
# The folder holds the last checkpoint. A new Loop on the same folder, with a model that was never trained, has its weights and its step counter.
# (A checkpoint is a *pickle*: load only what your own run wrote.)

# %% tags=["nbval-check-output"]
sorted(name for name in os.listdir(folder) if name.startswith("model."))

# %% tags=["nbval-check-output"]
again = training_loop(build_siamese(len(vocabulary) + 1), loss_layer, batches, valid_batches, folder)
print("the new loop goes on at step", again.step)
same_weights = zip(quora_trax.leaves(again.model.weights), quora_trax.leaves(loop.model.weights))
print("with the weights of the old one:", all(np.array_equal(x, y) for x, y in same_weights))

# %% [markdown]
# ## The same in Keras
# Layer by layer the same model, the same loss (`losses.triplet_loss`, in `keras.ops`), the same batches. To be sure, we carry the Trax weights over, and compare the loss of one
# batch.

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
# Now the Keras model by itself, from its own random start. Does it take the same way?

# %%
keras_run = recipes.train_classic(
    "keras", data, steps=sizes.classic_steps, max_pairs=sizes.classic_rows, warmup=20,
    batch_size=batch_size, max_length=sizes.longest,
)

# %% tags=["figure-loss"] alt="Training losses of the Trax model and of the Keras model against the step; 0.5 is the loss of a collapsed network."
steps = [step for step, _ in loop.history.get("train", "metrics/TripletLoss")]
trax_history = type(keras_run.history)(steps, trax_losses)
plotting.loss_curve({"Trax": trax_history, "Keras": keras_run.history})
plt.show()

# %% tags=["nbval-check-output"]
keras_losses = keras_run.history.losses
print("the Keras losses are numbers:", bool(np.isfinite(keras_losses).all()))

# %% [markdown]
# Look for the level 0.5, the loss $2\alpha$ of a network that says the same to everything. Trax begins there and takes a while to get away. Keras begins a little elsewhere, for a small reason: Trax
# starts all biases of its LSTM at 1, which fills its memory with the same numbers for every question, and Keras only a quarter of them (those of the *forget gate*, which decides what the memory keeps).
# That is no protection: Keras may fall onto the same level within a few steps, and in a run as short as this it may stay there to the end. If yours does, nothing is wrong with your code: model, loss and
# batches are the same, as the twin has shown, and only the start differs. Getting away from a collapse takes some luck, and time.

# %% [markdown]
# ## A better recipe
# How far does the classic recipe get? Not very: on Quora's pairs it tells a duplicate from another pair in two of three cases. Six changes, each with its reason.
#
# 1. **Words.** Lower case, no punctuation; words that are not in the vocabulary share 1,000 spare ids by a hash (a fixed rule that makes a number of a word), so that two questions with the same unknown word still agree
#    in something. (On small data, words are cut to their stems: *stopping* and *stop* become one.)
# 2. **Padding is masked.** In the classic model the padding takes part in the mean, so a question's embedding depends on how long its *neighbours* are.
# 3. **No hidden duplicates** in a batch, as you saw above.
# 4. **Labelled differences.** A third of each batch are pairs that were labelled as *different*. Among them are near misses, which a random batch hardly ever holds (in the small set about one in fifteen).
# 5. **Two views.** Beside the mean of the LSTM's states stands a mean of the word vectors, where every word has a learned weight: *the* says little, *egg* says much.
#    (With as many pairs as Quora's there are vectors for neighbouring words too: *new york* is more than *new* and *york*.)
# 6. [**Softmax**](#Glossary) **instead of margin.** Each question must pick its partner out of the whole batch, as a classifier picks a class. Every negative counts, and the hard ones count most without being looked for.

# %%
better = recipes.train_course(
    "keras", data, steps=sizes.course_steps, max_pairs=sizes.course_rows,
    batch_size=sizes.batch, max_length=sizes.longest,
)
better.encoder.recipe, better.steps

# %% [markdown]
# ## Testing
# Now the question that matters: given two questions, are they duplicates? The model gives a cosine; we need a threshold $\tau$, above which we say yes.
#
# **The threshold is chosen on the validation pairs, and never on the test.** Chosen on the test, it has seen the answers, and the accuracy promises too much. And both need
# the share of duplicates that the model will meet in use. Here both have 37%, as Quora's set has; real life may have fewer. If 85 of 100 pairs were duplicates, "always yes" would be right in 85% of the cases.
#
# ## Exercise 8 · Classify with a threshold (10 points)
# Two functions. The first computes the cosine of every *pair* (row $i$ left with row $i$ right, so no matrix this time), a batch at a time; the last batch is shorter, and
# counts like the others. The published version crashes there. `pad_pair` pads two lists of questions to one length, as your generator does.
#
# The second chooses the threshold with the best accuracy on the validation pairs, and reports the accuracy on the test pairs, with `similarity > threshold` meaning
# duplicate.

# %%
from siamese_course.batching.padding import pad_pair

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

# %%
trax_embed = quora_trax.forward_function(loop.eval_model.sublayers[0], loop.model.weights[0])


def scores(embed, to_ids):
    """(similarities, same) of the validation and of the test pairs."""
    for pairs in (data.validation, data.test):
        left, right = ([to_ids(q) for q in side] for side in (pairs.question1, pairs.question2))
        yield pair_similarities(embed, left, right, 256), pairs.same


better_ids = lambda question: better.encoder.encode([question])[0]
classic_validation, classic_test = scores(trax_embed, to_ids)
validation, test = scores(better.encoder.forward, better_ids)

# %%
for name, parts in {"classic": (classic_validation, classic_test), "course": (validation, test)}.items():
    threshold, accuracy = evaluate(*parts)  # the last ones, of the course recipe, are used below
    area = evaluation.roc_auc(*parts[1])
    print(f"{name} recipe: threshold {threshold:.2f}, accuracy {accuracy:.1%}, AUC {area:.3f}")

# %% tags=["nbval-check-output"]
gain = evaluation.roc_auc(*test) - evaluation.roc_auc(*classic_test)
print("the course recipe is better than the classic one:", gain > 0)
print("and right more often than 'always different':", accuracy > 1 - test[1].mean())

# %% tags=["figure-accuracy"] alt="Accuracy on the validation pairs against the threshold: it rises to a peak, where the threshold is chosen, and falls again."
thresholds, accuracies = evaluation.accuracy_curve(*validation)
plotting.accuracy_chart(thresholds, accuracies, threshold, 1 - validation[1].mean())
plt.show()

# %% [markdown]
# Close to its top the curve is flat, so a slightly different threshold costs little; one that is far too low costs a lot. At the left end the model says always yes, at the right end always no.
#
# And the classic recipe? On the small set it is hardly better than guessing: its accuracy is about that of "always different". It had 120 steps, and in two rows of three the negative that it pushed away
# hardest may have been a hidden duplicate. (The third number, AUC, comes next.)
#
# ### A number without a threshold
# Let the threshold run from 1 to −1, and note how many duplicates are found and how many others are mistaken for one: that is the [**ROC curve**](#Glossary). The area under it,
# [**AUC**](#Glossary), has a plain meaning: draw a duplicate pair and another pair at random; AUC is the probability that the duplicate has the higher cosine. Guessing gets 0.5. It does not
# depend on the share of duplicates.

# %% tags=["figure-roc"] alt="ROC curves of the course model and of the classic Trax model on the test pairs, above the diagonal of guessing."
plotting.roc_chart({"course": test, "classic (Trax)": classic_test})
plt.show()

# %% tags=["nbval-check-output"]
enough = {"smoke": 0.55, "course": 0.80, "full": 0.80}[settings.budget()]
print(f"AUC on unseen questions is at least {enough:.2f}:", evaluation.roc_auc(*test) >= enough)

# %% [markdown]
# ### Where it is wrong, and sure of it
# The most instructive table of any project: the mistakes with the largest distance from the threshold.

# %%
similarities, same = test
surest = np.argsort(-np.abs(similarities - threshold) * ((similarities > threshold) != (same == 1)))
table = show(data.test, surest[:10]).data
table["cosine"] = similarities[surest[:10]]
table.style.format({"cosine": "{:.2f}"}).set_properties(**{"text-align": "left"})

# %% [markdown]
# Two kinds of mistakes are usual. *Near misses*: nearly the same words, but the one that differs decides. They often fill this whole table. And *different wording, same meaning*: no word in common, and too
# little training to know that these words are neighbours. Both have one cause: a small model trained for a minute mostly compares words. (The set that ships is hard on such a model on purpose: its near misses share
# more words than its duplicates do.) So take the near misses alone: how often does one get a *lower* cosine than a random duplicate?

# %% tags=["nbval-check-output"]
from siamese_course.datasets.own_questions import read_near_misses

labelled = {frozenset(pair) for pair in read_near_misses()}
asked = zip(data.test.question1, data.test.question2)
near = np.array([frozenset(pair) in labelled for pair in asked])
if near.any():
    print("near misses in the test:", near.sum(), " harder than random pairs:",
          np.mean(similarities[near]) > np.mean(similarities[~near & (same == 0)]))

# %%
if near.any():
    for name, kind in {"near misses": near, "other different pairs": ~near & (same == 0)}.items():
        part = kind | (same == 1)
        print(f"AUC against {name}: {evaluation.roc_auc(similarities[part], same[part]):.3f}")

# %% [markdown]
# The first number is honest, and far below one half: a planted near miss looks *more* alike to this model than a true duplicate does. Whoever needs to tell these apart needs a model that has
# read far more than sixteen hundred questions. Notebook 03 begins with one that has, and even there, in its small form, near misses stay hard.

# %% [markdown]
# ## Exercise 9 · Predict (5 points)
# The last piece: two typed questions, and an answer. With `verbose` it also prints the similarity.

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
    return predict(question1, question2, better_ids, better.encoder.forward, threshold, verbose=True)


print(ask("How do I boil an egg?", "What is the right way to boil an egg?"))
print(ask("How do I boil an egg?", "Where do birds go in winter?"))

# %% tags=["nbval-check-output"]
odd = ["", "🙂🙂", "?!", "qwrtz", "من أين أنت؟", "why " * 10_000]
found = better.encoder.similarities(odd, odd)
print("odd questions, compared with themselves:", np.round(found, 3))

# %% [markdown]
# Nothing breaks: an empty question is one unknown word, and of the one with 10,000 words the beginning is read. Now type your own. (The two boxes need JupyterLab or
# Colab; without them change the cell above.)

# %%
import ipywidgets as widgets

boxes = [widgets.Text(q, description=f"question {n}", layout={"width": "90%"}) for n, q in
         enumerate(["How old are you?", "What is your age?"], 1)]
verdict = widgets.Label()


def compare(_=None):
    cosine = better.encoder.similarities([boxes[0].value], [boxes[1].value])[0]
    verdict.value = f"cosine {cosine:.2f}: {'duplicates' if cosine > threshold else 'different'}"


for box in boxes:
    box.observe(compare, "value")
compare()
widgets.VBox([*boxes, verdict])

# %% [markdown]
# ## You come from an old Trax example?
# Trax's last release is from 2021, and the notebooks that use it are older. What stops them today, and what to write instead:
#
# | there | here | why |
# |---|---|---|
# | `import trax` | `from siamese_course.models.trax_patch import trax` | no banner, a fraction of the time; checkpoints can be resumed |
# | `pip install trax==1.3.1` | `trax==1.4.1` | older ones need a NumPy and JAX that no longer install |
# | `TypeError` when a Loop is made on an old folder | the same import | today's JAX refuses to compare an array with `()` |
# | `training.Loop(..., eval_task=...)` | `eval_tasks=[...]` | one task became a list |
# | `trax.supervised.lr_schedules...` | `trax.lr.warmup_and_rsqrt_decay(400, 0.01)` | |
# | `trax.fastmath.use_backend("tensorflow-numpy")` | leave it at JAX | the other backend has fallen behind |
# | `trax.optimizers.Adam(0.01)` | `Adam(0.01, eps=1e-9)` | the default of 1e-5 keeps a collapsed network where it is |
# | `len(scores)` in a loss | `scores.shape[0]` | works on both backends |
# | `nltk.download("punkt")` | `punkt_tab` | nltk 3.9 no longer loads the pickled one |
# | `data_generator` with `idx = len(Q1)` | `idx = 0`, or the generator above | dies at the end of an epoch |
#
# For a new project write Keras, or JAX with Flax. The ideas are the same, and somebody answers your questions.

# %% [markdown]
# ### Your points
# Over all notebooks, as far as you have come on this machine:

# %%
from siamese_course import exercises as checks

checks.progress()

# %% [markdown]
# ## What you can do now
# You have turned language into numbers without letting the test in, found 65,280 negatives in one matrix product, built a loss from a wish and a margin, shared one encoder
# between two questions in two libraries, and tested with a threshold that had not seen the answers.
#
# **To think about**
#
# 1. The loss of a collapsed network is $2\alpha$. Could the loss get stuck there? Why does a large learning rate at the beginning make it more likely?
# 2. Twice the batch size means twice the negatives for every anchor. What happens to the share of hidden duplicates, and to the closest negative?
# 3. Every question compared with itself has cosine 1. Two *different* questions can have it, too. When?
#
# **Further reading**
#
# * F. Schroff, D. Kalenichenko, J. Philbin (2015). *FaceNet: A Unified Embedding for Face Recognition and Clustering.* CVPR, 815–823. The triplet loss, and which negatives to take.
# * J. Mueller, A. Thyagarajan (2016). *Siamese Recurrent Architectures for Learning Sentence Similarity.* AAAI, 2786–2792. An LSTM on both sides.
# * S. Hochreiter, J. Schmidhuber (1997). *Long Short-Term Memory.* Neural Computation 9(8), 1735–1780.
# * M. Henderson et al. (2017). *Efficient Natural Language Response Suggestion for Smart Reply.* arXiv:1705.00652. The other questions of a batch as negatives, with a softmax.
# * S. Iyer, N. Dandekar, K. Csernai (2017). *First Quora Dataset Release: Question Pairs.* Where the data comes from.

# %% [markdown]
# ## Glossary
# * **anchor**: the item that the other two of a triplet are compared with.
# * **AUC**: area under the ROC curve: the share of (duplicate, other) couples in which the duplicate is more similar. 0.5 is guessing.
# * **checkpoints**: files with weights, optimizer and step counter, from which an interrupted training goes on.
# * **closest negative**: the negative of a batch that is most similar to the anchor: the hardest one to tell apart.
# * **id**: the number of a word in the vocabulary.
# * **LSTM**: long short-term memory: a network that reads word by word and keeps a memory of what it has read.
# * **negative**: an item that does not belong with the anchor.
# * **positive**: an item that belongs with the anchor.
# * **ROC curve**: duplicates found against other pairs taken for duplicates, one point for each threshold.
# * **Softmax**: turns a list of numbers into shares that add up to 1; the largest number gets the largest share.
# * **Trax**: a library for neural networks on JAX, no longer developed; its layers, tasks and loops are used here.
# * **triplet loss**: a loss on anchor, positive and negative: the positive should be more similar to the anchor than the negative is, by a margin.
