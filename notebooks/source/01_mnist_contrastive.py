# %% [markdown]
# # 01 · Siamese networks: a map of handwritten digits
#
# [![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)](https://colab.research.google.com/github/{{github}}/blob/{{branch}}/notebooks/{{notebook}}.ipynb)
#
# A classifier learns *what* something is: this picture is a 7. A [**siamese network**](#Glossary) learns whether two
# things are *the same*: these two pictures show the same digit, those two do not. That sounds like less,
# and it is more: whoever can compare can recognise things that were not there during training.
#
# In this notebook you build one, piece by piece. It will draw a map of handwritten digits on which
# equal digits live close together, and no part of it has ten outputs, one for each class.
#
# **You need:** Python with a little NumPy, and to have seen a neural network trained once. No GPU.
#
# **At the end you can**
#
# * write the contrastive loss, down to its last epsilon, and say what each part is for;
# * build a siamese model in Keras, and know why its two halves are one;
# * make pairs that teach something;
# * judge an embedding with a number, and not only by its looks;
# * recognise a digit from a single example, of a kind that the network never saw.
#
# **Time:** about 90 minutes with the exercises; the computer itself needs less than three.
#
# **The exercises.** There are seven, worth 100 points. Write your answer where it says `YOUR CODE HERE`,
# run the cell, and run the check below it: it gives points at once, and says what is wrong if something is.
# Stuck? Each exercise has three hints. You may also go on without solving one: the notebook then uses
# the course's own answer, and tells you so.

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
import keras
import matplotlib.pyplot as plt
import numpy as np
from keras import ops

from siamese_course import plotting
from siamese_course.runtime import settings
from siamese_course.exercises import mnist as exercises
from siamese_course.datasets.mnist import load_mnist, pair_batches
from siamese_course.training import images as recipes
from siamese_course.training.loop import repeat, train, whole_stretches

sizes = settings.mnist_sizes()

# %% [markdown]
# `sizes` says how much to train. It follows the environment variable `SIAMESE_COURSE_BUDGET`: `smoke` for a quick look, `course` (what you get
# if you do nothing) for a few minutes on a laptop, `full` for the classic sizes.

# %% [markdown]
# ## The data
# MNIST holds 70,000 digits, written by American high-school students and census employees, as grey pictures of 28 × 28
# pixels. We flatten each to 784 numbers from 0 (paper) to 1 (ink). Where the full data is not at hand and cannot be
# downloaded, 5,000 of the digits come with the course; the line below says which you have.

# %% tags=["nbval-check-output"]
digits = load_mnist()
print("training images:", digits.train_images.shape, " labels:", digits.train_labels.shape)
print("values from", digits.train_images.min(), "to", digits.train_images.max())

# %% alt="One picture of each handwritten digit, from 0 to 9."
first_of_each = [np.flatnonzero(digits.train_labels == d)[0] for d in range(10)]
plotting.image_grid(digits.train_images[first_of_each], titles=[str(d) for d in range(10)])
plt.show()

# %% [markdown]
# ## The idea
# Why not compare the pictures directly, pixel by pixel? Because pixels do not know what matters. Move a 7 by two
# pixels, and half of its ink no longer lies on itself, though it is the same 7.
#
# So we put a network in between. An [**encoder**](#Glossary) $G$ turns a picture into a short list of numbers, its
# [**embedding**](#Glossary): here two numbers, a point on a map. Both pictures of a pair go through the *same* encoder, and what we
# compare is the distance of the two points:
#
# ```
#   picture a ──► encoder G ──► point G(a) ──┐
#                     ║ same weights         ├──► distance D ──► loss
#   picture b ──► encoder G ──► point G(b) ──┘
# ```
#
# Training moves the points: together if the pictures show the same digit, apart if they do not. The idea is from
# Hadsell, Chopra and LeCun (2006), and everything in this notebook grows out of it.

# %% [markdown]
# ## Exercise 1 · Distance (10 points)
# How far apart are two points? The Euclidean distance, as you know it from school, with one addition:
#
# $$D(a, b) = \sqrt{\textstyle\sum_i (a_i - b_i)^2 + 10^{-6}}$$
#
# **What is the $10^{-6}$ for?** Training needs the derivative of $D$. The derivative of $\sqrt{x}$ is
# $\frac{1}{2\sqrt{x}}$, which is infinite at 0, and the network multiplies it by the derivative of the sum, which is 0
# there. Infinity times zero is NaN, *not a number*, and a single NaN spreads to every weight in one step. Two equal
# embeddings are enough. The small constant, usually called [**epsilon**](#Glossary), keeps the root away from 0.
#
# Write the function with `keras.ops` (imported as `ops`): the same code then runs on TensorFlow, JAX and PyTorch.

