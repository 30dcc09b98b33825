# expects: course's own
from siamese_course.evaluation import cosine_similarities


def one_shot_accuracy(similarity, runs):
    hits = []
    for run in runs:
        hits.extend(similarity(run.test, run.train).argmax(axis=1) == run.answers)
    return np.mean(hits)
