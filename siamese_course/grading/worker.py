"""The submission's processes: they run a learner's cells, and call their functions when the grader asks.

``sandbox`` starts the first one inside a sandbox. It loads the frameworks, and a fork of it, with a connection of
its own, does the work: so the first one never runs a learner's code. Nothing that a fork says is trusted: it is
data that the grader judges.
"""

import ast
import asyncio
import builtins
import contextlib
import ctypes
import gc
import inspect
import io
import linecache
import os
import resource
import socket
import struct
import subprocess
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from siamese_course.exercises import observe
from siamese_course.grading import wire
from siamese_course.runtime.startup import start

# Characters of an error's text, and of a call's output, that are kept
MAX_TEXT = 10_000
TOO_LARGE = "The result is far larger than expected, or far more deeply nested.", "shape"
# What is raised where a value cannot be sent: ValueError for an integer of thousands of digits
NOT_SENT = (wire.WireError, ValueError, MemoryError)
OBSERVERS = compile(Path(observe.__file__).read_text("utf-8"), observe.__file__, "exec")
COURSE = Path(__file__).resolve().parents[2]
COMPILE_FASTER = "--xla_cpu_use_fusion_emitters=false"
DUMPABLE, SUBREAPER = 4, 36  # of prctl

Reply = tuple[dict, list[bytes]]


def confine(options: dict) -> None:
    """Become an unprivileged user, with limits that cannot be raised again."""
    if os.geteuid() == 0 and options["uid"]:
        os.setgroups([])
        os.setgid(options["uid"])
        os.setuid(options["uid"])
    for name, limit in options["limits"].items():
        which = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(which)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(which, (limit, limit))


class Bounded(io.StringIO):
    """Keeps only the beginning of what is printed."""

    def write(self, text: str) -> int:
        room = MAX_TEXT - self.tell()
        if room > 0:
            super().write(str(text)[:room])
        return len(text)


class Shell:
    """What ``get_ipython()`` is to cells: ``x = !command`` has a value, ``%%writefile`` writes, all else does nothing."""

    def getoutput(self, command: str, *unused: Any) -> list[str]:
        """Run a command of the system, and return its lines."""
        none = subprocess.DEVNULL
        done = subprocess.run(command, shell=True, stdin=none, capture_output=True, text=True)
        return done.stdout.splitlines()

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """Write a file that other cells import."""
        if name == "writefile":
            *options, path = line.split()
            with open(path, "a" if "-a" in options else "w", encoding="utf-8") as stream:
                stream.write(cell)

    def __getattr__(self, name: str) -> Callable:
        return lambda *args, **options: None


def kernel_namespace() -> dict[str, Any]:
    """Return a namespace for cells, with the names that a kernel defines."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    shell = Shell()
    module.__dict__.update(__builtins__=builtins, get_ipython=lambda: shell)
    module.__dict__.update(display=lambda *objects, **options: print(*objects))
    module.__dict__.update(In=[""], Out={}, _="")
    return module.__dict__


def run_cell(source: str, name: str, namespace: dict[str, Any]) -> None:
    """Run a cell as a kernel does: it may await, and ``_`` is the value of its last line."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(source, name, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)

    def run(code: types.CodeType) -> Any:
        value = eval(code, namespace)
        return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value

    run(compile(tree, name, "exec", flags, dont_inherit=True))
    if last is not None:
        value = run(compile(last, name, "eval", flags, dont_inherit=True))
        if value is not None:
            namespace["_"] = value


class CallbackError(Exception):
    """A function of the grader raised an exception, which the grader keeps."""

    def __init__(self, number: int):
        super().__init__("a function of the check raised an exception")
        self.number = number


