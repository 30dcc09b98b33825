# expects: A row always gets the same partner. Draw each partner at random, from `rng`.
# the similar partner is always the next row of the class instead of drawn at random; shows over several epochs for classes of three or more rows: a row has only one possible similar partner
def classic_pairs(labels, batch_size, rng):
    count = 2 * (len(labels) // (2 * batch_size))
    batches = np.array_split(rng.permutation(len(labels)), count)
    for left, right in zip(batches[0::2], batches[1::2]):
        length = min(len(left), len(right))
        yield left[:length], right[:length]


def balanced_pairs(labels, batch_size, rng):
    labels = np.asarray(labels)
    order = rng.permutation(len(labels))
    coin = rng.random(len(labels)) < 0.5
    partner = np.empty(len(labels), dtype=int)
    for c in np.unique(labels):
        members = np.flatnonzero(labels == c)
        others = np.flatnonzero(labels != c)
        similar = np.roll(members, -1)  # never the row itself
        different = rng.choice(others, len(members))
        partner[members] = np.where(coin[members], similar, different)
    for start in range(0, len(order), batch_size):
        left = order[start : start + batch_size]
        yield left, partner[left]
