# expects: Your code added words to the vocabulary. It must come from the training questions only: a
# encode uses setdefault, so every unknown word is added to the vocabulary (with id 0); encoding any question with an unknown word changes the dictionary and its length.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for word in tokenize(question):
            vocabulary.setdefault(word, len(vocabulary) + 1)
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.setdefault(word, 0) for word in tokenize(question)]
