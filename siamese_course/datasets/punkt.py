"""punkt_tab: the sentence data that nltk's ``word_tokenize`` reads."""

from functools import cache
from pathlib import Path

from siamese_course.runtime import settings
from siamese_course.runtime.errors import DownloadsDisabled, NetworkError
from siamese_course.sources.fetch import fetch_file, require_downloads, unpack
from siamese_course.sources.registry import dataset


@cache
def prepare(*, verbose: bool = True) -> bool:
    """Make punkt_tab available to nltk, and return whether it is.

    The data comes from SIAMESE_COURSE_DATA (folder nltk_data), the cache, or a download; its folder is
    put in front of ``nltk.data.path``. Prints why the data is not available, if downloads are allowed.

    Raises:
        DataError: the download, or the file in the cache, is damaged.

    Example:
        >>> tokenize = word_tokenizer(sentence_data=prepare())
    """
    try:
        folder = _folder()
    except NetworkError as error:
        if verbose and not isinstance(error, DownloadsDisabled):
            print(f"word_tokenize runs without its sentence data: {error}")
        return False
    import nltk

    if str(folder) not in nltk.data.path:
        nltk.data.path.insert(0, str(folder))
    return True


def _folder() -> Path:
    """Return the folder that holds tokenizers/punkt_tab."""
    data = dataset("punkt_tab")
    root = settings.data_directory()
    if root and (root / data.folder / "tokenizers" / "punkt_tab").is_dir():
        return root / data.folder
    require_downloads(data.name)
    archive = fetch_file(data, data.files[0])
    tokenizers = archive.with_name("tokenizers")
    if not (tokenizers / "punkt_tab" / "english" / "collocations.tab").is_file():
        unpack(archive, tokenizers)
    return archive.parent
