"""Find a file of a data set: in SIAMESE_COURSE_DATA, in the cache, or by a verified download.

pooch downloads into a temporary file beside the target, which is compared with the hash and then moved into
place, so that a file under its final name is always complete. An interrupted download starts over.
"""

import errno
import gzip
import shutil
import sys
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pooch
import requests
from tqdm import tqdm

from siamese_course.runtime import settings
from siamese_course.runtime.errors import DataError, DownloadsDisabled, NetworkError
from siamese_course.sources.registry import DataSet, RemoteFile, dataset

ATTEMPTS = 2
TIMEOUT_SECONDS = (5, 20)  # to connect, and between two pieces
ARCHIVE_ERRORS = (tarfile.TarError, zipfile.BadZipFile, EOFError, gzip.BadGzipFile, zlib.error)
OFFLINE_REMEDY = (
    "Check the network, point SIAMESE_COURSE_DATA at a folder that holds the data, "
    "or set SIAMESE_COURSE_DATA=shipped to use the small data that comes with the course."
)


def locate(name: str, filename: str) -> tuple[Path, str]:
    """Return the path of a published file and where it was found.

    Looks in SIAMESE_COURSE_DATA (plain or .gz), then in the cache, then downloads.

    Returns:
        (path, origin): origin is ``SIAMESE_COURSE_DATA``, ``cache`` or ``download``.

    Raises:
        DownloadsDisabled: only shipped data is wanted.
        NetworkError: no address could be reached.
        DataError: a file exists and is damaged, or the disk is full.
    """
    data = dataset(name)
    if path := in_data_directory(data, filename):
        return path, "SIAMESE_COURSE_DATA"
    require_downloads(filename)
    file = data.file(filename)
    origin = "cache" if cache_path(data, file).exists() else "download"
    return fetch_file(data, file), origin


def require_downloads(what: str) -> None:
    """Raise DownloadsDisabled where only shipped data is wanted."""
    if settings.only_shipped_data():
        raise DownloadsDisabled(f"{what}: SIAMESE_COURSE_DATA=shipped turns downloads off.")


def in_data_directory(data: DataSet, filename: str) -> Path | None:
    """Return the file in SIAMESE_COURSE_DATA, with or without .gz, or None."""
    root = settings.data_directory()
    return None if root is None else plain_or_gz(root / data.folder / filename)


def plain_or_gz(path: Path) -> Path | None:
    """Return the file under its plain name or with .gz, whichever exists, or None."""
    plain = path.with_name(path.name.removesuffix(".gz"))
    return next((p for p in (plain, plain.with_name(f"{plain.name}.gz")) if p.is_file()), None)


def cache_path(data: DataSet, file: RemoteFile) -> Path:
    """Return where the cache keeps a file."""
    return settings.cache_directory() / data.folder / file.name


def fetch_file(data: DataSet, file: RemoteFile) -> Path:
    """Return the cached file, verified; download it first if it is missing.

    Raises:
        NetworkError: no address could be reached.
        DataError: the cached file was changed, the download is not the file, or the disk is full.
    """
    target = cache_path(data, file)
    if not target.exists():
        _download(data, file, target)
    expected = file.sha256 or pinned(target)
    if expected and pooch.file_hash(str(target)) != expected:
        raise DataError(
            f"{target} is not the published file: its sha256 is not {expected[:12]}…. "
            f"It was changed after the download. Remedy: siamese-course data fetch {data.name}"
        )
    return target


def unpacked(archive: Path) -> Path:
    """Return the folder in the cache that an archive is unpacked into."""
    return archive.with_name(f"{archive.name.removesuffix('.gz').removesuffix('.tar')}-unpacked")


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a zip or tar archive into a folder, in the place of what was there, completely or not at all.

    Raises:
        DataError: the archive is damaged, or a path in it leads outside the folder.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        inside = Path(temporary) / "content"
        inside.mkdir()
        try:
            if archive.name.endswith(".zip"):
                _unzip(archive, inside)
            else:
                with tarfile.open(archive) as tar:
                    tar.extractall(inside, filter="data")
            if folder.exists():
                shutil.rmtree(folder)
            inside.rename(folder)
        except ARCHIVE_ERRORS as error:
            raise DataError(
                f"{archive} cannot be unpacked: {error}. "
                "Remedy: delete it and run siamese-course data fetch again."
            ) from error
        except OSError as error:
            raise _disk_error(error, folder) from error
    return folder


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as content:
        for name in content.namelist():
            if not (folder / name).resolve().is_relative_to(folder.resolve()):
                raise zipfile.BadZipFile(f"the path {name!r} leads outside the folder")
        content.extractall(folder)


