# expects: No gradient flows through your code
def real_tokens(states, padding_mask):
    for sentence, mask in zip(np.asarray(states, "float64"), np.asarray(padding_mask)):
        yield [token for token, real in zip(sentence.tolist(), mask) if real]


def mean_pooling(states, padding_mask):
    rows = []
    for tokens in real_tokens(states, padding_mask):
        rows.append([sum(column) / len(tokens) for column in zip(*tokens)])
    return rows


def max_pooling(states, padding_mask):
    return [[max(c) for c in zip(*tokens)] for tokens in real_tokens(states, padding_mask)]


def cls_pooling(states, padding_mask):
    return [tokens[0] for tokens in real_tokens(states, padding_mask)]
