"""``siamese-course search``, ``duplicates``, ``cluster`` and ``map``: use an encoder on a collection."""

import base64
import html
import io
import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from siamese_course.cli.options import TRAINED, console
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import whole_folder, write_whole
from siamese_course.runtime.quiet import quiet_stderr
from siamese_course.runtime.startup import halve_cores

if TYPE_CHECKING:
    import numpy as np

    from siamese_course.models.encoder import Encoder
    from siamese_course.models.images import ImageEncoder
    from siamese_course.own_data import Images

Folder = Annotated[Path, typer.Argument(help=TRAINED)]
Items = Annotated[
    Path,
    typer.Argument(help="texts, one per line; a table, with --column; a folder or .npz of images"),
]
Column = Annotated[str | None, typer.Option(help="the column of a table that holds the texts")]
AsJson = Annotated[bool, typer.Option("--json", help="one JSON object per line instead of a table")]
COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777")
THUMBNAIL = 32


class Collection(NamedTuple):
    """Items with their names, what an encoder embeds, and their classes, if any."""

    names: list[str]
    items: Any
    labels: list[str] | None

    def __len__(self) -> int:
        return len(self.names)


def load_encoder(folder: Path) -> "Encoder":
    """The encoder of any kind in a folder, with the sentence data that a classic question encoder was trained with."""
    halve_cores()
    with quiet_stderr():
        if (folder / "encoder.json").is_file():
            from siamese_course.recipes import questions

            return questions.load(folder)
        from siamese_course.models import encoder

        return encoder.load(folder)


def is_images(path: Path) -> bool:
    """Whether a collection is one of images."""
    return path.is_dir() or path.suffix == ".npz"


def read_images_for(encoder: "ImageEncoder", path: Path) -> "Images":
    """Images of a folder or .npz file, in the shape that the encoder takes."""
    from siamese_course import own_data
    from siamese_course.models.images import fit_shape

    found = own_data.read_images(path, encoder.size, encoder.channels)
    try:
        fit_shape(found.images, encoder.model)
    except ValueError as error:
        raise CourseError(f"{path} does not fit the encoder: {error}.") from error
    return found


def read_collection(path: Path, encoder: "Encoder", column: str | None = None) -> Collection:
    """Texts or images, whichever the encoder takes."""
    from siamese_course import own_data
    from siamese_course.models.images import ImageEncoder

    if not path.exists():
        raise CourseError(f"{path} does not exist.")
    if isinstance(encoder, ImageEncoder) != is_images(path):
        kinds = ("images", "texts") if isinstance(encoder, ImageEncoder) else ("texts", "images")
        raise CourseError(f"The encoder is for {kinds[0]}, and {path} holds {kinds[1]}.")
    if isinstance(encoder, ImageEncoder):
        data = read_images_for(encoder, path)
        labels = None if data.labels is None else [data.classes[label] for label in data.labels]
        return Collection(data.names, data.images, labels)
    texts = own_data.read_texts(path, column)
    return Collection(texts, texts, None)


