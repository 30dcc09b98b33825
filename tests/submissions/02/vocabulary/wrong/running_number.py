# expects: a word seen again keeps its id
# the counter goes up for words that are known already, too
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    number = 2
    for question in questions:
        for token in tokenize(question):
            vocabulary[token] = number
            number += 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, 0) for token in tokenize(question)]
