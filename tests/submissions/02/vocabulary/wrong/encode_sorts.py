# expects: The ids are sorted.
def build_vocabulary(questions, tokenize):
    words = dict.fromkeys(token for question in questions for token in tokenize(question))
    return {"<PAD>": 1, **{word: i for i, word in enumerate(words, 2)}}


def encode(question, vocabulary, tokenize):
    return sorted(vocabulary.get(token, 0) for token in tokenize(question))
