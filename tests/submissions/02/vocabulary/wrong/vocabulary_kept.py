# expects: Use the arguments of each call
kept = {}


def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def encode(question, vocabulary, tokenize):
    vocabulary = kept.setdefault("vocabulary", vocabulary)
    return [vocabulary.get(token, 0) for token in tokenize(question)]
