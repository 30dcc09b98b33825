"""Exchange values between the grader and a submission's process as data, never as code.

A message is a JSON text and a list of byte strings, the contents of its arrays, each preceded by its length.
Values that JSON does not have are objects with a one-letter key:

====  ======================================================================================
key   value
====  ======================================================================================
f     a float, as text, so that NaN and infinity pass
t, d  a tuple; a dictionary, as pairs
a     an array: type, shape, number of its bytes, and its framework (numpy, keras, jax)
s     a NumPy number: type, number of its bytes
r     a random number generator: its state
c, i  a function or an iterator that stays in its process: the number by which to call it
e     another iterable: the name of its type, and a number
o     anything else: the names of its type and of its public attributes
====  ======================================================================================

Nothing is unpickled: whatever a submission answers, it cannot run code in the grader.
"""

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Of a message: its JSON, and all of it. The weights of the largest model in an exercise take 8 MB.
MAX_JSON_BYTES, MAX_MESSAGE_BYTES = 4 << 20, 32 << 20
MAX_PARTS = 10_000
MAX_DEPTH = 20
MAX_ATTRIBUTES = 500
MAX_OBJECTS = (
    1_000  # that are neither numbers, text, arrays nor containers of these: each takes a class
)
KINDS = "biufUS"
KEYS = set("ftdasrcieo")


class WireError(Exception):
    """A message is malformed or too large."""


class Opaque:
    """Replaces an object that cannot be sent; each type becomes a subclass with its name."""


class RemoteIterator:
    """An iterator on the other side; ``advance`` asks it for the next value, or raises StopIteration."""

    def __init__(self, number: int, advance: Callable):
        self._number, self._advance = number, advance

    def __iter__(self) -> "RemoteIterator":
        return self

    def __next__(self) -> Any:
        return self._advance(self._number)


class RemoteIterable(Opaque):
    """Something on the other side that can be looped over; ``begin`` asks for an iterator of it."""

    def __init__(self, number: int, begin: Callable):
        self._number, self._begin = number, begin

    def __iter__(self) -> Iterator:
        return self._begin(self._number)


class Encoder:
    """Turns values into JSON and bytes; stores functions and iterators in ``kept`` by number."""

    def __init__(self, kept: dict[int, object]):
        self.kept = kept
        self.blobs: list[bytes] = []

    def __call__(self, value: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise WireError("the value is nested too deeply")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, np.generic) and value.dtype.kind in KINDS:
            return {"s": [value.dtype.str, self._blob(value.tobytes())]}
        for kind in (int, str):  # and nothing of a subclass's
            if isinstance(value, kind):
                return kind(value)
        if isinstance(value, float):
            return {"f": float.__repr__(value)}
        if isinstance(value, Mapping):
            return {"d": [[self(k, depth + 1), self(v, depth + 1)] for k, v in value.items()]}
        if isinstance(value, tuple):
            return {"t": [self(item, depth + 1) for item in tuple.__iter__(value)]}
        if isinstance(value, list | range):
            return [self(item, depth + 1) for item in value]
        if isinstance(value, np.random.Generator):
            return {"r": self(value.bit_generator.state, depth + 1)}
        if hasattr(value, "__array__") or type(value).__module__.startswith(("tensorflow", "jax")):
            return self._array(value)
        if isinstance(value, Iterator) or hasattr(value, "__next__"):
            return {"i": self._keep(value)}
        if callable(value) and not isinstance(value, type):
            return {"c": self._keep(value)}
        if hasattr(type(value), "__iter__") and not isinstance(value, set | frozenset):
            return {"e": [type(value).__name__, self._keep(value)]}
        return _opaque(value)

    def _array(self, value: Any) -> dict:
        where = type(value).__module__.split(".")[0]
        made_by = {"tensorflow": "keras", "keras": "keras", "jaxlib": "jax", "jax": "jax"}
        try:
            array = np.array(value)
        except Exception:  # whatever a framework or a learner's __array__ raises
            return _opaque(value)
        if array.dtype.name == "bfloat16":
            array = array.astype("float32")
        if array.dtype.kind not in KINDS:
            return _opaque(value)
        blob = self._blob(np.ascontiguousarray(array).tobytes())
        return {"a": [array.dtype.str, list(array.shape), blob, made_by.get(where, "numpy")]}

    def _blob(self, data: bytes) -> int:
        self.blobs.append(data)
        return len(self.blobs) - 1

    def _keep(self, value: object) -> int:
        number = len(self.kept) + 1
        self.kept[number] = value
        return number


def _opaque(value: object) -> dict:
    try:
        attributes = [name for name in dir(value) if not name.startswith("_")][:MAX_ATTRIBUTES]
    except Exception:  # a learner's __dir__ may do anything
        attributes = []
    return {"o": [type(value).__name__, attributes]}


