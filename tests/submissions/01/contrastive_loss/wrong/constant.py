# expects: A value is off
def contrastive_loss(same, embeddings, margin=5.0):
    return 0.0
