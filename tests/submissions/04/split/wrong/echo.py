# expects: Characters on both sides
def split_alphabets(alphabets, count, rng):
    return alphabets, alphabets
