# expects: These are counts: how often each word occurs.
from collections import Counter


def build_vocabulary(questions, tokenize):
    vocabulary = Counter()
    for question in questions:
        vocabulary.update(tokenize(question))
    vocabulary["<PAD>"] = 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word, 0) for word in tokenize(question)]
