# expects: is missing from the vocabulary.
def build_vocabulary(questions, tokenize):
    return {"<PAD>": 1}


def encode(question, vocabulary, tokenize):
    return [0]
