import math


def cosine_similarities(queries, references):
    table = []
    for q in queries:
        row = []
        for r in references:
            length = math.sqrt(sum(x * x for x in q)) * math.sqrt(sum(x * x for x in r))
            row.append(sum(x * y for x, y in zip(q, r)) / length if length > 0 else 0.0)
        table.append(row)
    return np.array(table)


def one_shot_accuracy(similarity, runs):
    right = trials = 0
    for run in runs:
        table = similarity(run.test, run.train)
        for row, answer in zip(table, run.answers):
            right += int(np.argmax(row)) == int(answer)
            trials += 1
    return right / trials
