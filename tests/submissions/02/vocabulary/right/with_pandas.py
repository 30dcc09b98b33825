def build_vocabulary(questions, tokenize):
    tokens = pd.Series([token for question in questions for token in tokenize(question)])
    words = tokens.drop_duplicates().tolist()
    return {"<PAD>": 1} | dict(zip(words, range(2, 2 + len(words))))


def encode(question, vocabulary, tokenize):
    tokens = pd.Series(tokenize(question), dtype=object)
    return tokens.map(vocabulary).fillna(0).astype(int).tolist()