# %% answer="distance"
def euclidean_distance(left, right):
    """Distance between embeddings, row by row.

    left, right: (batch, dim).
    Returns (batch,): sqrt(sum of squared differences + 1e-6).
    """
    ### BEGIN SOLUTION
    squared = ops.sum(ops.square(left - right), axis=-1)
    return ops.sqrt(squared + 1e-6)
    ### END SOLUTION

# %% check="distance" tags=["nbval-check-output"]
exercises.distance.check(euclidean_distance)

# %% [markdown]
# Stuck? Take the `#` away and run the cell; run it again for the next hint. After the third one there is
# `exercises.distance.solution()`. It is the same with every exercise.

# %%
# exercises.distance.hint()

# %% [markdown]
# Every exercise ends with a cell like the next one. It keeps your function if it passed, and takes the course's own if not.

# %%
euclidean_distance = exercises.distance.use(euclidean_distance)

# %% tags=["nbval-check-output"]
here = ops.convert_to_tensor([[0.0, 0.0], [1.0, 1.0]])
there = ops.convert_to_tensor([[3.0, 4.0], [1.0, 1.0]])
print("distances:", *(f"{d:.3f}" for d in ops.convert_to_numpy(euclidean_distance(here, there))))

# %% [markdown]
# The triangle with sides 3 and 4 has a long side of 5. Two equal points are 0.001 apart, the root of the epsilon: a
# price nobody notices.

# %% [markdown]
# ## The contrastive loss
# Now the wish has to become a formula. For a pair of pictures there are two cases.
#
# * **Similar pair** (the same digit): any distance is too much. The pair pays $\frac{1}{2} D^2$, like a spring that pulls.
# * **Different pair**: near is bad, far is good, and *far enough is enough*. The pair pays
#   $\frac{1}{2} \max(0, m - D)^2$: nothing at all beyond the [**margin**](#Glossary) $m$. Without it the network could lower the
#   loss for ever by blowing up the map, and would never settle.
#
# With $s = 1$ for a similar pair and $s = 0$ for a different one, both in one line:
#
# $$L = s \cdot \tfrac{1}{2} \sum_i (a_i - b_i)^2 \;+\; (1 - s) \cdot \tfrac{1}{2} \max(0,\, m - D)^2$$
#
# The first term has no epsilon, since a square needs none. We take the mean over the pairs of a batch. (The paper sums.
# With the mean, the loss does not grow with the batch.)

# %% alt="Loss against distance: for a similar pair it rises like a parabola from 0, for a different pair it falls and is 0 from the margin of 5 on."
distance = np.linspace(0, 8, 200)
_, axis = plt.subplots(figsize=(6.5, 3.2))
axis.plot(distance, 0.5 * distance**2, color=plotting.SAME, label="similar pair")
axis.plot(distance, 0.5 * np.maximum(0, 5 - distance) ** 2, color=plotting.DIFFERENT, label="different pair")
axis.axvline(5, color="grey", linestyle=":", label="margin m = 5")
axis.set(xlabel="distance D", ylabel="loss", ylim=(0, 14), title="What a pair pays")
axis.legend()
plt.show()

# %% tags=["nbval-check-output"]
print("a similar pair 2 apart pays", 0.5 * 2**2, "and a different one", 0.5 * max(0, 5 - 2) ** 2)

# %% [markdown]
# ### Which is 1, similar or different?
# Both are in use. The paper writes $Y = 0$ for a similar pair; much of the code you will find writes 1. Whoever mixes
# the two up trains a network that pushes equal digits apart, and the loss falls happily all the same: there is no error
# message for this mistake. So this course says it once and sticks to it:
#
# > **`same` is 1 for a similar pair, and 0 for a different one.** The argument carries the meaning in its name.
#
# When you take a loss from somewhere else, look this up first.

# %% [markdown]
# ## Exercise 2 · Contrastive loss (20 points)
# Keras hands a loss the targets first and the model's output second. Our model's output will hold both embeddings of
# each pair, stacked: `embeddings[:, 0]` are the left ones, `embeddings[:, 1]` the right ones.
#
# Two traps. `margin - D` uses the distance itself, and only what is left is squared. And `ops.maximum` compares number by
# number, while `ops.max` looks for the largest of an array.

