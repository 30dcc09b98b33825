# expects: The result has shape (3, 3); expected ().
def triplet_loss(left, right, margin=0.25):
    return left
