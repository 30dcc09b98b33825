def classic_pairs(labels, batch_size, rng):
    order = rng.permutation(len(labels)).tolist()
    count = len(labels) // (2 * batch_size) * 2
    epoch = []
    for number in range(0, count, 2):
        left, right = order[number::count], order[number + 1 :: count]
        epoch.append((left[: len(right)], right))
    return epoch


def balanced_pairs(labels, batch_size, rng):
    labels = list(labels)
    order = list(range(len(labels)))
    rng.shuffle(order)
    partners = []
    for row in order:
        wants_similar = rng.integers(2) == 1
        partner = row
        while partner == row or (labels[partner] == labels[row]) != wants_similar:
            partner = int(rng.integers(len(labels)))
        partners.append(partner)
    starts = range(0, len(order), batch_size)
    return [(order[i : i + batch_size], partners[i : i + batch_size]) for i in starts]
