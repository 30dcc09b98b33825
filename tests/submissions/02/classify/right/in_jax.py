def batches(rows, size):
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def pair_similarities(embed, left, right, batch_size):
    parts = []
    for pair in zip(batches(left, batch_size), batches(right, batch_size)):
        v1, v2 = (jnp.array(embed(ids)) for ids in pad_pair(*pair))
        parts.append(jnp.diagonal(jnp.dot(v1, v2.T)))
    return jnp.concatenate(parts)


class Threshold:
    def __init__(self, similarities, same):
        values = np.sort(np.unique(similarities))
        between = np.append((values[1:] + values[:-1]) / 2, values[-1])
        self.value = max(between, key=lambda t: self.accuracy(similarities, same, t))

    @staticmethod
    def accuracy(similarities, same, value):
        return ((similarities > value) == same.astype(bool)).mean()


def evaluate(validation, test):
    chosen = Threshold(*validation).value
    return chosen, Threshold.accuracy(*test, chosen)