def _download(data: DataSet, file: RemoteFile, target: Path) -> None:
    """Try every address in turn; if none works, report what went wrong with each."""
    _require_space(target, file.size)
    unreachable, damaged = [], []
    for url in file.urls:
        for _ in range(ATTEMPTS):
            try:
                _retrieve(url, file, target)
                return
            except requests.RequestException as error:
                unreachable.append(f"{url}: {_reason(error)}")
                broke_off = isinstance(error, requests.exceptions.ChunkedEncodingError)
                if not broke_off and not _stalled(error):
                    break  # only a transfer that had begun is worth a second attempt
            except DataError as error:
                damaged.append(f"{url}: {_reason(error)}")
                break
            except OSError as error:
                raise _disk_error(error, target) from error
    if damaged:
        raise DataError(
            f"{file.name} of {data.name} could not be downloaded completely, and nothing was kept "
            f"({'; '.join(damaged + unreachable)}). Remedy: use another network. {OFFLINE_REMEDY}"
        )
    raise NetworkError(
        f"{file.name} of {data.name} could not be downloaded ({'; '.join(unreachable)}). {OFFLINE_REMEDY}"
    )


def _retrieve(url: str, file: RemoteFile, target: Path) -> None:
    """Download from one address, and verify the file before it gets its name."""
    pooch.get_logger().setLevel("WARNING")
    # pooch ignores a bar without a total, and sets the real one itself
    size = file.size or 1
    bar = tqdm(desc=file.name, total=size, unit="B", unit_scale=True, file=sys.stdout, delay=0.5)
    downloader = pooch.HTTPDownloader(progressbar=bar, timeout=TIMEOUT_SECONDS)

    def download_and_verify(url: str, output_file: str, pooch_object: Any) -> None:
        try:
            downloader(url, output_file, pooch_object)
        except KeyboardInterrupt:
            bar.close()
            print(f"The download of {file.name} was stopped. Nothing was kept.")
            raise
        _require_content(Path(output_file), file)

    pooch.retrieve(
        url,
        known_hash=None,  # download_and_verify compares it
        fname=target.name,
        path=target.parent,
        downloader=download_and_verify,
    )
    if not file.sha256:  # later runs compare with this first download
        _pin_path(target).write_text(pooch.file_hash(str(target)))


def _require_content(path: Path, file: RemoteFile) -> None:
    """Refuse what is not the file: a web page, another size or hash, an incomplete archive."""
    with path.open("rb") as stream:
        head = stream.read(256).lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html")):
        raise DataError("got a web page, not the file (a login page or a proxy?)")
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        raise DataError(f"got {size:,} bytes, not {file.size:,}")
    if file.sha256 and pooch.file_hash(str(path)) != file.sha256:
        raise DataError("its content does not match the published sha256")
    try:
        if file.name.endswith(".zip"):
            zipfile.ZipFile(path).close()
        elif file.name.endswith(".tar.gz"):
            with tarfile.open(path) as tar:
                tar.getmembers()
    except ARCHIVE_ERRORS as error:
        raise DataError(f"the archive is incomplete: {error}") from error


def _pin_path(target: Path) -> Path:
    return target.with_name(target.name + ".sha256")


def pinned(target: Path) -> str | None:
    """Return the sha256 of the first download of a file without a published one, or None."""
    pin = _pin_path(target)
    return pin.read_text().strip() if pin.exists() else None


def _require_space(target: Path, size: int | None) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _disk_error(error, target) from error
    free = shutil.disk_usage(target.parent).free
    if size is not None and free < size:
        raise DataError(
            f"{target} needs {size:,} bytes, and the disk has {free:,} left. "
            "Free some space, or set SIAMESE_COURSE_CACHE to a folder on another disk."
        )


def _disk_error(error: OSError, target: Path) -> DataError:
    reason = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
    return DataError(
        f"{target} could not be written: {reason}. Nothing was kept. "
        "Free some space, or set SIAMESE_COURSE_CACHE to a folder that can be written."
    )


def _stalled(error: BaseException | None) -> bool:
    """Whether no data came for too long.

    requests raises ReadTimeout before the first piece, and later a ConnectionError about a TimeoutError.
    """
    if isinstance(error, requests.ConnectTimeout):
        return False
    while error is not None and not isinstance(error, requests.ReadTimeout | TimeoutError):
        error = error.__cause__ or error.__context__
    return error is not None


def _reason(error: Exception) -> str:
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"answered with status {error.response.status_code}"
    if _stalled(error):
        return f"the transfer stalled for {TIMEOUT_SECONDS[1]} seconds"
    if isinstance(error, requests.ConnectTimeout):
        return f"no answer within {TIMEOUT_SECONDS[0]} seconds"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the transfer broke off"
    if isinstance(error, requests.ConnectionError):
        return "could not connect"
    return str(error)
