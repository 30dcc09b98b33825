# expects: A word that is not in the vocabulary gets the id of its lower-case form. Unknown words get
# encode looks up the lower-case form of a word that isn't in the vocabulary, so "Egg" gets the id of "egg" instead of 0 when only "egg" was in the training questions.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for word in tokenize(question):
            if word not in vocabulary:
                vocabulary[word] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    ids = []
    for word in tokenize(question):
        ids.append(vocabulary.get(word, vocabulary.get(word.lower(), 0)))
    return ids
