import tensorflow as tf


def classic_pairs(y, size, generator):
    count = 2 * (len(y) // (2 * size))
    rows = tf.constant(generator.permutation(len(y)))
    rest = len(y) % count
    batches = tf.split(rows, [len(y) // count + (i < rest) for i in range(count)])
    for i in range(0, count, 2):
        shorter = min(len(batches[i]), len(batches[i + 1]))
        yield batches[i][:shorter], batches[i + 1][:shorter]


def balanced_pairs(y, size, generator):
    order = generator.permutation(len(y))
    right = np.zeros_like(order)
    for i, row in enumerate(order):
        equal = y == y[row]
        mask = equal if generator.random() < 0.5 else np.logical_not(equal)
        mask[row] = False
        right[i] = generator.choice(mask.nonzero()[0])
    dataset = tf.data.Dataset.from_tensor_slices((order, right)).batch(size)
    for left, partners in dataset:
        yield left, partners
