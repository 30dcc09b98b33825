"""Exercise 6: a right answer with scikit-learn passes, known mistakes are named."""

from sklearn.neighbors import KNeighborsClassifier

from siamese_course.exercises.mnist_contrastive import knn
from siamese_course.exercises.mnist_contrastive.knn import MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(knn.check(mistake.answer), mistake)


def test_a_right_answer_with_scikit_learn_passes():
    def knn_score(train, train_labels, test, test_labels, k=5):
        return KNeighborsClassifier(k).fit(train, train_labels).score(test, test_labels)

    assert knn.check(knn_score).passed
