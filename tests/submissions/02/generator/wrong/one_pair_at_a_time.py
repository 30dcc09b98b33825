# expects: A side of a batch has shape
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    while True:
        for i in rng.permutation(len(left)) if shuffle else range(len(left)):
            length = 2 ** int(np.ceil(np.log2(max(len(left[i]), len(right[i])))))
            a = left[i] + [1] * (length - len(left[i]))
            b = right[i] + [1] * (length - len(right[i]))
            yield np.array(a), np.array(b)
