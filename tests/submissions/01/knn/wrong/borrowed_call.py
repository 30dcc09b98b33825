# expects: course's own

from siamese_course import evaluation


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    data = (train_embeddings, train_labels, test_embeddings, test_labels)
    return evaluation.knn_score(*data, k=k)