class Worker:
    """Holds the learner's namespace and answers messages."""

    def __init__(self, receive: Callable, send: Callable):
        self.receive, self.send = receive, send
        self.namespace = kernel_namespace()
        self.kept: dict[int, Any] = {}
        self.arguments: dict[
            int, Sequence
        ] = {}  # of iterators: what their function was called with
        # of iterators and functions: the last value, and its fingerprint
        self.given: dict[int | str, tuple] = {}

    def serve(self) -> None:
        """Answer messages until the grader closes the pipe."""
        while True:
            try:
                header, blobs = self.receive()
            except EOFError:
                return
            self._answer(header, blobs)

    def _answer(self, header: dict, blobs: list[bytes]) -> None:
        """Send the reply to a message, with the number by which the grader knows it."""
        try:
            reply, blobs = getattr(self, "do_" + header["op"])(header, blobs)
            self.send(reply | {"to": header["id"]}, blobs)
        except NOT_SENT:
            error = describe(observe.Wrong(*TOO_LARGE))
            self.send({"error": error, "to": header["id"]}, [])

    def do_run(self, header: dict, blobs: list[bytes]) -> Reply:
        """Run a cell."""
        name = f"<ipython-cell-{header['number']}>"
        source = header["source"]
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        return self._attempt(lambda: run_cell(source, name, self.namespace))

    def do_has(self, header: dict, blobs: list[bytes]) -> Reply:
        """List those of the names that are functions."""
        found = [name for name in header["names"] if callable(self.namespace.get(name))]
        return self._value(found)

    def do_call(self, header: dict, blobs: list[bytes]) -> Reply:
        """Call a function: one of the learner's by name, or a stored one by number."""
        target = header["function"]
        function = self.kept[target] if isinstance(target, int) else self.namespace[target]
        args, kwargs = self._decoder(blobs)(header["arguments"])
        call = partial(function, *args, **kwargs)
        work = partial(self._apart, target, call, observe.REUSED_RESULT)
        return self._attempt(work, [*args, *kwargs.values()])

    def do_next(self, header: dict, blobs: list[bytes]) -> Reply:
        """Advance an iterator."""
        number = header["iterator"]
        advance = partial(next, self.kept[number])
        work = partial(self._apart, number, advance, observe.REUSED)
        return self._attempt(work, self.arguments.get(number, ()))

    def _apart(self, source: int | str, work: Callable[[], Any], reused: tuple[str, str]) -> Any:
        """The value of a call; as in a notebook, which holds its values, it must not change the last one."""
        value = work()
        last, before = self.given.get(source, (None, None))
        try:
            self.given[source] = value, wire.fingerprint(value)
        except NOT_SENT:
            raise observe.Wrong(*TOO_LARGE) from None
        if before and wire.fingerprint(last) != before:
            raise observe.Wrong(*reused)
        return value

    def do_iter(self, header: dict, blobs: list[bytes]) -> Reply:
        """Start an iterator of an iterable."""
        number = header["iterable"]
        return self._attempt(lambda: iter(self.kept[number]), self.arguments.get(number, ()))

    def do_observe(self, header: dict, blobs: list[bytes]) -> Reply:
        """Call an observer of the course with the learner's functions, or models as data, and the grader's data."""
        case, models = self._decoder(blobs)(header["arguments"])
        # With models as data, none of the learner's code may run, nor any file that an earlier process wrote
        if models is not None and Path.cwd() != COURSE:
            sys.path[:] = [each for each in sys.path if Path(each).resolve() != Path.cwd()]
        # Not the loaded module, which the learner's code may have changed
        fresh: dict = {"__name__": "observe"}
        exec(OBSERVERS, fresh)
        look = fresh[header["observer"]]

        def seen() -> Any:
            if models is not None:
                return fresh["of_models"](look, models, *case)
            functions = [self.namespace[each] for each in header["functions"]]
            if header["export"]:
                return fresh["with_models"](look, functions, *case)
            return look(*functions, *case)

        return self._attempt(seen)

    def callback(self, number: int, args: tuple, kwargs: dict) -> Any:
        """Ask the grader to call a function of its own."""
        encode = wire.Encoder(self.kept)
        message = {"op": "callback", "number": number, "arguments": encode((args, kwargs))}
        self.send(message, encode.blobs)
        header, blobs = self.receive()
        while "op" in header:  # the grader's function calls one of the learner's
            self._answer(header, blobs)
            header, blobs = self.receive()
        if "raised" in header:
            raise CallbackError(header["raised"])
        return self._decoder(blobs)(header["value"])

    def _decoder(self, blobs: list[bytes]) -> wire.Decoder:
        def advance(number: int) -> None:
            raise TypeError("an iterator of the grader's cannot be used here")

        return wire.Decoder(blobs, self.callback, advance, tensors=True)

    def _attempt(self, work: Callable[[], Any], arguments: Sequence = ()) -> Reply:
        """The reply to a call: its value or its error, what it printed, what it changed."""
        before = [wire.fingerprint(each) for each in wire.mutable(arguments)]
        printed, shown = Bounded(), sys.stdout
        sys.stdout = printed
        try:
            value = work()
        except BaseException as error:  # SystemExit, too: the grader reports it
            header: dict = {"error": describe(error)}
            blobs: list[bytes] = []
        else:
            header, blobs = self._value(value, arguments)
        finally:
            sys.stdout = shown
        changed = [
            (place, each)
            for place, (each, old) in enumerate(zip(wire.mutable(arguments), before, strict=True))
            if wire.fingerprint(each) != old
        ]
        if changed:
            encode = wire.Encoder(self.kept)
            encode.blobs = blobs
            header["changed"] = encode(changed)
        return header | {"printed": printed.getvalue()}, blobs

    def _value(self, value: Any, arguments: Sequence = ()) -> Reply:
        known = set(self.kept)
        encode = wire.Encoder(self.kept)
        header = {"value": encode(value)}
        self.arguments |= dict.fromkeys(set(self.kept) - known, arguments)
        return header, encode.blobs


