# expects: The result has shape (4, 6, 5); expected (4, 5)
def mean_pooling(states, padding_mask):
    return states


def max_pooling(states, padding_mask):
    return states


def cls_pooling(states, padding_mask):
    return states
