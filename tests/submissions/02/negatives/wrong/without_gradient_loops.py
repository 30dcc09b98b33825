# expects: No gradient flows through your code
def hard_negatives(similarities):
    hardest, mean = [], []
    for i, row in enumerate(np.asarray(similarities).tolist()):
        negatives = row[:i] + row[i + 1 :]
        hardest.append(max(negatives))
        mean.append(sum(negatives) / len(negatives))
    return hardest, mean
