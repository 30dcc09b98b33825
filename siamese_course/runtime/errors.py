"""Errors that say what is wrong and what to do about it, without a traceback."""


class CourseError(Exception):
    """A fault that the user can fix: the message names it and the remedy."""


class DataError(CourseError):
    """A data file is missing, damaged or not what it should be."""


class NetworkError(DataError):
    """A download could not reach any of its addresses."""


class DownloadsDisabled(NetworkError):
    """SIAMESE_COURSE_DATA=shipped turns downloads off, so there was nothing to try."""
