"""The ten exercises of notebook 03, 100 points."""

from siamese_course.exercises.explain import watch
from siamese_course.exercises.sbert_roberta.clusters import clusters
from siamese_course.exercises.sbert_roberta.datasets import datasets
from siamese_course.exercises.sbert_roberta.distances import distances
from siamese_course.exercises.sbert_roberta.loss import loss
from siamese_course.exercises.sbert_roberta.pooling import pooling
from siamese_course.exercises.sbert_roberta.ranking import ranking
from siamese_course.exercises.sbert_roberta.regression import regression
from siamese_course.exercises.sbert_roberta.scaling import scaling
from siamese_course.exercises.sbert_roberta.search import search
from siamese_course.exercises.sbert_roberta.siamese import siamese

EXERCISES = (
    scaling,
    pooling,
    siamese,
    regression,
    datasets,
    distances,
    loss,
    search,
    ranking,
    clusters,
)

watch(EXERCISES)
