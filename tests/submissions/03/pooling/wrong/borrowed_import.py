# expects: course's own
from siamese_course.models.sentences import pool


def mean_pooling(states, padding_mask):
    return pool(states, padding_mask, "mean")


def max_pooling(states, padding_mask):
    return pool(states, padding_mask, "max")


def cls_pooling(states, padding_mask):
    return pool(states, padding_mask, "cls")