# %% answer="contrastive_loss"
def contrastive_loss(same, embeddings, margin=5.0):
    """Mean contrastive loss of a batch of pairs.

    same: (batch,), 1.0 for a similar pair, 0.0 for a different one.
    embeddings: (batch, 2, dim), the two sides of each pair.
    margin: distance beyond which a different pair pays nothing.
    Returns one number.
    """
    ### BEGIN SOLUTION
    left, right = embeddings[:, 0], embeddings[:, 1]
    pull = 0.5 * ops.sum(ops.square(left - right), axis=-1)
    push = 0.5 * ops.square(ops.maximum(0.0, margin - euclidean_distance(left, right)))
    return ops.mean(same * pull + (1.0 - same) * push)
    ### END SOLUTION

# %% check="contrastive_loss" tags=["nbval-check-output"]
exercises.contrastive_loss.check(contrastive_loss)

# %%
# exercises.contrastive_loss.hint()

# %%
contrastive_loss = exercises.contrastive_loss.use(contrastive_loss)

# %% [markdown]
# One pair, both ways: two points 5 apart with a margin of 6. Called similar, they pay
# $\frac{1}{2} \cdot 25 = 12.5$; called different, $\frac{1}{2} (6 - 5)^2 = 0.5$.

# %% tags=["nbval-check-output"]
pair = ops.convert_to_tensor([[[0.0, 0.0], [3.0, 4.0]]])
for name, same in {"similar": [1.0], "different": [0.0]}.items():
    loss = contrastive_loss(ops.convert_to_tensor(same), pair, margin=6.0)
    print(f"called {name}: {float(loss):.3f}")

# %% [markdown]
# ## Making pairs
# The data knows digits; the loss wants pairs. From 60,000 digits one can form 1.8 billion pairs, so we draw some, and
# **how we draw decides what the network learns**.
#
# * **Classic.** Shuffle all rows, cut them into batches, and put neighbouring batches side by side: batch 1 with batch 2,
#   3 with 4. Simple and fast, but with ten digits only one pair in ten is similar. Nine tenths of the work goes
#   into pushing, and soon most different pairs are farther apart than the margin and teach nothing.
# * **Balanced.** For each row toss a coin: give it a partner of its own class, or one of another class.
#
# The classic code that went round the world has two flaws. Where the number of rows does not suit, neighbouring
# batches differ by one row, and the step that pairs them dies. And an odd last batch is silently dropped. Yours will
# have neither.
#
# ## Exercise 3 · Pair generators (20 points)
# A pair is two *row numbers*; nobody needs to copy pictures. Write both as [**generators**](#Glossary): functions that `yield` one
# batch after another. One call is one epoch. Take every random number from `rng`, a NumPy random generator, so that the
# same seed gives the same pairs.

