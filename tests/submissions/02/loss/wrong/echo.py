# expects: The result has shape (3, 6); expected one number.
def triplet_loss(left, right, margin=0.25):
    return left
