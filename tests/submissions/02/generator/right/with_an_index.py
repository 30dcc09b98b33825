# the published version, with its index set back to 0
def data_generator(Q1, Q2, batch_size, shuffle, rng, pad=1):
    input1, input2 = [], []
    idx = 0
    question_indexes = list(range(len(Q1)))
    if shuffle:
        rng.shuffle(question_indexes)
    while True:
        if idx >= len(Q1):
            idx = 0
            if shuffle:
                rng.shuffle(question_indexes)
        input1.append(Q1[question_indexes[idx]])
        input2.append(Q2[question_indexes[idx]])
        idx += 1
        if len(input1) == batch_size:
            max_len = max(max(len(q) for q in input1), max(len(q) for q in input2))
            max_len = 2 ** int(np.ceil(np.log2(max_len)))
            b1, b2 = [], []
            for q1, q2 in zip(input1, input2):
                b1.append(q1 + [pad] * (max_len - len(q1)))
                b2.append(q2 + [pad] * (max_len - len(q2)))
            yield np.array(b1), np.array(b2)
            input1, input2 = [], []