# %% answer="pairs.classic"
def classic_pairs(labels, batch_size, rng):
    """One epoch of pairs: shuffled batches side by side.

    labels: (n,). Only n matters here.
    Cut one permutation into 2 * (n // (2 * batch_size)) nearly equal batches.
    Yields (left, right): row numbers, two arrays of equal length.
    """
    ### BEGIN SOLUTION
    n = len(labels)
    batches = np.array_split(rng.permutation(n), 2 * (n // (2 * batch_size)))
    for left, right in zip(batches[::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]
    ### END SOLUTION

# %% answer="pairs.balanced"
def balanced_pairs(labels, batch_size, rng):
    """One epoch of pairs, about half of them similar.

    labels: (n,) class of each row.
    Every row is a left side once, in shuffled order; its partner is never itself.
    Yields (left, right): row numbers; the last batch may be shorter than batch_size.
    """
    ### BEGIN SOLUTION
    labels = np.asarray(labels)
    left = rng.permutation(len(labels))
    rows_of = {c: np.flatnonzero(labels == c) for c in np.unique(labels)}
    rows_without = {c: np.flatnonzero(labels != c) for c in rows_of}
    right = np.empty_like(left)
    for place, row in enumerate(left):
        similar = rng.random() < 0.5
        candidates = (rows_of if similar else rows_without)[labels[row]]
        right[place] = rng.choice(candidates)
        while right[place] == row:
            right[place] = rng.choice(candidates)
    for begin in range(0, len(left), batch_size):
        yield left[begin : begin + batch_size], right[begin : begin + batch_size]
    ### END SOLUTION

# %% check="pairs" tags=["nbval-check-output"]
exercises.pairs.check(classic_pairs, balanced_pairs)

# %%
# exercises.pairs.hint()

# %%
classic_pairs, balanced_pairs = exercises.pairs.use(classic_pairs, balanced_pairs)

# %% tags=["nbval-check-output"]
for generator in (classic_pairs, balanced_pairs):
    epoch = list(generator(digits.train_labels, 128, np.random.default_rng(0)))
    left, right = (np.concatenate(side) for side in zip(*epoch))
    share = np.mean(digits.train_labels[left] == digits.train_labels[right])
    print(f"{generator.__name__}: {len(epoch)} batches, {len(left):,} pairs, {share:.0%} similar")

# %% alt="Ten pairs of digits, one above the other, each marked same or different."
left, right = next(iter(balanced_pairs(digits.train_labels, 10, np.random.default_rng(3))))
same = digits.train_labels[left] == digits.train_labels[right]
together = digits.train_images[np.concatenate([left, right])]
plotting.image_grid(together, titles=["same" if s else "different" for s in same] + [""] * 10)
plt.show()

# %% [markdown]
# Ten balanced pairs, one in each column.

# %% [markdown]
# ## Exercise 4 · Encoder (10 points)
# The encoder is a plain network of three dense layers: 784 numbers in, two hidden layers of 1,024 units with ReLU, and
# `dim` numbers out. The last layer has **no activation**: a point on the map may lie anywhere, left or right, above or
# below.

# %% answer="encoder"
def build_encoder(dim=2):
    """Encoder G: (batch, 784) -> (batch, dim).

    Dense 1024 ReLU, Dense 1024 ReLU, Dense dim without activation.
    """
    ### BEGIN SOLUTION
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
        ]
    )
    ### END SOLUTION

# %% check="encoder" tags=["nbval-check-output"]
exercises.encoder.check(build_encoder)

# %%
# exercises.encoder.hint()

# %%
build_encoder = exercises.encoder.use(build_encoder)

# %% tags=["nbval-check-output"]
print(f"{build_encoder(2).count_params():,} weights")

# %% [markdown]
# ## Exercise 5 · Siamese model (15 points)
# Siamese twins are joined. Here the joint is total: **there is only one encoder**, and the model calls it twice. This is
# not the same as two encoders that are built alike. Those would start apart and drift farther; the same picture would
# land on two different points, and the distance of a picture to itself would not be 0.
#
# In Keras a model or layer *object* carries its weights. Call the same object twice, and both calls share them.

# %% answer="siamese"
def build_siamese(encoder):
    """Siamese model: two pictures -> their two embeddings, stacked.

    encoder: model (batch, 784) -> (batch, dim).
    Returns a model of the inputs [left, right], output (batch, 2, dim).
    """
    ### BEGIN SOLUTION
    left = keras.Input(encoder.input_shape[1:])
    right = keras.Input(encoder.input_shape[1:])
    embeddings = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], embeddings)
    ### END SOLUTION

# %% check="siamese" tags=["nbval-check-output"]
exercises.siamese.check(build_siamese)

# %%
# exercises.siamese.hint()

# %%
build_siamese = exercises.siamese.use(build_siamese)

# %% tags=["nbval-check-output"]
encoder = build_encoder(2)
siamese = build_siamese(encoder)
print(f"encoder: {encoder.count_params():,} weights, siamese model: {siamese.count_params():,}")

# %% [markdown]
# Twice the inputs, and not one weight more.

# %% [markdown]
# ## Training, the classic way
# Everything is there: pairs, model, loss. `pair_batches` turns your row numbers into pictures and the target `same`, and `repeat` begins
# a new epoch when one is over. The classic recipe is plain stochastic gradient descent with a learning rate of
# 0.01. `train` is a short loop round `model.train_on_batch`: it shows a progress bar, keeps the loss curve, and takes snapshots of
# the map on the way, if we tell it what to embed. A step sees about 256 pictures, 128 pairs; `whole_stretches` rounds the number of steps so that
# the loss curve gets 20 equal stretches.

# %%
rng = np.random.default_rng(0)


def classic_batches():
    pairs = classic_pairs(digits.train_labels, 128, rng)
    return pair_batches(digits.train_images, digits.train_labels, pairs)


