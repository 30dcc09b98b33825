"""Submissions that would take points, numbers or the machine: each gets no points and stops nobody.

Each is (exercise of notebook 01, text of its answer). What an attack learns, it would tell in an error's message.
"""

STUB = "def euclidean_distance(left, right):\n"
FAKE = """
import sys
import numpy as np

def forge(self, header, blobs):
    rng = np.random.default_rng(0)
    name = header["observer"]
    args, _ = self._decoder(blobs)(header["arguments"])
    relu = lambda x: np.maximum(x, 0)
    if name == "encoder_shapes":
        return self._value([[None, args[0]], [None, 2]], ())
    if name == "encoder":
        dim, images = args
        kernels = [rng.normal(size=s).astype("float32") / 30 for s in ((784, 1024), (1024, 1024), (1024, dim))]
        biases = [np.zeros(k.shape[1], "float32") for k in kernels]
        out = relu(relu(images @ kernels[0]) @ kernels[1]) @ kernels[2]
        return self._value(dict(kernels=kernels, biases=biases, outputs=out, again=out), ())
    weights, left, right = args
    sides = []
    for x in (left, right):
        for k, b, last in zip(weights[::2], weights[1::2], (0, 0, 1)):
            x = x @ k + b
            x = x if last else relu(x)
        sides.append(x)
    return self._value(dict(output=np.stack(sides, 1), trained=[True, True]), ())
"""
FIND = {
    "main": "sys.modules['__main__'].Worker.do_observe = forge\n",
    "frames": "frame = sys._getframe()\nwhile 'self' not in frame.f_locals or not hasattr(frame.f_locals['self'], 'do_run'):\n"
    "    frame = frame.f_back\ntype(frame.f_locals['self']).do_observe = forge\n",
    "collector": "import gc\nfor each in gc.get_objects():\n    if type(each) is type and hasattr(each, 'do_observe'):\n"
    "        each.do_observe = forge\n",
    "subclasses": "for each in ().__class__.__base__.__subclasses__():\n    if hasattr(each, 'do_observe'):\n"
    "        each.do_observe = forge\n",
    "attributes by parts": "module = getattr(np, 'sy' + 's', None) or sys\nfor each in list(getattr(module, 'mod' + 'ules').values()):\n"
    "    kind = getattr(each, 'Wor' + 'ker', None)\n    if kind is not None and hasattr(kind, 'do_observe'):\n"
    "        kind.do_observe = forge\n",
}
ENCODER = "\ndef build_encoder(dim=2):\n    return None\n"
SIAMESE = "\ndef build_siamese(encoder):\n    return None\n"
LEAK = (
    "import builtins\n\ndef euclidean_distance(left, right):\n    seen = getattr(builtins, 'seen', [])\n"
    "    builtins.seen = seen + [float(ops.sum(left))]\n    raise RuntimeError(f'SEEN {builtins.seen}')\n"
)
DEEP = "f = " + "lambda: " * 1500 + "0\n"
HOSTILE = {
    "exit at the top": ("distance", "exit()\n" + STUB + "    return left\n"),
    "SystemExit at the top": ("distance", "raise SystemExit\n" + STUB + "    return left\n"),
    "KeyboardInterrupt at the top": (
        "distance",
        "raise KeyboardInterrupt\n" + STUB + "    return left\n",
    ),
    "GeneratorExit in the function": ("distance", STUB + "    raise GeneratorExit\n"),
    "an exception that cannot be shown": (
        "distance",
        "class E(Exception):\n    def __str__(self):\n        raise SystemExit\n\n"
        + STUB
        + "    raise E\n",
    ),
    "nested lambdas": ("distance", DEEP + STUB + "    return left\n"),
    "nested parentheses": (
        "distance",
        "x = " + "(" * 5000 + ")" * 5000 + "\n" + STUB + "    return left\n",
    ),
    "a long sum": ("distance", "x = " + "1+" * 30000 + "1\n" + STUB + "    return left\n"),
    "lone surrogates": ("distance", STUB + "    raise RuntimeError('\\ud800 \\x1b[31m \\x00')\n"),
    "a forged line": (
        "distance",
        'print(\'{"notebooks": 1, "graded_now": 1}\')\n'
        + STUB
        + "    raise RuntimeError('\\n{\"notebooks\": 9}')\n",
    ),
    "importlib and the course": (
        "distance",
        "import importlib\nclass_ = importlib.import_module('siamese_course.losses')\n"
        + STUB
        + "    return class_.euclidean_distance(left, right)\n",
    ),
    "__import__ and the course": (
        "distance",
        STUB
        + "    return __import__('siamese_course.losses').losses.euclidean_distance(left, right)\n",
    ),
    "a class of the course's": (
        "siamese",
        "import importlib\nimages = importlib.import_module('siamese_course.models.images')\n\n"
        "def build_siamese(encoder):\n    return images.build_siamese(encoder)\n",
    ),
    "numbers kept in builtins": ("distance", LEAK),
    "always equal": (
        "distance",
        "class Equal:\n    __array_priority__ = 99\n    def __eq__(self, other): return True\n"
        "    def __array__(self, dtype=None, copy=None): raise SystemExit\n\n"
        + STUB
        + "    return Equal()\n",
    ),
    "patched NumPy": (
        "distance",
        "import numpy\nnumpy.allclose = numpy.array_equal = lambda *a, **k: True\n"
        + STUB
        + "    return left\n",
    ),
    "deep reply": (
        "distance",
        STUB + "    x = []\n    for _ in range(10**5): x = [x]\n    return x\n",
    ),
    "30 MB of lists": ("distance", STUB + "    return [[0]] * 6_000_000\n"),
    "an endless iterable": (
        "distance",
        "class Endless:\n    def __iter__(self):\n        while True: yield 1\n\n"
        + STUB
        + "    return Endless()\n",
    ),
    "an endless list": (
        "distance",
        "class Endless(list):\n    def __iter__(self):\n        while True: yield 1\n\n"
        + STUB
        + "    return Endless()\n",
    ),
    "threads": (
        "distance",
        "import threading\n\ndef spin():\n    while True: pass\n\n"
        + STUB
        + "    for _ in range(50): threading.Thread(target=spin, daemon=True).start()\n    raise RuntimeError('spun')\n",
    ),
    "shared memory": (
        "distance",
        STUB
        + "    import mmap\n    kept = []\n    for _ in range(60):\n        each = mmap.mmap(-1, 100 << 20)\n"
        "        for at in range(0, len(each), 4096): each[at] = 1\n        kept.append(each)\n    raise RuntimeError('6 GB')\n",
    ),
    "forks with memory": (
        "distance",
        STUB
        + "    import os, time\n    for _ in range(3):\n        if not os.fork():\n            kept = bytearray(1700 << 20)\n"
        "            time.sleep(60)\n    time.sleep(4)\n    raise RuntimeError('5 GB')\n",
    ),
    "a new user namespace": (
        "distance",
        STUB
        + "    import ctypes\n    failed = ctypes.CDLL(None, use_errno=True).unshare(0x10000000)\n"
        "    raise RuntimeError(f'namespace {not failed}')\n",
    ),
    "sleeping in every call": ("distance", "import time\n" + STUB + "    time.sleep(1000)\n"),
    "a thread that kills the parent": (
        "distance",
        STUB
        + "    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)\n    raise RuntimeError('killed')\n",
    ),
    "stopping itself": (
        "distance",
        STUB
        + "    import os, signal\n    os.kill(os.getpid(), signal.SIGSTOP)\n    raise RuntimeError('stopped')\n",
    ),
    "closing every file": (
        "distance",
        STUB + "    import os\n    os.closerange(0, 1000)\n    return left\n",
    ),
    "writing replies": (
        "distance",
        STUB
        + "    import os\n    for fd in range(3, 20):\n        try: os.write(fd, b'\\x01\\0\\0\\0\\x02\\0\\0\\0\\0\\0\\0\\0{}' * 9)\n"
        "        except OSError: pass\n    return left\n",
    ),
    "a page in a message": (
        "distance",
        STUB + "    raise RuntimeError('<script>document.title=1</script>')\n",
    ),
    "a formula in a message": (
        "distance",
        "class _(Exception): pass\n_.__name__ = '=cmd|calc'\n" + STUB + "    raise _('=1+1')\n",
    ),
    **{
        f"forged observation: {way}, encoder": ("encoder", FAKE + find + ENCODER)
        for way, find in FIND.items()
    },
    **{
        f"forged observation: {way}, siamese": ("siamese", FAKE + find + SIAMESE)
        for way, find in FIND.items()
    },
}
