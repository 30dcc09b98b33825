"""The submission's process: it runs a learner's cells, and calls their functions when the grader asks.

``sandbox`` starts it inside a sandbox; it communicates only over its standard input and output. Nothing here
is trusted: its output is data that the grader judges.
"""

import builtins
import io
import linecache
import os
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from siamese_course.exercises import observe
from siamese_course.grading import wire

# Characters of a call's output that are kept
MAX_PRINTED = 10_000

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
        room = MAX_PRINTED - self.tell()
        if room > 0:
            super().write(str(text)[:room])
        return len(text)


class CallbackError(Exception):
    """A function of the grader raised an exception, which the grader keeps."""

    def __init__(self, number: int):
        super().__init__("a function of the check raised an exception")
        self.number = number


class Worker:
    """Holds the learner's namespace and answers messages."""

    def __init__(self, receive: Callable, send: Callable):
        self.receive, self.send = receive, send
        self.namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
        self.kept: dict[int, Any] = {}
        self.observers = compile(
            Path(observe.__file__).read_text("utf-8"), observe.__file__, "exec"
        )
        self.arguments: dict[int, tuple] = {}  # of iterators: what their function was called with
        self.drawn: dict[int, tuple] = {}  # of iterators: the last value, and its fingerprint

    def serve(self) -> None:
        """Answer messages until the grader closes the pipe."""
        while True:
            try:
                header, blobs = self.receive()
            except EOFError:
                return
            reply = getattr(self, "do_" + header["op"])
            self.send(*reply(header, blobs))

    def do_run(self, header: dict, blobs: list[bytes]) -> Reply:
        """Run a cell."""
        name = f"<ipython-cell-{header['number']}>"
        source = header["source"]
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        return self._attempt(lambda: exec(compile(source, name, "exec"), self.namespace), ())

    def do_has(self, header: dict, blobs: list[bytes]) -> Reply:
        """List those of the names that are functions."""
        found = [name for name in header["names"] if callable(self.namespace.get(name))]
        return self._value(found, ())

    def do_call(self, header: dict, blobs: list[bytes]) -> Reply:
        """Call a function: one of the learner's by name, or a stored one by number."""
        target = header["function"]
        function = self.kept[target] if isinstance(target, int) else self.namespace[target]
        args, kwargs = self._decoder(blobs)(header["arguments"])
        return self._attempt(lambda: function(*args, **kwargs), (args, kwargs))

    def do_next(self, header: dict, blobs: list[bytes]) -> Reply:
        """Advance an iterator; as in a notebook, which holds its values, it must not change the last one."""
        number = header["iterator"]

        def advance() -> Any:
            value = next(self.kept[number])
            last, before = self.drawn.get(number, (None, None))
            if before and wire.fingerprint(last) != before:
                raise observe.Wrong(*observe.REUSED)
            self.drawn[number] = value, wire.fingerprint(value)
            return value

        return self._attempt(advance, self.arguments.get(number, ()))

    def do_iter(self, header: dict, blobs: list[bytes]) -> Reply:
        """Start an iterator of an iterable."""
        number = header["iterable"]
        return self._attempt(lambda: iter(self.kept[number]), self.arguments.get(number, ()))

    def do_observe(self, header: dict, blobs: list[bytes]) -> Reply:
        """Call an observer of the course with the learner's functions and the grader's data."""
        functions = [self.namespace[each] for each in header["functions"]]
        args, kwargs = self._decoder(blobs)(header["arguments"])
        fresh: dict = {
            "__name__": "observe"
        }  # not the loaded module, which the learner's code may have changed
        exec(self.observers, fresh)
        return self._attempt(lambda: fresh[header["observer"]](*functions, *args, **kwargs), ())

    def callback(self, number: int, args: tuple, kwargs: dict) -> Any:
        """Ask the grader to call a function of its own."""
        encode = wire.Encoder(self.kept)
        self.send(
            {"op": "callback", "number": number, "arguments": encode((args, kwargs))}, encode.blobs
        )
        header, blobs = self.receive()
        while "op" in header:  # the grader's function calls one of the learner's
            self.send(*getattr(self, "do_" + header["op"])(header, blobs))
            header, blobs = self.receive()
        if "raised" in header:
            raise CallbackError(header["raised"])
        return self._decoder(blobs)(header["value"])

    def _decoder(self, blobs: list[bytes]) -> wire.Decoder:
        def advance(number: int) -> None:
            raise TypeError("an iterator of the grader's cannot be used here")

        return wire.Decoder(blobs, self.callback, advance, tensors=True)

    def _attempt(self, work: Callable[[], Any], arguments: tuple) -> Reply:
        """The reply to a call: its value or its error, what it printed, what it changed."""
        before = [wire.fingerprint(each) for each in _mutable(arguments)]
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
            for place, (each, old) in enumerate(zip(_mutable(arguments), before, strict=True))
            if wire.fingerprint(each) != old
        ]
        if changed:
            encode = wire.Encoder(self.kept)
            encode.blobs = blobs
            header["changed"] = encode(changed)
        return header | {"printed": printed.getvalue()}, blobs

    def _value(self, value: Any, arguments: tuple) -> Reply:
        known = set(self.kept)
        encode = wire.Encoder(self.kept)
        header = {"value": encode(value)}
        for number in set(self.kept) - known:
            self.arguments[number] = arguments
        return header, encode.blobs


def _mutable(arguments: tuple) -> list:
    """The arguments that a function could change."""
    if not arguments:
        return []
    args, kwargs = arguments
    return wire.mutable([*args, *kwargs.values()])


def describe(error: BaseException) -> dict:
    """An error as data: its types up to Exception, its text, and the line of the learner's cell."""
    frames = traceback.extract_tb(error.__traceback__)
    here = [frame for frame in frames if frame.filename.startswith("<ipython-cell-")]
    where = [here[-1].lineno, here[-1].line] if here else None
    if isinstance(error, SyntaxError) and str(error.filename).startswith("<ipython-cell-"):
        where = [error.lineno, (error.text or "").strip()]
    return {
        "types": [kind.__name__ for kind in type(error).__mro__],
        "text": str(error)[:MAX_PRINTED],
        "where": where,
        "callback": error.number if isinstance(error, CallbackError) else None,
        "arguments": [each for each in error.args if isinstance(each, str | int)][:3],
    }


def main() -> None:
    """Reserve standard input and output for the grader's messages, and serve."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)

    def take(count: int) -> bytes:
        data = source.read(count)
        if len(data) < count:
            raise EOFError
        return data

    options, _ = wire.read(take)
    confine(options)
    from siamese_course.runtime.startup import start

    start()
    wire.write(sink, {"ready": True}, [])
    process = os.getpid()

    def send(*message: Any) -> None:
        if os.getpid() != process:  # a fork made by the learner's code must not answer
            os._exit(1)
        wire.write(sink, *message)

    Worker(lambda: wire.read(take), send).serve()


if __name__ == "__main__":
    main()
