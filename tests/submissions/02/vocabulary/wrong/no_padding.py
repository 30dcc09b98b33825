# expects: `<PAD>` is missing: begin with
def build_vocabulary(questions, tokenize):
    vocabulary = {}
    for question in questions:
        for token in tokenize(question):
            if token not in vocabulary:
                vocabulary[token] = len(vocabulary) + 2
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, 0) for token in tokenize(question)]
