from collections import defaultdict


def build_vocabulary(questions, tokenize):
    vocabulary = defaultdict(lambda: len(vocabulary) + 1)
    for word in ["<PAD>"] + [token for q in questions for token in tokenize(q)]:
        vocabulary[word]
    return dict(vocabulary)


def encode(question, vocabulary, tokenize):
    lookup = defaultdict(int, vocabulary)
    return tuple(lookup[token] for token in tokenize(question))
