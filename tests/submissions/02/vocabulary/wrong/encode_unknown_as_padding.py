# expects: Unknown words got the id 1, which is `<PAD>`.
def build_vocabulary(questions, tokenize):
    words = dict.fromkeys(token for question in questions for token in tokenize(question))
    return {"<PAD>": 1, **{word: i for i, word in enumerate(words, 2)}}


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, vocabulary["<PAD>"]) for token in tokenize(question)]