def notices(as_json: bool) -> AbstractContextManager:
    """Have what is printed before the results go to stderr, if the results are JSON lines."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def show(rows: Iterable[dict[str, Any]], as_json: bool) -> None:
    """Print rows as a table, or as JSON lines."""
    if as_json:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
        return
    from rich.markup import escape
    from rich.table import Table

    table: Table | None = None
    for row in rows:
        table = table or Table(*row)
        # Not as markup: a text may contain square brackets
        table.add_row(*(escape(str(value)) for value in row.values()))
    console.print(table or "nothing found")


def search(
    folder: Folder,
    collection: Items,
    queries: Annotated[list[str], typer.Argument(help="texts, or files of images")],
    k: Annotated[int, typer.Option(help="items for each query", min=1)] = 5,
    column: Column = None,
    as_json: AsJson = False,
) -> None:
    """Find the items of a collection that are most similar to each query."""
    import numpy as np

    from siamese_course.models.images import ImageEncoder
    from siamese_course.own_data import read_image

    with notices(as_json):
        encoder = load_encoder(folder)
        found = read_collection(collection, encoder, column)
        wanted: Any = queries
        if isinstance(encoder, ImageEncoder):
            size = encoder.size or found.items.shape[1:3]
            if len(size) < 2:
                raise CourseError(
                    "The encoder was trained on flat images, and cannot read image files."
                )
            files = map(Path, queries)
            wanted = np.stack([read_image(file, size, encoder.channels) for file in files])
        cosines, indices = encoder.search(wanted, found.items, min(k, len(found)))
    show(
        (
            {
                "query": query,
                "rank": rank,
                "cosine": round(float(cosine), 4),
                "item": found.names[index],
            }
            for query, row, places in zip(queries, cosines, indices, strict=True)
            for rank, (cosine, index) in enumerate(zip(row, places, strict=True), 1)
        ),
        as_json,
    )


def duplicates(
    folder: Folder,
    collection: Items,
    top: Annotated[int, typer.Option(help="pairs to list", min=1)] = 20,
    column: Column = None,
    as_json: AsJson = False,
) -> None:
    """List the most similar pairs of a collection."""
    from siamese_course.search import mine_pairs

    with notices(as_json):
        encoder = load_encoder(folder)
        found = read_collection(collection, encoder, column)
        if len(found) < 2:
            raise CourseError(f"{collection} holds one item; a pair needs two.")
        top = min(top, len(found) * (len(found) - 1) // 2)
        pairs = zip(*mine_pairs(encoder.encode(found.items), top), strict=True)
    show(
        (
            {"cosine": round(float(s), 4), "left": found.names[a], "right": found.names[b]}
            for s, a, b in pairs
        ),
        as_json,
    )


def cluster(
    folder: Folder,
    collection: Items,
    k: Annotated[int, typer.Option(help="number of clusters", min=1)] = 10,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1)] = 0,
    column: Column = None,
    as_json: AsJson = False,
) -> None:
    """Group a collection by k-means."""
    import numpy as np

    from siamese_course.search import cluster as k_means

    with notices(as_json):
        encoder = load_encoder(folder)
        found = read_collection(collection, encoder, column)
        if k > len(found):
            raise CourseError(f"--k is {k}, and {collection} holds {len(found)} items.")
        labels = k_means(encoder.encode(found.items), k, seed)
    order = np.argsort(labels, kind="stable")
    show(({"cluster": int(labels[i]), "item": found.names[i]} for i in order), as_json)


def draw_map(
    folder: Folder,
    collection: Items,
    out: Annotated[Path, typer.Option(help="the HTML page to write")] = Path("map.html"),
    k: Annotated[
        int, typer.Option(help="clusters to color, where there are no classes", min=1)
    ] = 7,
    column: Column = None,
    projector: Annotated[
        Path | None, typer.Option(help="folder for the files of TensorBoard's Embedding Projector")
    ] = None,
) -> None:
    """Draw a collection as a map, an HTML page whose points show their items; print one JSON object."""
    import numpy as np

    from siamese_course.search import cluster as k_means

    with notices(as_json=True):
        encoder = load_encoder(folder)
        found = read_collection(collection, encoder, column)
        rows = encoder.encode(found.items)
    names = found.labels or [str(n) for n in k_means(rows, min(k, len(found)), restarts=1)]
    images = found.items if isinstance(found.items, np.ndarray) else None
    write_page(out, _plane(rows), found.names, names, images)
    if projector:
        write_projector(projector, rows, found, images)
    print(json.dumps({"items": len(found), "dim": rows.shape[1], "page": str(out)}))


def _plane(rows: "np.ndarray") -> "np.ndarray":
    """Two dimensions of the embeddings: as they are, or by t-SNE, or their two largest components."""
    import numpy as np
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    if rows.shape[1] == 2:
        return rows
    # scikit-learn's t-SNE fails on one column, and crashes where all rows are equal
    if len(rows) < 8 or rows.shape[1] == 1 or (rows == rows[0]).all():
        few = PCA(min(2, *rows.shape)).fit_transform(rows)
        return np.pad(few, ((0, 0), (0, 2 - few.shape[1])))
    return TSNE(perplexity=min(30, len(rows) // 4), init="pca", random_state=0).fit_transform(rows)


def _thumbnail(image: "np.ndarray") -> "Any":
    import numpy as np
    from PIL import Image

    if image.ndim == 1:
        side = round(len(image) ** 0.5)
        image = image[: side * side].reshape(side, side)
    pixels = (255 * np.squeeze(image)).astype("uint8")
    return Image.fromarray(pixels).convert("RGB").resize((THUMBNAIL, THUMBNAIL))


def write_page(
    path: Path,
    points: "np.ndarray",
    names: Sequence[str],
    groups: Sequence[str],
    images: "np.ndarray | None",
) -> None:
    """Write points as one HTML page without scripts; a point under the mouse shows its item."""
    import numpy as np

    low, high = points.min(axis=0), points.max(axis=0)
    places = 20 + 760 * (points - low) / np.maximum(high - low, 1e-9)
    color_of = {group: COLORS[i % len(COLORS)] for i, group in enumerate(dict.fromkeys(groups))}
    drawn = []
    for i, (x, y) in enumerate(places):
        title = f"<title>{html.escape(names[i])} ({html.escape(groups[i])})</title>"
        if images is None:
            color = color_of[groups[i]]
            drawn.append(
                f'<circle cx="{x:.1f}" cy="{800 - y:.1f}" r="5" fill="{color}">{title}</circle>'
            )
            continue
        stream = io.BytesIO()
        _thumbnail(images[i]).save(stream, "PNG")
        data = base64.b64encode(stream.getvalue()).decode()
        drawn.append(
            f'<image x="{x - 12:.1f}" y="{788 - y:.1f}" width="24" height="24" '
            f'href="data:image/png;base64,{data}">{title}</image>'
        )
    legend = " ".join(
        f'<span style="color:{color}">&#9679;</span> {html.escape(group)}'
        for group, color in color_of.items()
    )
    page = (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Map of embeddings</title>'
        '<body style="font-family:sans-serif"><svg viewBox="0 0 800 800" width="800" role="img" '
        f'aria-label="{len(names)} items on a map">{"".join(drawn)}</svg><p>{legend}</p></body></html>\n'
    )
    try:
        write_whole(path, page)
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from error


def write_projector(
    folder: Path, rows: "np.ndarray", found: Collection, images: "np.ndarray | None"
) -> None:
    """Write what TensorBoard's Embedding Projector reads: vectors, metadata, and a sprite of the images."""
    import numpy as np

    names = [" ".join(name.split()) for name in found.names]
    lines = names
    if found.labels:
        lines = ["item\tclass", *map("\t".join, zip(names, found.labels, strict=True))]
    config = 'embeddings {\n  tensor_path: "vectors.tsv"\n  metadata_path: "metadata.tsv"\n'
    with whole_folder(folder) as part:
        np.savetxt(part / "vectors.tsv", rows, "%.6g", "\t")
        (part / "metadata.tsv").write_text("\n".join(lines) + "\n", "utf-8")
        if images is not None:
            from PIL import Image

            side = int(np.ceil(len(images) ** 0.5))
            sprite = Image.new("RGB", (side * THUMBNAIL, side * THUMBNAIL))
            for i, image in enumerate(images):
                sprite.paste(_thumbnail(image), (i % side * THUMBNAIL, i // side * THUMBNAIL))
            sprite.save(part / "sprite.png")
            config += (
                '  sprite {\n    image_path: "sprite.png"\n'
                f"    single_image_dim: {THUMBNAIL}\n    single_image_dim: {THUMBNAIL}\n  }}\n"
            )
        (part / "projector_config.pbtxt").write_text(config + "}\n")


def embed_collection(path: Path, folder: Path, out: Path, column: str | None) -> dict[str, Any]:
    """Embed a collection whole: embeddings.npy and items.tsv in a folder, and the projector's files."""
    import numpy as np

    encoder = load_encoder(folder)
    found = read_collection(path, encoder, column)
    rows = encoder.encode(found.items)
    with whole_folder(out) as part:
        np.save(part / "embeddings.npy", rows)
        names = "\n".join(" ".join(name.split()) for name in found.names)
        (part / "items.tsv").write_text(names + "\n", "utf-8")
    images = found.items if isinstance(found.items, np.ndarray) else None
    write_projector(out / "projector", rows, found, images)
    print(f"{len(rows)} items", file=sys.stderr)
    return {"items": len(rows), "dim": rows.shape[1]}
