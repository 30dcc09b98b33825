# expects: course's own
def prototypical_loss(labels, embeddings, shots=1):
    return losses.prototypical_loss(labels, embeddings, shots=shots)
