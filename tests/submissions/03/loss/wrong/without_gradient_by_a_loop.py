# expects: No gradient flows through your code
def triplet_loss(targets, embeddings, margin=1.0):
    near, far = triplet_distances(embeddings)
    costs = []
    for d_positive, d_negative in zip(near, far):
        costs.append(max(0.0, float(d_positive) - float(d_negative) + margin))
    return sum(costs) / len(costs)
