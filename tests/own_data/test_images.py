"""Images of one's own: every kind is read alike, and what cannot be read is named."""

import os
import sys

import numpy as np
import pytest

from siamese_course import own_data
from siamese_course.runtime.errors import DataError


def write_images(folder, per_class=6):
    from PIL import Image

    for label, name in enumerate(("dark", "light")):
        (folder / name).mkdir(parents=True)
        for number in range(per_class):
            pixels = np.full((8, 10, 3), 100 * label + number, "uint8")
            Image.fromarray(pixels).save(folder / name / f"{number}.png")


def test_images_come_from_folders_and_npz(tmp_path):
    write_images(tmp_path / "photos")
    found = own_data.read_images(tmp_path / "photos")
    assert found.images.shape == (12, 8, 10, 3) and found.classes == ["dark", "light"]
    assert own_data.read_images(tmp_path / "photos", (4, 4), 1).images.shape == (12, 4, 4)
    np.savez(tmp_path / "a.npz", images=found.images, labels=np.repeat(["x", "y"], 6))
    again = own_data.read_images(tmp_path / "a.npz")
    assert np.array_equal(again.images, found.images) and again.classes == ["x", "y"]
    (tmp_path / "photos" / "dark" / "broken.png").write_text("no image")
    with pytest.raises(DataError, match=r"broken.png cannot be read as an image"):
        own_data.read_images(tmp_path / "photos")


def save_image(path, array, mode=None, **options):
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(path, **options)


def test_images_of_every_kind_are_read_alike(tmp_path):
    """A dark square; transparent pixels are white, and 16 bits are not cut off at 255."""
    pixels = np.full((6, 6), 255, "uint8")
    pixels[2:4, 2:4] = 51
    color = np.stack([pixels] * 3, axis=2)
    alpha = np.where(pixels == 255, 0, 255).astype("uint8")
    clear = np.dstack([np.where(alpha[..., None] == 0, 7, color), alpha]).astype("uint8")
    save_image(tmp_path / "rgb.png", color)
    save_image(tmp_path / "rgba.png", clear)
    save_image(tmp_path / "gray_alpha.png", clear, "LA")
    save_image(tmp_path / "palette.png", color, "P")
    save_image(tmp_path / "clear_palette.png", (pixels == 51).astype("uint8"), "P", transparency=0)
    save_image(tmp_path / "16_bits.png", pixels.astype("uint16") * 257)
    save_image(tmp_path / "one_bit.png", pixels == 255)
    found = own_data.read_images(tmp_path)
    assert found.images.shape == (7, 6, 6, 3)
    for name, image in zip(found.names, found.images, strict=True):
        assert np.all(image[0] == 1.0), name
        expected = 51 / 255 if "bit.png" not in name and "clear" not in name else image[2, 2, 0]
        assert image[2, 2] == pytest.approx(expected, abs=0.01) and image[2, 2, 0] < 0.3, name
    save_image(tmp_path / "decimals.tif", pixels.astype("float32") / 255)
    with pytest.raises(DataError, match=r"decimals.tif .*decimal numbers"):
        own_data.read_images(tmp_path)


def test_folders_as_people_have_them(tmp_path, capsys):
    write_images(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "dark" / "notes.txt").write_text("no image")
    (tmp_path / "dark" / "._0.png").write_text("what macOS adds")
    save_image(tmp_path / ".ipynb_checkpoints" / "0.png", np.zeros((4, 4), "uint8"))
    found = own_data.read_images(tmp_path)
    assert (len(found), found.classes) == (12, ["dark", "light"])
    told = capsys.readouterr().out
    assert "no image in empty; left out" in told
    assert "read them as images: 1 .txt.\n" in told
    save_image(tmp_path / "stray.png", np.zeros((4, 4), "uint8"))
    with pytest.raises(DataError, match=r"subfolder a class; stray.png is in none"):
        own_data.split_images(own_data.read_images(tmp_path, (4, 4)))


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs a permission on Windows")
def test_linked_folders_are_read_and_a_loop_ends(tmp_path, capsys):
    write_images(tmp_path / "elsewhere")
    (tmp_path / "photos").mkdir()
    for name in ("dark", "light"):
        (tmp_path / "photos" / name).symlink_to(tmp_path / "elsewhere" / name)
    (tmp_path / "elsewhere" / "dark" / "loop").symlink_to(tmp_path / "photos")
    found = own_data.read_images(tmp_path / "photos")
    assert (len(found), found.classes) == (12, ["dark", "light"])


def test_names_that_are_no_utf_8_can_be_written(tmp_path, capsys):
    try:
        write_images(tmp_path / os.fsdecode(b"caf\xe9"))
        (tmp_path / os.fsdecode(b"th\xe9")).mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    found = own_data.read_images(tmp_path)
    assert found.classes == ["caf?"] and found.names[0] == "caf?/dark/0.png"
    assert "no image in th?; left out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.full((3, 4, 4), 200.0)}, "values from 200 to 200"),
        ({"images": np.full((3, 4, 4), np.nan)}, "images"),
        ({"images": np.zeros(3)}, r"shape \(3,\)"),
        ({"pictures": np.zeros((3, 4, 4))}, "no array 'images'"),
        ({"images": np.array([{}, {}])}, "no array 'images'"),
        ({"images": np.zeros((3, 4, 4)), "labels": np.zeros(2)}, r"3 images and labels .*\(2,\)"),
        ({"images": np.zeros((3, 4, 4)), "labels": np.full(3, np.nan)}, "not NaN"),
        ({"images": np.zeros((3, 4, 4)), "labels": np.array([*"aab"], object)}, r"labels\.astype"),
    ],
)
def test_arrays_that_are_no_images_are_refused(arrays, message, tmp_path):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(DataError, match=message):
        own_data.read_images(tmp_path / "a.npz")


def test_an_array_beside_the_images_may_be_anything(tmp_path):
    np.savez(tmp_path / "a.npz", images=np.zeros((3, 4, 4)), notes=np.array([{}, {}]))
    assert own_data.read_images(tmp_path / "a.npz").labels is None


@pytest.mark.parametrize("content", [b"", b"PK half", b"no zip file at all"])
def test_a_file_that_is_no_archive_is_refused(content, tmp_path):
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"expected an \.npz file"):
        own_data.read_images(tmp_path / "a.npz")


def test_a_damaged_file_is_named(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", images=np.random.default_rng(0).random((9, 9, 9)))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[100:200] = bytes(100)
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"expected an \.npz file"):
        own_data.read_images(tmp_path / "a.npz")
    save_image(tmp_path / "a.webp", np.zeros((4, 4, 3), "uint8"), exif=b"Exif\0\0MM of no TIFF")
    with pytest.raises(DataError, match=r"a.webp cannot be read as an image"):
        own_data.read_image(tmp_path / "a.webp")


def test_copies_of_an_image_are_in_one_split():
    images = np.repeat(np.random.default_rng(0).random((20, 2, 2), "float32"), 3, axis=0)
    data = own_data.Images(images, np.repeat([0, 1], 30), ["a", "b"], [""] * 60)
    train, test = own_data.split_images(data)
    assert not set(train // 3) & set(test // 3) and len(train) + len(test) == 60
    with pytest.raises(DataError, match="'a' has 1 different images"):
        own_data.split_images(own_data.Images(images[:6] * 0, np.repeat([0, 1], 3), ["a", "b"], []))
