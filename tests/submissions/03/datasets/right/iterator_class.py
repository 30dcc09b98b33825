def pad_rows(rows, pad_id):
    """The mask is where the ids are no padding."""
    length = int(-(max(len(row) for row in rows) // -8)) * 8
    padded = [np.pad(row, (0, length - len(row)), constant_values=pad_id) for row in rows]
    ids = np.vstack(padded).astype("int32")
    return {"token_ids": ids, "padding_mask": (ids != pad_id).astype("int32")}


class batches:
    def __init__(self, sides, targets, batch_size, rng, pad_id):
        self.rows = list(zip(*sides))
        self.targets = targets
        self.batch_size, self.rng, self.pad_id = batch_size, rng, pad_id
        self.waiting = []

    def __iter__(self):
        return self

    def __next__(self):
        if len(self.waiting) < self.batch_size:
            self.waiting = self.rng.permutation(len(self.rows)).tolist()
        chosen = [self.waiting.pop() for _ in range(self.batch_size)]
        flat = pad_rows([sentence for i in chosen for sentence in self.rows[i]], self.pad_id)
        shape = (self.batch_size, len(self.rows[0]), -1)
        return {k: v.reshape(shape) for k, v in flat.items()}, self.targets[chosen]
