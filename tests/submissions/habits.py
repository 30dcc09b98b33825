"""Habits of notebook users: right answers to 01.distance as people write them, each worth full points.

A text is a learner's cells, separated by ``# %%``; the one that defines ``euclidean_distance`` is the answer, the
others are cells of their own around it. ``{formula}`` is the right formula. ``POINTS`` are those of habits that
answer another exercise, too.
"""

FORMULA = "ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + 1e-6)"
PLAIN = "def euclidean_distance(left, right):\n    return {formula}\n"
HABITS = {
    "plain": PLAIN,
    "display in the function": "def euclidean_distance(left, right):\n    display(left)\n    return {formula}\n",
    "help at the end": PLAIN + "ops.sum?\n",
    "help at the start": "?ops.sum\n" + PLAIN,
    "source at the end": PLAIN + "ops.sqrt??\n",
    "shell into a variable": "files = !ls\n" + PLAIN,
    "shell in the answer": "!ls\n" + PLAIN,
    "pip in the answer": "%pip --version\n" + PLAIN,
    "timed statement": PLAIN + "%time 1 + 1\n",
    "timed cell": "%%time\n" + PLAIN,
    "captured cell": "%%capture\n" + PLAIN,
    "timed assignment in a cell before": "%time EPS = 1e-6\n# %%\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n",
    "matplotlib inline": "%matplotlib inline\n" + PLAIN,
    "autoreload": "%load_ext autoreload\n%autoreload 2\n" + PLAIN,
    "await at the top": "import asyncio\nawait asyncio.sleep(0)\n" + PLAIN,
    "await binds what is used": "import asyncio\n\nasync def small():\n    return 1e-6\n\nEPS = await small()\n# %%\n"
    "def euclidean_distance(left, right):\n    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n",
    "star import": "from keras.ops import *\n# %%\ndef euclidean_distance(left, right):\n"
    "    return sqrt(sum(square(left - right), axis=-1) + 1e-6)\n",
    "star import for a model": "from keras.layers import *\n# %%\n" + PLAIN + "# %%\ndef build_encoder(dim=2):\n"
    "    hidden = [Dense(1024, activation='relu') for _ in range(2)]\n"
    "    return keras.Sequential([Input((784,)), *hidden, Dense(dim)])\n",
    "helper below an open hint": "exercises.distance.hint()\n\ndef root(x):\n    return ops.sqrt(x + 1e-6)\n# %%\n"
    "def euclidean_distance(left, right):\n    return root(ops.sum(ops.square(left - right), axis=-1))\n",
    "globals as a dictionary": "globals()['EPS'] = 1e-6\n# %%\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n",
    "exec in a cell": "exec('EPS = 1e-6')\n# %%\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n",
    "global used again later": "EPS = 1e-6\n# %%\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n# %%\nEPS = 5\n",
    "loop reuses a global": "e = 1e-6\n# %%\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + e)\n# %%\nfor e in range(3):\n    pass\n",
    "last result": "1e-6\n# %%\nEPS = _\n# %%\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n",
    "get_ipython": "get_ipython().run_line_magic('matplotlib', 'inline')\n" + PLAIN,
    "prints of debugging": "def euclidean_distance(left, right):\n    print(left.shape, '\\x1b[31mhere\\x1b[0m')\n"
    "    return {formula}\n",
    "typing and a docstring": 'from __future__ import annotations\n\n\ndef euclidean_distance(left: "Tensor", right: Tensor) -> Tensor:\n'
    '    """Mine."""\n    return {formula}\n',
    "lambda": "euclidean_distance = lambda left, right: {formula}\n",
    "tensorflow instead of ops": "import tensorflow as tf\n\n\ndef euclidean_distance(left, right):\n"
    "    return tf.sqrt(tf.reduce_sum(tf.square(left - right), axis=-1) + 1e-6)\n",
    "helper in a cell of its own below": "def euclidean_distance(left, right):\n    return root(left - right)\n# %%\n"
    "def root(difference):\n    return ops.sqrt(ops.sum(ops.square(difference), axis=-1) + 1e-6)\n",
    "a failing line at the end": PLAIN + "print(euclidean_distance(1, 2))\n",
    "an unfinished cell between": PLAIN + "# %%\nfor i in\n# %%\nEPS = 1\n",
    "notebook magics with brackets": "%precision 3\n%config InlineBackend.figure_format = 'retina'\n"
    + PLAIN,
    "shell with a variable": "name = 'x'\n!echo {name} $name\n".replace("{name}", "{{name}}")
    + PLAIN,
    "html cell": "%%html\n<b>Mine</b>\n# %%\n" + PLAIN,
    "bash cell": "%%bash\nls\n# %%\n" + PLAIN,
    "input at the end of a cell": PLAIN + "# %%\nname = input('name? ')\n",
    "plots at once": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n" + PLAIN,
    "decorated": "import functools\n\n\n@functools.lru_cache\ndef eps():\n    return 1e-6\n\n\ndef euclidean_distance(left, right):\n"
    "    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + eps())\n",
    "class with a method": "class Metric:\n    def __call__(self, left, right):\n        return {formula}\n\n\n"
    "euclidean_distance = Metric()\n",
    "conditional definition": "if True:\n    def euclidean_distance(left, right):\n        return {formula}\n",
    "old answer kept as a comment": '"""\ndef euclidean_distance(left, right):\n    return 0\n"""\n'
    + PLAIN,
    "a file written and imported": "%%writefile small.py\nEPS = 1e-6\n# %%\nfrom small import EPS\n# %%\n"
    "def euclidean_distance(left, right):\n    return ops.sqrt(ops.sum(ops.square(left - right), axis=-1) + EPS)\n",
    "calls counted in a global": "calls = 0\n# %%\ndef euclidean_distance(left, right):\n    global calls\n    calls += 1\n"
    "    return {formula}\n",
    "a Greek letter": "ε = 1e-6\n# %%\ndef euclidean_distance(left, right):\n    Δ = left - right\n"
    "    return ops.sqrt(ops.sum(Δ**2, axis=-1) + ε)\n",
    "own tests behind a guard": PLAIN
    + 'if __name__ == "__main__":\n    made = euclidean_distance(np.ones((2, 3)), np.zeros((2, 3)))\n'
    "    assert made.shape == (2,)\n    np.testing.assert_allclose(made, 3**0.5, rtol=1e-3)\n",
    "cleared output": "from IPython.display import Markdown, clear_output, display\n\nclear_output(wait=True)\n"
    "display(Markdown('**distance**'))\n" + PLAIN,
    "semicolon and spaces": "x = 1;\n" + PLAIN + "x;\n\n\n   \n",
}
POINTS = {"star import for a model": 20}


def cells_of(habit: str) -> list[str]:
    """Return the learner's cells of a habit."""
    text = HABITS[habit].replace("{formula}", FORMULA).replace("{{name}}", "{name}")
    return text.split("# %%\n")
