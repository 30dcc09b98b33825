def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    vectors = np.array(embed(pad(list(map(to_ids, (question1, question2))))))
    (_, similarity), _ = vectors @ vectors.T
    verbose and print(f"The similarity is {similarity}.")
    return True if similarity > threshold else False