siamese.compile(keras.optimizers.SGD(0.01), contrastive_loss)
steps = whole_stretches(1000 * sizes.classic_kilo_images / 256)
classic_history = train(siamese, repeat(classic_batches), steps, name="classic")

# %% tags=["nbval-check-output"]
print("steps:", steps)
print("the loss fell to less than half:", classic_history.losses[-1] < 0.5 * classic_history.losses[0])

# %% alt="Scatter of the test digits on the map of the classic recipe, one colour a digit: ten groups, several of which overlap."
test_embeddings = recipes.embed(encoder, digits.test_images)
plotting.scatter(test_embeddings, digits.test_labels, "Classic recipe: test digits")
plt.show()

# %% [markdown]
# A map begins to show. These are *test* digits, which the network has not seen. Some digits have a place of their own; others
# still share one. How good is that, in a number?

# %% [markdown]
# ## Exercise 6 · k-NN score (10 points)
# A loss cannot tell: it depends on the margin, on the pairs, on the scale of the map. So we ask a question that a user would
# ask: **do neighbours agree?** For each test digit find the $k$ nearest *training* digits on the map, let their labels
# vote, and count how often the vote is right.
#
# You may use scikit-learn, or write it by hand. (By hand, mind the memory: a table of all distances between 10,000 test and 60,000
# training digits has 600 million entries. The notebook therefore calls your function with 200 test digits at a time.)

# %% answer="knn"
def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    """Share of test embeddings whose k nearest training embeddings vote for the right label.

    train_embeddings: (n, dim), train_labels: (n,); test_embeddings: (m, dim), test_labels: (m,).
    Returns one number from 0 to 1.
    """
    ### BEGIN SOLUTION
    from sklearn.neighbors import KNeighborsClassifier

    classifier = KNeighborsClassifier(n_neighbors=k).fit(train_embeddings, train_labels)
    return classifier.score(test_embeddings, test_labels)
    ### END SOLUTION

# %% check="knn" tags=["nbval-check-output"]
exercises.knn.check(knn_score)

# %%
# exercises.knn.hint()

# %%
knn_score = exercises.knn.use(knn_score)

