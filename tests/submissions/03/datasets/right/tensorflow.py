import tensorflow as tf


def batches(sides, targets, batch_size, rng, pad_id):
    order = np.arange(len(targets))
    while True:
        rng.shuffle(order)
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size].copy()
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {k: tf.reshape(v, (batch_size, len(sides), -1)) for k, v in flat.items()}
            yield inputs, tf.gather(targets, rows)
