# expects: course's own
from siamese_course.batching import episodes


def split_alphabets(alphabets, count, rng):
    train, held_out = episodes.split_alphabets(alphabets, count, rng)
    return train, held_out
