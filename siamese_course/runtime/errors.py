"""Errors that say what was wrong and what to do about it, without a traceback where a sentence serves."""


class CourseError(Exception):
    """Something a learner can mend: the message names the fault and the remedy."""


class DataError(CourseError):
    """A data file is missing, damaged or not what it should be."""


class NetworkError(DataError):
    """A download could not reach any of its addresses."""
