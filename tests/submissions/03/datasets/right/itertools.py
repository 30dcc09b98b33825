from itertools import chain, zip_longest


def pad_rows(ids, filler):
    width = 8 * -(-max(map(len, ids)) // 8)
    columns = zip_longest(*ids, range(width), fillvalue=None)
    table = [list(column)[:-1] for column in columns]
    table = [list(line) for line in zip(*table)]
    return {
        "token_ids": np.array([[filler if i is None else i for i in line] for line in table]),
        "padding_mask": np.array([[0 if i is None else 1 for i in line] for line in table]),
    }


def one_batch(rows, filler):
    flat = pad_rows(list(chain.from_iterable(rows)), filler)
    return {name: np.stack(np.split(array, len(rows))) for name, array in flat.items()}


def batches(columns, labels, size, generator, filler):
    rows = list(zip(*columns))
    while True:
        order = iter(generator.permutation(len(rows)))
        for chosen in zip(*[order] * size):
            chosen = list(chosen)
            yield one_batch([rows[i] for i in chosen], filler), labels[chosen]