# %%
def map_score(encoder):
    train_embeddings = recipes.embed(encoder, digits.train_images)
    test_embeddings = recipes.embed(encoder, digits.test_images)
    count = max(1, len(test_embeddings) // 200)
    blocks = zip(np.array_split(test_embeddings, count), np.array_split(digits.test_labels, count))
    return np.mean([knn_score(train_embeddings, digits.train_labels, *block) for block in blocks])


classic_score = map_score(encoder)
print(f"classic recipe: {classic_score:.1%} of the test digits are among their own kind")

# %% tags=["nbval-check-output"]
print("better than guessing one of ten:", classic_score > 0.3)

# %% [markdown]
# That is after the few steps of this notebook's budget. On all 60,000 digits, with the classic ten epochs, the same recipe reaches 84%
# (`siamese-course train mnist --recipe classic --budget full --out DIR` prints it). Good, and not good enough.
#
# ## A better way to train
# Four changes, each with its reason.
#
# 1. **All pairs of a batch.** A batch of $B$ pictures holds $B(B-1)/2$ pairs. Embed the $B$ pictures once, and compare every one
#    with every other: for $B = 400$ that is 79,800 pairs for the price of 400 forward passes, where the classic way gets 200.
# 2. **Balance.** Average over the similar pairs, average over the different ones, and add the two. Both kinds weigh the same,
#    however many there are.
# 3. **Room to move.** On a plane two groups of points cannot pass each other without mixing, and a digit that starts on the wrong
#    side stays there. The hidden layer has 1,024 dimensions and no such trouble. So it gets a siamese loss of its own, the
#    *supervised contrastive* loss, which compares directions: each picture must find those of its own class among all others in the batch.
# 4. **A better optimizer**, Adam, with a learning rate that rises and falls again; and every picture is moved by up to one
#    pixel each time it is seen, because a 7 that has moved is still a 7.
#
# Note what has *not* changed: the encoder is the same, and it is still only told which pictures belong together. No layer
# anywhere has ten outputs.

# %%
watched = digits.test_images[:: max(1, len(digits.test_images) // 1000)]
watched_labels = digits.test_labels[:: max(1, len(digits.test_labels) // 1000)]
better = recipes.train_course(
    digits.train_images,
    digits.train_labels,
    kilo_images=sizes.course_kilo_images,
    snapshots=6,
    watch=watched,
)

# %%
better_score = map_score(better.encoder)
print(f"classic recipe: {classic_score:.1%}   course recipe: {better_score:.1%}")

# %% tags=["nbval-check-output"]
print("the course recipe is right more often than the classic one:", better_score > classic_score)
print("and in more than 85 of 100 cases:", better_score > 0.85)

# %% tags=["figure-scatter"] alt="Scatter of the test digits on the map of the course recipe, one colour a digit: ten separate islands with a few strays."
test_embeddings = recipes.embed(better.encoder, digits.test_images)
plotting.scatter(test_embeddings, digits.test_labels, "Course recipe: test digits")
plt.show()

# %% [markdown]
# Islands. Look at the few points that lie on the wrong one, and at the bridges between: which digits get mixed up? The
# next chart is the same map as a widget. Move the pointer over a point, and see the digit itself: many of the strays
# would puzzle you, too. (It needs JupyterLab or Colab; on a page without Python behind it, only the chart above is shown.)

# %%
plotting.interactive_scatter(test_embeddings, digits.test_labels, digits.test_images)

# %% [markdown]
# ### How the map came about
# The same 1,000 test digits at six moments of the training, from the random start to the end.

# %% tags=["figure-moments"] alt="The same test digits at six moments of training: a knot in the middle at first, which parts into ten groups."
plotting.moments(better.history.snapshots, watched_labels)
plt.show()

# %% [markdown]
# And with a slider (in JupyterLab and Colab):

# %%
plotting.moments_slider(better.history.snapshots, watched_labels)

# %% tags=["nbval-check-output"]
print("snapshots:", len(better.history.snapshots), "of", watched.shape[0], "digits")
spread = [float(np.std(points)) for points in better.history.snapshots.values()]
print("the map has grown:", spread[-1] > spread[0])

# %% tags=["figure-loss"] alt="Loss of the classic recipe against the training step: it falls fast, then slowly."
plotting.loss_curve({"classic: contrastive": classic_history})
plt.show()

# %% [markdown]
# The classic loss falls fast, then slowly. The two recipes minimise different losses, so their curves cannot be compared. The k-NN
# scores can.

# %% [markdown]
# ## Save it, and load it again
# A model that exists only in memory is lost with the kernel. (The classic example saved after epochs 0 and 5 of 10, so its final weights
# were never kept.) We save the encoder after the last step, load it, and ask for the *same bits*: not nearly the same numbers, but
# the very same.

# %% tags=["nbval-check-output"]
import tempfile

with tempfile.TemporaryDirectory() as folder:
    better.encoder.save(f"{folder}/encoder.keras")
    loaded = keras.saving.load_model(f"{folder}/encoder.keras")
again = recipes.embed(loaded, digits.test_images)
print("bit by bit the same:", np.array_equal(test_embeddings, again))

# %% [markdown]
# ## One example is enough
# Now for what a classifier cannot do. A bank wants to check signatures. A classifier would have one output per customer, and
# every new customer would mean training it again. A siamese network compares: the new customer signs once, that one example is the
# [**reference**](#Glossary), and every later signature is accepted if its distance to the reference is at most a [**threshold**](#Glossary) $\tau$.
#
# We play this with digits. **Two of them, 4 and 7, are taken out of the training data.** The network will never see one. Then we show
# it a single 4 and ask of other digits: is this the same as that?
#
# For this we leave the plane and use 16 dimensions. Two are good for looking at; ten classes fill them, and there is no free
# place left where something new could go.

# %%
new_digits = [4, 7]
known = ~np.isin(digits.train_labels, new_digits)
few = recipes.train_course(
    digits.train_images[known],
    digits.train_labels[known],
    kilo_images=sizes.one_shot_kilo_images,
    dim=16,
)

# %% [markdown]
# ### Where does the threshold come from?
# From pairs whose answer we know, and never from the pictures we want to test on. So we set aside every other test picture of the
# *known* digits, draw balanced pairs from these, and look at their distances. The test below uses the rest.

# %%
set_aside = ~np.isin(digits.test_labels, new_digits) & (np.arange(len(digits.test_labels)) % 2 == 0)
known_labels = digits.test_labels[set_aside]
known_embeddings = recipes.embed(few.encoder, digits.test_images[set_aside])
left, right = next(iter(balanced_pairs(known_labels, len(known_labels), np.random.default_rng(0))))
distances = np.linalg.norm(known_embeddings[left] - known_embeddings[right], axis=1)
same = (known_labels[left] == known_labels[right]).astype(float)

# %% [markdown]
# ## Exercise 7 · One-shot verification (15 points)
# Two small functions. `choose_threshold` finds the $\tau$ at which the most answers are right, and `verify_one_shot` answers
# with it.
#
# What does "most right" mean? The pairs above are balanced, but in the test below, as in life, most queries are *not* the
# same as the reference. With nine different ones to one that is the same, plain accuracy would give 90% to somebody who
# refuses everybody. So we use [**balanced accuracy**](#Glossary): the share of similar pairs that are accepted ($D \le \tau$), the share of
# different pairs that are refused ($D > \tau$), and the mean of the two. Guessing gets 50%. The best threshold is one of the
# distances themselves, since nothing changes between two of them: try each, or a fine grid.

# %% answer="one_shot.choose"
def choose_threshold(distances, same):
    """The threshold with the best balanced accuracy.

    distances: (n,), same: (n,), 1 for a similar pair and 0 for a different one.
    Returns one number.
    """
    ### BEGIN SOLUTION
    def balanced_accuracy(threshold):
        accepted = np.mean(distances[same == 1] <= threshold)
        refused = np.mean(distances[same == 0] > threshold)
        return (accepted + refused) / 2

    candidates = np.quantile(distances, np.linspace(0, 1, 1001), method="nearest")
    return max(candidates, key=balanced_accuracy)
    ### END SOLUTION

# %% answer="one_shot.verify"
def verify_one_shot(reference, queries, threshold):
    """Which queries are the same as the reference?

    reference: (dim,), one embedding; queries: (n, dim); threshold: one number.
    Returns (n,) of True and False: True where the Euclidean distance is at most the threshold.
    """
    ### BEGIN SOLUTION
    distances = np.sqrt(np.sum((queries - reference) ** 2, axis=-1))
    return distances <= threshold
    ### END SOLUTION

# %% check="one_shot" tags=["nbval-check-output"]
exercises.one_shot.check(choose_threshold, verify_one_shot)

# %%
# exercises.one_shot.hint()

# %%
choose_threshold, verify_one_shot = exercises.one_shot.use(choose_threshold, verify_one_shot)

# %% tags=["figure-threshold"] alt="Histograms of the distances of similar and of different pairs, with the chosen threshold between them."
threshold = float(choose_threshold(distances, same))
plotting.distance_histogram(distances, same, threshold)
plt.show()

# %%
tau_accuracy = (np.mean(distances[same == 1] <= threshold) + np.mean(distances[same == 0] > threshold)) / 2
print(f"threshold {threshold:.2f}; balanced accuracy on pairs of known digits {tau_accuracy:.1%}")

# %% tags=["nbval-check-output"]
print("at least 90% on pairs of known digits:", tau_accuracy > 0.9)

# %% [markdown]
# ### The test
# Each new digit gets a single reference, drawn at random from the training pictures. Since one can be lucky or not, we do this 50
# times, each time with another reference, and take the mean.

# %%
def one_shot_accuracy(digit, references=50):
    candidates = np.flatnonzero(digits.train_labels == digit)
    chosen = np.random.default_rng(digit).choice(candidates, references, replace=False)
    queries = recipes.embed(few.encoder, digits.test_images[~set_aside])
    is_digit = digits.test_labels[~set_aside] == digit
    results = []
    for reference in recipes.embed(few.encoder, digits.train_images[chosen]):
        accepted = np.asarray(verify_one_shot(reference, queries, threshold)).astype(bool)
        results.append((accepted[is_digit].mean() + (~accepted[~is_digit]).mean()) / 2)
    return np.mean(results)


one_shot = {digit: one_shot_accuracy(digit) for digit in new_digits}
for digit, accuracy in one_shot.items():
    print(f"a {digit}, recognised from one example: balanced accuracy {accuracy:.1%}")

# %% tags=["nbval-check-output"]
print("well above guessing (50%), without any training on them:", min(one_shot.values()) > 0.6)

# %% [markdown]
# That is less than on the digits it was trained on, and still clearly better than guessing: part of what the network has learned
# holds for digits it has never seen. It is not good enough for a bank. With eight known classes the network has seen little
# variety; as a rule, more *classes* in training help with new ones more than more pictures of each. (Koch et al., below,
# trained on hundreds of kinds of letters.)

# %% [markdown]
# ## Other uses, and other ways to measure
# * **Signatures and handwritten cheques**, as above: one reference a customer, a threshold for acceptance.
# * **Faces at a door, fingerprints**: the same.
# * **Search queries and questions**: do these two mean the same? That is notebook 02.
# * **Sentences**: notebook 03.
#
# The Euclidean distance is not the only choice. The **Manhattan distance** adds absolute differences and is less impressed by
# one large one. The **cosine similarity** compares directions only, and is the habit with texts. Mind that a *similarity* is
# a distance turned round: large means alike. Then everything else turns with it: accept *at or above* the threshold, look for the
# *maximum* where you looked for the minimum, and check each sign in the loss.

# %% [markdown]
# ## You come from an old TensorFlow 1 example?
# Many siamese examples on the web are from 2016 to 2018, and those written for TensorFlow 1 do not run on today's. What to write instead:
#
# | there | here | why |
# |---|---|---|
# | `tf.placeholder`, `feed_dict` | `keras.Input`, arrays passed to the model | TensorFlow 2 runs eagerly, and has no placeholders |
# | `tf.Session().run(train_step)` | `model.fit(...)`, or `model.train_on_batch(...)` in a loop | there is no session any more |
# | `tf.variable_scope(..., reuse=True)` | call the same layer object twice | a layer owns its weights; sharing needs no names |
# | `tf.contrib.layers`, `tf.layers.dense` | `keras.layers.Dense` | `contrib` is gone |
# | `tf.train.GradientDescentOptimizer(0.01)` | `keras.optimizers.SGD(0.01)` | |
# | `tf.examples.tutorials.mnist.input_data` | `load_mnist()` | the module was removed; `one_hot` was of no use here anyway |
# | `tf.train.Saver().save(...)` at some epochs | `model.save("encoder.keras")` at the end | the last weights are the ones you want |
# | `y_ = 1` for similar, in a variable without a name | the argument `same` | see *Which is 1?* above |
# | `tf.sqrt(eucd2 + 1e-6)` | the same, with `ops.sqrt` | the epsilon is still needed |

# %% [markdown]
# ### Your points
# Over all notebooks, as far as you have come on this machine:

# %%
from siamese_course import exercises as checks

checks.progress()

# %% [markdown]
# ## What you can do now
# You have written a distance that survives its own zero, a loss with two wishes, pairs that teach, a model whose halves are
# one, a score for a map, and a verifier that needs a single example. Most of these pieces come back in every siamese network:
# notebook 02 exchanges the pictures for questions and the pairs for triplets, notebook 03 the dense encoder for a transformer.
#
# **To think about**
#
# 1. The margin is 5. What would the map look like with a margin of 50? What would change in the loss, what in the k-NN score?
# 2. With only similar pairs the loss can be brought to exactly 0. How? (It takes no skill at all.)
# 3. A colleague trains on pairs (a, a): each picture with itself, called similar. What do these pairs teach?
#
# **Further reading**
#
# * R. Hadsell, S. Chopra, Y. LeCun (2006). *Dimensionality Reduction by Learning an Invariant Mapping.* CVPR, 1735–1742. The contrastive loss.
# * J. Bromley, I. Guyon, Y. LeCun, E. Säckinger, R. Shah (1993). *Signature Verification using a "Siamese" Time Delay Neural Network.* NIPS 6, 737–744. Where the name comes from.
# * G. Koch, R. Zemel, R. Salakhutdinov (2015). *Siamese Neural Networks for One-shot Image Recognition.* ICML Deep Learning Workshop.
# * P. Khosla et al. (2020). *Supervised Contrastive Learning.* NeurIPS 33, 18661–18673. The loss on the hidden layer.

# %% [markdown]
# ## Glossary
# * **balanced accuracy**: the mean of the share of similar pairs accepted and the share of different pairs refused: guessing gets one half, however rare one kind is.
# * **embedding**: the list of numbers that stands for an input; a point in a space in which distance means something.
# * **encoder**: the network that turns an input into its embedding. Written $G$ here.
# * **epsilon**: a tiny constant that keeps a root or a division away from 0, where its derivative is infinite.
# * **generators**: functions that `yield` one value after the other; here batches, made when they are needed.
# * **margin**: the distance from which a different pair is far enough, and pays nothing any more.
# * **reference**: the one known example of a class in one-shot verification.
# * **siamese network**: two or more inputs, one encoder for all of them, and a loss that compares what comes out.
# * **threshold**: the distance up to which two inputs are taken for the same. It is chosen on data that neither training nor test sees.
