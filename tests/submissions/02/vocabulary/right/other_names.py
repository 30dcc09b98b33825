from itertools import chain, count


def build_vocabulary(sentences, cut):
    tokens = chain(["<PAD>"], chain.from_iterable(map(cut, sentences)))
    return dict(zip(dict.fromkeys(tokens), count(1)))


def encode(sentence, numbers, cut):
    return [numbers[word] if word in numbers else 0 for word in cut(sentence)]
