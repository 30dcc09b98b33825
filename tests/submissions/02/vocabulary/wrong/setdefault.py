# expects: Your code added words to the vocabulary. It must come from the training questions only: a
# encode looks words up with setdefault, which adds every unknown word to the vocabulary; shows for a question with an unknown word
def build_vocabulary(questions, tokenize):
    words = sorted({word for question in questions for word in tokenize(question)})
    vocabulary = {"<PAD>": 1}
    vocabulary.update((word, number) for number, word in enumerate(words, 2))
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.setdefault(word, 0) for word in tokenize(question)]
