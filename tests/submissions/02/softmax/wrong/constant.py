# expects: A value is off
def softmax_loss(targets, embeddings, *, temperature=0.1):
    return 1.0