def describe(error: BaseException) -> dict:
    """An error as data: its types up to Exception, its text, and the line of the learner's cell."""
    frames = traceback.extract_tb(error.__traceback__)
    here = [frame for frame in frames if frame.filename.startswith("<ipython-cell-")]
    where = [here[-1].lineno, here[-1].line] if here else None
    if isinstance(error, SyntaxError) and str(error.filename).startswith("<ipython-cell-"):
        where = [error.lineno, (error.text or "").strip()]
    return {
        "types": [kind.__name__ for kind in type(error).__mro__],
        "text": str(error)[:MAX_TEXT],
        "where": where,
        "tag": str(getattr(error, "tag", ""))[:MAX_TEXT],
        "callback": error.number if isinstance(error, CallbackError) else None,
        "arguments": [each for each in error.args if isinstance(each, str | int)][:3],
    }


def serve(descriptor: int) -> None:
    """Answer the messages of a connection, as the process of a submission."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    connection = socket.socket(fileno=descriptor)
    source, process = connection.makefile("rb"), os.getpid()

    def take(count: int) -> bytes:
        data = source.read(count)
        if len(data) < count:
            raise EOFError
        return data

    def send(*message: Any) -> None:
        if os.getpid() != process:  # a fork made by the learner's code must not answer
            os._exit(1)
        connection.sendall(wire.dumped(*message))

    start()
    Worker(lambda: wire.read(take), send).serve()


def end(child: int, alone: bool) -> int:
    """End the last fork and all that it started; return its exit status.

    Args:
        child: the fork.
        alone: this process and its forks are the only ones that it can see.
    """
    if not child:
        return 0
    ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, 9)
        status = os.waitpid(child, 0)[1]
    with contextlib.suppress(ProcessLookupError):  # there are no others
        os.kill(-1, 9) if alone else os.killpg(child, 9)
    with contextlib.suppress(ChildProcessError):  # until there are no more
        while True:
            for each in Path("/proc/self/task").glob("*/children"):
                for pid in map(int, each.read_text().split()):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, 9)
            os.waitpid(-1, 0)
    return os.waitstatus_to_exitcode(status)


def load(imports: str) -> None:
    """Import Keras, and run these import statements of the course, in half of the usual time.

    TensorFlow and Keras also work without the packages that they look for; cells can import those later. Without
    garbage collection, imports are faster, and what they leave need not be looked at in any fork.
    """
    gc.disable()
    absent = {"jax", "pandas", "sklearn"} - sys.modules.keys()
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    import keras  # noqa: F401

    for name in absent:
        del sys.modules[name]
    with contextlib.suppress(ImportError):  # the cells that need what is missing report it
        exec(imports, {})
    gc.freeze()
    gc.enable()
    if "jax" in sys.modules and knows(COMPILE_FASTER):
        os.environ["XLA_FLAGS"] = COMPILE_FASTER


def knows(flags: str) -> bool:
    """Whether this version of JAX knows these flags of XLA: a process in which it does not ends."""
    child = os.fork()
    if not child:
        try:
            os.environ["XLA_FLAGS"] = flags
            sys.modules["jax"].numpy.zeros(1)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    """Load what every fork needs, then fork whenever the grader asks, and end the fork before."""
    control = socket.socket(fileno=0)
    options, _ = wire.read(lambda count: control.recv(count, socket.MSG_WAITALL))
    confine(options)
    system = ctypes.CDLL(None)
    system.prctl(SUBREAPER, 1, 0, 0, 0)
    system.prctl(DUMPABLE, 0, 0, 0, 0)  # a fork must not read or change the memory of this process
    load(options["imports"])
    control.sendall(struct.pack("<i", 0))
    child = 0
    while True:
        command, descriptors, *_ = socket.recv_fds(control, 1, 1)
        status = end(child, options["alone"])
        child = 0
        if not command:
            return
        if descriptors:
            child = os.fork()
            if not child:
                system.prctl(DUMPABLE, 1, 0, 0, 0)
                control.close()
                try:
                    serve(descriptors[0])
                finally:
                    os._exit(1)
            os.close(descriptors[0])
        control.sendall(struct.pack("<i", status))


if __name__ == "__main__":
    main()
