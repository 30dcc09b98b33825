"""Values pass between grader and submission unchanged, and nothing else passes."""

import io
import json
import struct

import numpy as np
import pytest

from siamese_course.grading import wire


def there_and_back(value, tensors=False):
    """A value through an Encoder, JSON and bytes, and a Decoder."""
    kept = {}
    encode = wire.Encoder(kept)
    message = wire.dumped({"value": encode(value)}, encode.blobs)
    header, blobs = wire.read(io.BytesIO(message).read)
    call = lambda number, args, kwargs: kept[number](*args, **kwargs)  # noqa: E731
    decode = wire.Decoder(blobs, call, lambda number: next(kept[number]), tensors=tensors)
    return decode(header["value"])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(10**30),
        1.5,
        float("inf"),
        "ünï 🦦\x00",
        [],
        (),
        [1, (2, [3.0, None])],
        {"a": 1, 2: (3,)},
        range(3),
    ],
    ids=repr,
)
def test_plain_values(value):
    got = there_and_back(value)
    assert got == (list(value) if isinstance(value, range) else value)
    assert type(got) is (list if isinstance(value, range) else type(value))


def test_not_a_number():
    assert np.isnan(there_and_back(float("nan")))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "U3"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3)])
def test_arrays(dtype, shape):
    value = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    got = there_and_back(value)
    assert got.dtype == value.dtype
    np.testing.assert_array_equal(got, value)
    got[...] = got  # may be written to


def test_numpy_numbers_keep_their_type():
    for value in (np.float32(1.5), np.int16(3), np.bool_(True)):
        got = there_and_back(value)
        assert type(got) is type(value)
        assert got == value


def test_arrays_of_objects_do_not_pass():
    assert isinstance(there_and_back(np.array([{}, []], dtype=object)), wire.Opaque)


def test_a_generator_of_random_numbers_goes_on_where_it_was():
    rng = np.random.default_rng(3)
    rng.random(5)
    got = there_and_back(rng)
    assert got.random() == rng.random()


def test_functions_and_iterators_stay_where_they_are():
    assert there_and_back(lambda a, b=1: [a, b])(2, b=3) == [2, 3]
    assert there_and_back(max)([1, 5]) == 5
    assert list(there_and_back(x * x for x in range(3))) == [0, 1, 4]


def test_other_things_are_only_named():
    class Model:
        layers = ()

    got = there_and_back(Model())
    assert type(got).__name__ == "Model"
    assert isinstance(got, wire.Opaque)
    assert hasattr(got, "layers")
    assert not hasattr(got, "weights")


@pytest.mark.parametrize("made", [object, lambda: {}.values()], ids=["named", "looped over"])
def test_few_other_things_fit_into_a_message(made):
    """Each is a new class in the grader."""
    few = there_and_back([made() for _ in range(wire.MAX_OBJECTS)])
    assert len(few) == wire.MAX_OBJECTS
    with pytest.raises(wire.WireError, match="too many objects"):
        there_and_back([made() for _ in range(wire.MAX_OBJECTS + 1)])


class Liar:
    """Says what it is not."""

    shape = (3,)

    def __array__(self, dtype=None, copy=None):
        raise SystemExit

    def __eq__(self, other):
        return True

    __hash__ = None


class Sly(list):
    def __iter__(self):
        return iter([1, 2, 3])

    def __len__(self):
        return 99


def test_objects_that_lie():
    class Exact(float):
        def __repr__(self):
            return "3.0"

    assert there_and_back(Exact(1.0)) == 1.0
    with pytest.raises(SystemExit):  # in the submission's process, and nowhere else
        there_and_back(Liar())
    assert type(there_and_back(Sly([7]))) is list


@pytest.mark.parametrize(
    "header",
    [
        {"a": ["|O", [1], 0, "numpy"]},
        {"a": ["<f4", [10**9], 0, "numpy"]},
        {"a": ["<f4", [-1, 2], 0, "numpy"]},
        {"a": ["<f4", [1], 7, "numpy"]},
        {"a": "x"},
        {"s": ["<f8", 0]},
        {"d": [[[], 1]]},
        {"d": [1]},
        {"x": 1},
        {"a": [], "b": 1},
        {"f": "nothing"},
        {"r": {"d": [["bit_generator", "Evil"]]}},
        {"blobs": 1},
        {"_a": 1},
        {"dtype": "<f4"},
        {"_getattribute__": "call"},
    ],
    ids=json.dumps,
)
def test_what_is_no_value_is_refused(header):
    decode = wire.Decoder([b"\x00\x00\x00\x00"], None, None)
    with pytest.raises(wire.WireError):
        decode(header)


@pytest.mark.parametrize(
    "message",
    [
        b"\x00\x00\x00\x00",
        struct.pack("<I", 2**31),
        struct.pack("<IQ", 1, 2**62),
        struct.pack("<IQ", 1, 3) + b"{{{",
        struct.pack("<IQ", 1, 2) + b"[]",
        struct.pack("<IQ", 1, 200_000) + b"[" * 200_000,
        struct.pack("<IQ", 1, wire.MAX_JSON_BYTES + 1),
        struct.pack("<IQ", 2, 2) + b"{}" + struct.pack("<Q", wire.MAX_MESSAGE_BYTES),
    ],
    ids=[
        "no part",
        "too many parts",
        "too large",
        "no JSON",
        "no header",
        "too deep",
        "too long",
        "too many bytes",
    ],
)
def test_what_is_no_message_is_refused(message):
    with pytest.raises(wire.WireError):
        wire.read(io.BytesIO(message).read)


def test_a_message_cannot_grow_by_naming_its_bytes_again():
    decode = wire.Decoder([bytes(100)], None, None)
    array = {"a": ["|u1", [100], 0, "numpy"]}
    with pytest.raises(wire.WireError):
        decode([array, array])


def test_deep_values_are_refused():
    value = []
    for _ in range(100):
        value = [value]
    with pytest.raises(wire.WireError, match="nested"):
        there_and_back(value)


def test_changes_are_put_back():
    inner = [1, 2]
    lists = [inner, [3]]
    wire.put_back(lists, [[1, 2, 9], [3]])
    assert inner == [1, 2, 9]
    assert lists[0] is inner
    array = np.zeros(3)
    wire.put_back(array, np.arange(3.0))
    assert array.tolist() == [0, 1, 2]
    table = {"a": 1}
    wire.put_back(table, {"b": 2})
    assert table == {"b": 2}
    rng, other = np.random.default_rng(0), np.random.default_rng(1)
    wire.put_back(rng, other)
    assert rng.random() == other.random()
