# with a target of 1 the hinge is max(0, 1 - prediction)
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    lead = far - near + (1.0 - margin)
    return keras.losses.Hinge()(ops.ones_like(lead), lead)
