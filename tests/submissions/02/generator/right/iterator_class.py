class Batches:
    def __init__(self, left, right, batch_size, shuffle, rng, pad=1):
        self.left, self.right = left, right
        self.batch_size, self.shuffle, self.rng = batch_size, shuffle, rng
        self.order, self.at, self.pad = [], 0, pad

    def __iter__(self):
        return self

    def next_row(self):
        if self.at == len(self.order):
            n = len(self.left)
            self.order = self.rng.permutation(n) if self.shuffle else np.arange(n)
            self.at = 0
        self.at += 1
        return int(self.order[self.at - 1])

    def __next__(self):
        rows = [self.next_row() for _ in range(self.batch_size)]
        a, b = [self.left[i] for i in rows], [self.right[i] for i in rows]
        length = 1
        while length < max(map(len, a + b)):
            length *= 2
        return self.padded(a, length), self.padded(b, length)

    def padded(self, questions, length):
        return np.stack(
            [np.pad(q, (0, length - len(q)), constant_values=self.pad) for q in questions]
        )


def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    return Batches(left, right, batch_size, shuffle, rng, pad)
