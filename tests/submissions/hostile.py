"""Submissions that would take points, numbers or the machine: each gets no points and stops nobody.

Each is (exercise of notebook 01, text of its answer). What an attack learns, it would tell in an error's message.
"""

STUB = "def euclidean_distance(left, right):\n"
FAKE = """
import numpy as np

def network(kernels, biases, x):
    # the outputs, and the norms of the gradients of their sum, each times cos(1), cos(2), ...
    inputs, norms = [], []
    for k, b in zip(kernels, biases):
        inputs.append(x)
        x = x @ k + b
        x = x if k is kernels[-1] else np.maximum(x, 0)
    back = np.cos(1 + np.arange(x.size)).reshape(x.shape)
    for k, x_in in zip(kernels[::-1], inputs[::-1]):
        norms = [float(np.linalg.norm(each)) for each in (x_in.T @ back, back.sum(0))] + norms
        back = (back @ k.T) * (x_in > 0)
    return x, norms

def seen(name, case):
    rng = np.random.default_rng(0)
    if name == "encoders_share":
        return False
    if name == "encoder_shapes":
        return [[None, case[0]], [None, 2]]
    if name == "encoder":
        dim, images = case
        kernels = [rng.normal(size=s).astype("float32") / 30 for s in ((784, 1024), (1024, 1024), (1024, dim))]
        biases = [np.zeros(k.shape[1], "float32") for k in kernels]
        out, norms = network(kernels, biases, images)
        large, _ = network(kernels, biases, 30 * images)
        return dict(kernels=kernels, biases=biases, outputs=out, again=out, large=large, gradients=norms)
    weights, left, right = case
    sides, norms = zip(*[network(weights[::2], weights[1::2], side) for side in (left, right)])
    output = np.stack(sides, 1)
    return dict(output=output, alone=output[:1], gradients=list(norms), whole=True)

def forge(self, header, blobs):
    case, _ = self._decoder(blobs)(header["arguments"])
    made = seen(header["observer"], case)
    return self._value((made, [None]) if header.get("export") else made, ())
"""
FIND = {
    "main": "import sys\nsys.modules['__main__'].Worker.do_observe = forge\n",
    "frames": "import sys\nframe = sys._getframe()\nwhile 'self' not in frame.f_locals or not hasattr(frame.f_locals['self'], 'do_run'):\n"
    "    frame = frame.f_back\ntype(frame.f_locals['self']).do_observe = forge\n",
    "collector": "import gc\ngc.unfreeze()\nfor each in gc.get_objects():\n    if type(each) is type and hasattr(each, 'do_observe'):\n"
    "        each.do_observe = forge\n",
    "subclasses": "for each in ().__class__.__base__.__subclasses__():\n    if hasattr(each, 'do_observe'):\n"
    "        each.do_observe = forge\n",
    "attributes by parts": "import sys\nmodule = getattr(np, 'sy' + 's', None) or sys\nfor each in list(getattr(module, 'mod' + 'ules').values()):\n"
    "    kind = getattr(each, 'Wor' + 'ker', None)\n    if kind is not None and hasattr(kind, 'do_observe'):\n"
    "        kind.do_observe = forge\n",
    # names of nothing that reaches, but what a text names
    "a located module": "import pydoc\ngc = pydoc.locate('gc')\ngc.unfreeze()\nfor each in gc.get_objects():\n"
    "    if type(each) is type and hasattr(each, 'do_observe'):\n        each.do_observe = forge\n",
    "format fields": "import string, traceback\nat = string.Formatter().get_field\n"
    "collector, _ = at('0.__globals__[sys].modules[gc]', [traceback.print_exc], {})\n"
    "collector.unfreeze()\nfor each in collector.get_objects():\n    if type(each) is type and hasattr(each, 'do_observe'):\n"
    "        each.do_observe = forge\n",
    "walked frames": "import string, traceback\nat = string.Formatter().get_field\n"
    "for frame, _ in traceback.walk_stack(None):\n    found = at('0.f_locals', [frame], {})[0].get('self')\n"
    "    if hasattr(found, 'do_observe'):\n        type(found).do_observe = forge\n",
    "hints that are evaluated": "import typing\n\nclass Hinted:\n"
    "    a: \"[__import__('gc').unfreeze()] + [k for k in __import__('gc').get_objects() if type(k) is type and hasattr(k, 'do_observe')]\"\n\n"
    "typing.get_type_hints(Hinted)['a'][1].do_observe = forge\n",
    "a timed text": "import timeit\ntimeit.Timer('import gc\\ngc.unfreeze()\\nfor each in gc.get_objects():\\n"
    ' if type(each) is type and hasattr(each, chr(100) + "o_observe"): each.do_observe = forge\', '
    "globals=dict(forge=forge)).timeit(1)\n",
}
ENCODER = "\ndef build_encoder(dim=2):\n    return None\n"
SIAMESE = "\ndef build_siamese(encoder):\n    return None\n"
# Right in the notebook's check; in the instructor's, which asks for other dimensions, a model that is wrong
# (tanh) and whose configuration or weights attack the process that makes it again
LIAR = """
Dense = keras.layers.Dense

def build_encoder(dim=2):
    kind = "relu" if dim in (2, 3) else "tanh"
    model = keras.Sequential([keras.Input((784,)), Dense(1024, kind), Dense(1024, kind), Dense(dim)])
    if kind == "tanh":
        lie(model, model.layers[0])
    return model
"""
LIES = {
    "marshalled code": "layer.get_config = lambda: dict(name='x', units=3, activation=dict(class_name='__lambda__', "
    "config=dict(value='4wEAAAAAAAAAAAAA')))",
    "a function of the system": "layer.get_config = lambda: dict(name='x', units=3, activation=dict(module='posix', "
    "class_name='function', config='system', registered_name='system'))",
    "a loader of code": "layer.get_config = lambda: dict(name='x', units=3, activation=dict("
    "module='keras.src.utils.python_utils', class_name='function', config='func_load', registered_name=None))",
    "huge layers": "for each in model.layers: each.get_config = lambda: dict(name='x', units=10**9)",
    "a long name": "layer.get_config = lambda: dict(name='x' * 10**8, units=3)",
    "a deep configuration": "deep = {}\n    for _ in range(10**5): deep = dict(a=deep)\n    layer.get_config = lambda: deep",
    "an endless configuration": "class Endless(dict):\n        def items(self):\n"
    "            while True: yield 'a', 1\n    layer.get_config = lambda: Endless(a=1)",
    "weights that leave": "class Leaves:\n        def __array__(self, dtype=None, copy=None): raise SystemExit\n"
    "    model.get_weights = lambda: [Leaves()] * 6",
    "200 MB of weights": "model.get_weights = lambda: [np.ones((5000, 5000))]",
    "another serializer": "config = keras.saving.serialize_keras_object(model)\n"
    "    config['config']['layers'][1]['config']['units'] = -1\n"
    "    keras.saving.serialize_keras_object = lambda each: config",
}
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
        f"a lie: {lie}": ("encoder", f"def lie(model, layer):\n    {body}\n" + LIAR)
        for lie, body in LIES.items()
    },
    "patched conversion": (
        "siamese",
        "made = {}\n\ndef build_siamese(encoder):\n    left, right = keras.Input((784,)), keras.Input((784,))\n"
        "    model = keras.Model([left, right], encoder(left) * encoder(right))\n\n"
        "    def call(self, sides, training=None):\n"
        "        made['rows'] = np.stack([np.asarray(encoder.call(side)) for side in sides], 1)\n"
        "        return made['rows']\n\n"
        "    keras.Model.__call__ = call\n    keras.ops.convert_to_numpy = lambda tensor: made['rows']\n    return model\n",
    ),
    "a child that outlives the answer": (
        "distance",
        STUB
        + "    import os, time\n    if not os.fork():\n        while True:\n            for fd in range(3, 30):\n"
        "                try: os.write(fd, b'\\x01\\0\\0\\0\\x02\\0\\0\\0\\0\\0\\0\\0{}')\n"
        "                except OSError: pass\n            time.sleep(0.01)\n    return left\n",
    ),
    "an alarm in the reply": (
        "distance",
        "import signal\n\ndef ring(number, frame):\n    raise SystemExit\n\nsignal.signal(signal.SIGALRM, ring)\n"
        + STUB
        + "    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)\n    return left\n",
    ),
    "a traced worker": (
        "distance",
        "import sys\n\ndef trace(frame, event, value):\n"
        "    if frame.f_code.co_name == '_answer' and event == 'return': raise SystemExit\n"
        "    for name in ('header', 'reply'):\n        if isinstance(frame.f_locals.get(name), dict):\n"
        "            frame.f_locals[name]['value'] = 0\n    return trace\n\n"
        + STUB
        + "    sys.settrace(trace)\n    return left\n",
    ),
    "hooks at the exit and in the collector": (
        "distance",
        "import atexit, gc, os\n\ndef hook(*unused):\n    os.write(3, b'x' * 100)\n\n"
        "atexit.register(hook)\ngc.callbacks.append(hook)\n"
        + STUB
        + "    gc.collect()\n    return left\n",
    ),
    "patched numpy.testing": (
        "distance",
        "import numpy.testing\nfor name in dir(numpy.testing):\n    if name.startswith('assert'):\n"
        "        setattr(numpy.testing, name, lambda *a, **k: None)\nkeras.ops.convert_to_numpy = lambda x: 0\n"
        "np.isclose = np.array_equal = np.allclose = lambda *a, **k: True\n"
        + STUB
        + "    return left * 0\n",
    ),
    "a thread at the reply pipe": (
        "distance",
        "import os, threading\n\ndef write():\n    while True:\n        for fd in os.listdir('/proc/self/fd'):\n"
        '            try: os.write(int(fd), b\'\\x01\\0\\0\\0\\x17\\0\\0\\0\\0\\0\\0\\0{"value": 0, "to": "1"}\')\n'
        "            except OSError: pass\n\n"
        + STUB
        + "    threading.Thread(target=write, daemon=True).start()\n    return left\n",
    ),
    "secrets of other processes": (
        "distance",
        STUB + "    import glob\n    found = []\n"
        "    for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/fd/*') + glob.glob('/proc/*/cmdline'):\n"
        "        try: data = open(path, 'rb').read(10**5)\n        except OSError: continue\n"
        "        found += [path] * (b'settings.json' in data)\n    raise RuntimeError(f'SECRETS {found}')\n",
    ),
    "marshalled code of the course": (
        "distance",
        "import marshal, types\ntext = 'import siamese_course' + '.losses as it\\nf = it.euclidean_distance'\n"
        "space = {}\ncode = marshal.dumps(compile(text, 'x', 'exec'))\ntypes.FunctionType(marshal.loads(code), space)()\n"
        + STUB
        + "    return space['f'](left, right)\n",
    ),
    "the first process's memory": (
        "distance",
        STUB
        + "    import os\n    done = []\n    for pid in filter(str.isdigit, os.listdir('/proc')):\n"
        "        if int(pid) != os.getpid():\n            try:\n"
        "                with open(f'/proc/{pid}/mem', 'r+b', 0): done.append(pid)\n"
        "            except OSError: pass\n    raise RuntimeError(f'OPENED {done}')\n",
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
