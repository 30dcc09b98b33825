# expects: is not in the vocabulary and stopped your code.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            if token not in vocabulary:
                vocabulary[token] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary[token] for token in tokenize(question)]
