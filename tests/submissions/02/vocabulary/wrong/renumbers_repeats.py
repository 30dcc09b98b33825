# expects: Two words, `is` and `why`, have the same id. Give an id to *new* words only, and always th
# a word that occurs again gets a new number, so two words share an id; shown by ["a a b"], where a and b are both 3.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for word in tokenize(question):
            vocabulary[word] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word, 0) for word in tokenize(question)]
