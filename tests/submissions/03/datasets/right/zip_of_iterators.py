import itertools


def batches(sides, targets, batch_size, rng, pad_id):
    for _ in itertools.count():
        order = np.arange(len(targets))
        rng.shuffle(order)
        for chosen in zip(*[iter(order)] * batch_size):
            columns = [[side[row] for row in chosen] for side in sides]
            sentences = list(itertools.chain.from_iterable(zip(*columns)))
            inputs = {
                name: np.reshape(array, (len(chosen), len(sides), array.shape[-1]))
                for name, array in pad_rows(sentences, pad_id).items()
            }
            yield inputs, np.array([targets[row] for row in chosen])
