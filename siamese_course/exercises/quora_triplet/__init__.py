"""The thirteen exercises of notebook 02, 100 points."""

from siamese_course.exercises.explain import watch
from siamese_course.exercises.quora_triplet.classify import classify
from siamese_course.exercises.quora_triplet.false_negatives import false_negatives
from siamese_course.exercises.quora_triplet.generator import generator
from siamese_course.exercises.quora_triplet.loop import loop
from siamese_course.exercises.quora_triplet.loss import loss
from siamese_course.exercises.quora_triplet.negatives import negatives
from siamese_course.exercises.quora_triplet.padding import padding
from siamese_course.exercises.quora_triplet.prediction import prediction
from siamese_course.exercises.quora_triplet.siamese import siamese
from siamese_course.exercises.quora_triplet.similarity import similarity
from siamese_course.exercises.quora_triplet.softmax import softmax
from siamese_course.exercises.quora_triplet.token_vectors import token_vectors
from siamese_course.exercises.quora_triplet.vocabulary import vocabulary

EXERCISES = (
    vocabulary,
    generator,
    similarity,
    negatives,
    loss,
    siamese,
    loop,
    classify,
    padding,
    false_negatives,
    softmax,
    token_vectors,
    prediction,
)

watch(EXERCISES)
