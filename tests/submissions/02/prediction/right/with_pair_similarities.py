def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    left, right = [to_ids(question1)], [to_ids(question2)]
    similarity = pair_similarities(embed, left, right, batch_size=1)
    if verbose:
        print("cosine", similarity.round(3))
    return bool(similarity[0] > threshold)
