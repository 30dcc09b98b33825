# expects: course's own
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    return losses.supervised_contrastive_loss(labels, embeddings, temperature=temperature)