@dataclass
class Decoder:
    """Turns JSON and bytes back into values; raises WireError for what no Encoder writes.

    Args:
        blobs: the message's bytes.
        call, advance, begin: ask the other side, see ``RemoteIterator`` and ``RemoteIterable``.
        tensors: make arrays those of their frameworks again.
    """

    blobs: list[bytes]
    call: Callable
    advance: Callable
    begin: Callable | None = None
    tensors: bool = False
    objects: int = 0

    def __call__(self, data: Any) -> Any:
        if data is None or isinstance(data, bool | int | str):
            return data
        if isinstance(data, list):
            return [self(item) for item in data]
        if not isinstance(data, dict) or len(data) != 1 or not data.keys() <= KEYS:
            raise WireError("not a value")
        [(key, content)] = data.items()
        try:
            return getattr(self, f"_{key}")(content)
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise WireError(f"not a value: {error}") from None

    def _f(self, text: str) -> float:
        return float(text)

    def _t(self, items: list) -> tuple:
        return tuple(self(item) for item in items)

    def _d(self, pairs: list) -> dict:
        return {self(key): self(value) for key, value in pairs}

    def _s(self, content: list) -> np.generic:
        kind, blob = content
        return np.frombuffer(self._bytes(blob), self._dtype(kind))[0]

    def _a(self, content: list) -> Any:
        kind, shape, blob, made_by = content
        array = np.frombuffer(self._bytes(blob), self._dtype(kind)).reshape(shape).copy()
        if self.tensors and made_by == "keras":
            from keras import ops

            return ops.convert_to_tensor(array)
        if self.tensors and made_by == "jax":
            import jax.numpy as jnp

            return jnp.array(array)
        return array

    def _bytes(self, number: int) -> bytes:
        """The bytes with a number, once: a message must not grow by naming them again."""
        data, self.blobs[number] = self.blobs[number], b""
        return data

    def _r(self, state: Any) -> np.random.Generator:
        rng = np.random.default_rng()
        rng.bit_generator.state = self(state)
        return rng

    def _c(self, number: int) -> Callable:
        number = int(number)
        return lambda *args, **kwargs: self.call(number, args, kwargs)

    def _i(self, number: int) -> RemoteIterator:
        return RemoteIterator(int(number), self.advance)

    def _e(self, content: list) -> RemoteIterable:
        name, number = content
        self._count()
        return type(str(name)[:80], (RemoteIterable,), {})(int(number), self.begin)

    def _o(self, content: list) -> Opaque:
        name, attributes = content
        if len(attributes) > MAX_ATTRIBUTES:
            raise WireError("not a value: too many attributes")
        self._count()
        return type(str(name)[:80], (Opaque,), {str(each): None for each in attributes})()

    def _count(self) -> None:
        self.objects += 1
        if self.objects > MAX_OBJECTS:
            raise WireError("too many objects")

    def _dtype(self, text: str) -> np.dtype:
        dtype = np.dtype(str(text))
        if dtype.kind not in KINDS:
            raise WireError(f"not a numeric type: {dtype}")
        return dtype


def mutable(arguments: Sequence) -> list:
    """Return the lists, dictionaries, arrays and random generators among the arguments, and in tuples among them."""
    kinds = list | dict | np.ndarray | np.random.Generator
    found: list = []
    for each in arguments:
        if isinstance(each, kinds):
            found.append(each)
        elif isinstance(each, tuple):
            found += mutable(each)
    return found


def fingerprint(value: Any) -> tuple:
    """Return something that differs if a value has changed."""
    encode = Encoder({})
    return json.dumps(encode(value)), tuple(encode.blobs)


def put_back(old: Any, new: Any) -> None:
    """Copy the contents of a list, dictionary, array or generator into another."""
    if isinstance(old, list):
        for place, (before, after) in enumerate(zip(old, new, strict=False)):
            if isinstance(before, list) and isinstance(after, list):
                put_back(before, after)  # the same object: others may hold it
                new[place] = before
        old[:] = new
    elif isinstance(old, dict):
        old.clear()
        old.update(new)
    elif isinstance(old, np.random.Generator):
        old.bit_generator.state = new.bit_generator.state
    elif old.shape == new.shape:
        old[...] = new


def dumped(header: dict, blobs: Sequence[bytes] = ()) -> bytes:
    """Return a message as bytes.

    Raises:
        WireError: it is too large.
    """
    parts = [json.dumps(header).encode(), *blobs]
    _require_small(len(parts), len(parts[0]), sum(map(len, parts)))
    sized = [struct.pack("<Q", len(part)) + part for part in parts]
    return b"".join([struct.pack("<I", len(parts)), *sized])


def _require_small(count: int, json_bytes: int, all_bytes: int) -> None:
    if json_bytes > MAX_JSON_BYTES or all_bytes > MAX_MESSAGE_BYTES or count > MAX_PARTS:
        limits = f"{MAX_JSON_BYTES >> 20} MiB of values or {MAX_MESSAGE_BYTES >> 20} MiB of arrays"
        raise WireError(f"a message of more than {limits}")


def read(take: Callable[[int], bytes]) -> tuple[dict, list[bytes]]:
    """Receive a message; ``take(n)`` returns n bytes, or raises EOFError or TimeoutError.

    Raises:
        WireError: it is malformed or too large.
    """
    (count,) = struct.unpack("<I", take(4))
    if not 1 <= count <= MAX_PARTS:
        raise WireError("not a message")
    parts: list[bytes] = []
    size = 0
    for _ in range(count):
        (length,) = struct.unpack("<Q", take(8))
        size += length
        _require_small(count, 0 if parts else length, size)
        parts.append(take(length))
    try:
        header = json.loads(parts[0])
    except (ValueError, RecursionError) as error:
        raise WireError(f"not a message: {error}") from None
    if not isinstance(header, dict):
        raise WireError("not a message")
    return header, parts[1:]
