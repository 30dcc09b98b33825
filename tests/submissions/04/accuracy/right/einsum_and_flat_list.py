def cosine_similarities(queries, references):
    queries, references = (np.asarray(rows, dtype=float) for rows in (queries, references))
    dots = np.einsum("qd,rd->qr", queries, references)
    squares = [np.einsum("nd,nd->n", rows, rows) for rows in (queries, references)]
    return dots / np.maximum(np.sqrt(np.outer(*squares)), 1e-12)


def one_shot_accuracy(similarity, runs):
    hits = [
        int(chosen) == int(answer)
        for run in runs
        for chosen, answer in zip(np.argmax(np.asarray(similarity(run.test, run.train)), axis=1), run.answers)
    ]
    return sum(hits) / len(hits)
