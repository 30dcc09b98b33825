"""The eight exercises of notebook 04, 100 points."""

from siamese_course.exercises.explain import watch
from siamese_course.exercises.omniglot_one_shot.accuracy import accuracy
from siamese_course.exercises.omniglot_one_shot.batches import batches
from siamese_course.exercises.omniglot_one_shot.episode import episode
from siamese_course.exercises.omniglot_one_shot.mining import mining
from siamese_course.exercises.omniglot_one_shot.prototypes import prototypes
from siamese_course.exercises.omniglot_one_shot.split import split
from siamese_course.exercises.omniglot_one_shot.supervised import supervised
from siamese_course.exercises.omniglot_one_shot.verifier import verifier

EXERCISES = (accuracy, split, episode, batches, verifier, mining, supervised, prototypes)

watch(EXERCISES)
