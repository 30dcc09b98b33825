import tensorflow as tf


def pad_rows(rows, pad_id):
    ragged = tf.ragged.constant(rows, dtype=tf.int32)
    longest = max(len(row) for row in rows)
    shape = [None, 8 * ((longest + 7) // 8)]
    ids = ragged.to_tensor(default_value=pad_id, shape=shape)
    mask = tf.ones_like(ragged).to_tensor(default_value=0, shape=shape)
    return {"token_ids": ids, "padding_mask": mask}


def batches(sides, targets, batch_size, rng, pad_id):
    order = np.arange(len(targets))
    while True:
        rng.shuffle(order)
        for start in range(0, len(order) - batch_size + 1, batch_size):
            rows = order[start : start + batch_size].copy()
            flat = pad_rows([side[row] for row in rows for side in sides], pad_id)
            inputs = {k: tf.reshape(v, (batch_size, len(sides), -1)) for k, v in flat.items()}
            yield inputs, tf.gather(targets, rows)
