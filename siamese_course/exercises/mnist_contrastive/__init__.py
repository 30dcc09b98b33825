"""The seven exercises of notebook 01, 100 points."""

from siamese_course.exercises.explain import watch
from siamese_course.exercises.mnist_contrastive.contrastive_loss import contrastive_loss
from siamese_course.exercises.mnist_contrastive.distance import distance
from siamese_course.exercises.mnist_contrastive.encoder import encoder
from siamese_course.exercises.mnist_contrastive.knn import knn
from siamese_course.exercises.mnist_contrastive.one_shot import one_shot
from siamese_course.exercises.mnist_contrastive.pairs import pairs
from siamese_course.exercises.mnist_contrastive.siamese import siamese

EXERCISES = (distance, contrastive_loss, pairs, encoder, siamese, knn, one_shot)

watch(EXERCISES)
