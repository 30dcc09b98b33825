# expects: With a tokenizer that returns each question
# cuts as the check's tokenizer does, whatever tokenizer is given
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for word in question.replace("-", " - ").split():
            if word not in vocabulary:
                vocabulary[word] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word, 0) for word in question.replace("-", " - ").split()]
