"""Exercise 6: a right answer with scikit-learn passes, known mistakes are named."""

import pytest
from sklearn.neighbors import KNeighborsClassifier

from siamese_course.evaluation import knn_score
from siamese_course.exercises.mnist_contrastive import knn
from siamese_course.exercises.mnist_contrastive.knn import MISTAKES
from tests.exercises.mistakes import cases, require_named


@cases(MISTAKES)
def test_a_known_mistake_is_named(mistake):
    require_named(knn.check(mistake.answer), mistake)


@pytest.mark.parametrize("default", [4, 6])
def test_the_default_is_five_neighbors(default):
    assert not knn.check(lambda *arrays_and_k: knn_score(*[*arrays_and_k, default][:5])).passed


def test_a_right_answer_with_scikit_learn_passes():
    def knn_score(train, train_labels, test, test_labels, k=5):
        return KNeighborsClassifier(k).fit(train, train_labels).score(test, test_labels)

    assert knn.check(knn_score).passed
