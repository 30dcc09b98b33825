def hard_negatives(similarities):
    closest, mean = [], []
    for i, row in enumerate(np.asarray(similarities).tolist()):
        negatives = row[:i] + row[i + 1 :]
        closest.append(max(negatives))
        mean.append(sum(negatives) / len(negatives))
    return closest, mean
