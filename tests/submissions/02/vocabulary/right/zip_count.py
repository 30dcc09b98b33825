from itertools import chain, count


def build_vocabulary(questions, tokenize):
    words = set(chain.from_iterable(map(tokenize, questions))) - {"<PAD>"}
    return dict(zip(chain(["<PAD>"], sorted(words)), count(1)))


def encode(question, vocabulary, tokenize):
    return [vocabulary[word] if word in vocabulary else 0 for word in tokenize(question)]
