# expects: 17 words have ids from 2 to 24; expected 2 to 18, with no ga
# the counter also advances for words that were seen before, so a new word after a repeated one leaves a gap in the ids (not 2, 3, 4 ...)
def build_vocabulary(questions, tokenize):
    words = [word for question in questions for word in tokenize(question)]
    vocabulary = {"<PAD>": 1}
    for number, word in enumerate(words, start=2):
        if word not in vocabulary:
            vocabulary[word] = number
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word, 0) for word in tokenize(question)]
