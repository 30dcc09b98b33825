# expects: course's own
def pair_similarities(embed, left, right, batch_size):
    return recipes.pair_similarities(embed, left, right, batch_size)


def evaluate(validation, test):
    threshold = evaluation.choose_similarity_threshold(*validation)
    return threshold, evaluation.accuracy_at(*test, threshold)
