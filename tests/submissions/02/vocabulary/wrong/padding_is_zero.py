# expects: `<PAD>` must have the id 1; here it has 0.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 0}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, 0) for token in tokenize(question)]
