class Classic:
    """An epoch that can be looped over."""

    def __init__(self, labels, batch_size, rng):
        self.steps = len(labels) // (2 * batch_size)
        self.batches = np.array_split(rng.permutation(len(labels)), 2 * self.steps)

    def __iter__(self):
        for step in range(self.steps):
            yield list(zip(*zip(self.batches[2 * step], self.batches[2 * step + 1])))


class Balanced:
    def __init__(self, labels, batch_size, rng):
        self.members = {c: np.flatnonzero(labels == c).tolist() for c in set(labels.tolist())}
        self.labels, self.batch_size, self.rng = labels.tolist(), batch_size, rng

    def partner(self, row):
        label = self.labels[row]
        if self.rng.random() < 0.5:
            others = [other for other in self.members[label] if other != row]
        else:
            others = [r for c, members in self.members.items() if c != label for r in members]
        return others[self.rng.integers(len(others))]

    def __iter__(self):
        order = self.rng.permutation(len(self.labels))
        for begin in range(0, len(order), self.batch_size):
            left = order[begin : begin + self.batch_size]
            yield left, [self.partner(row) for row in left]


classic_pairs, balanced_pairs = Classic, Balanced
