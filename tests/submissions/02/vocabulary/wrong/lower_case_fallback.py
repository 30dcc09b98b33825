# expects: A word that is not in the vocabulary gets the id of its lower-case form. Unknown words get
# an unknown word gets the id of its lower-case form instead of 0; shown by encoding "Egg" if only "egg" is in the vocabulary.
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
        if word in vocabulary:
            ids.append(vocabulary[word])
        else:
            # At the start of a sentence, a known word may be capitalized
            ids.append(vocabulary.get(word.lower(), 0))
    return ids
