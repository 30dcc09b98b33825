# expects: The result is a `list`; expected numbers.
def pair_similarities(embed, left, right, batch_size):
    return left


def evaluate(validation, test):
    return validation, test
