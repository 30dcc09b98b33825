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
