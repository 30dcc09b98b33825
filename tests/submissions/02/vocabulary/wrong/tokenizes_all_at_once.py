# expects: With a tokenizer that returns each question as one word, the vocabulary is {'<PAD>':
# tokenizes all questions joined into one string, so words at the end of a question come out differently than in encode; shown by a tokenizer that depends on where the string ends, e.g. NLTK's with ["We need eggs etc.", "why not?"] ("etc." instead of "etc" and ".") or lambda s: [s].
def build_vocabulary(questions, tokenize):
    # One call instead of thousands
    words = dict.fromkeys(tokenize(" ".join(questions)))
    vocabulary = {"<PAD>": 1}
    for word in words:
        if word not in vocabulary:
            vocabulary[word] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word, 0) for word in tokenize(question)]
