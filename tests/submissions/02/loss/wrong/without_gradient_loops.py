# expects: No gradient flows through your code
def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def triplet_loss(left, right, margin=0.25):
    left, right = np.asarray(left).tolist(), np.asarray(right).tolist()
    total = 0.0
    for i, anchor in enumerate(left):
        positive = dot(anchor, right[i])
        negatives = [dot(anchor, other) for j, other in enumerate(right) if j != i]
        for negative in (max(negatives), sum(negatives) / len(negatives)):
            total += max(0.0, margin - positive + negative)
    return total / len(left)
