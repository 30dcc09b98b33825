"""Exercises with immediate feedback: one folder per notebook, one file per exercise.

from siamese_course.exercises import mnist_contrastive as exercises

exercises.distance.check(euclidean_distance)   # points, and what is wrong
exercises.distance.hint()                      # a first hint; again for the next one
exercises.distance.solution()                  # the course's own answer

exercises.distance.reset()                     # forget its points

progress()                                     # the points of all notebooks so far
reset()                                        # forget all points
"""

from siamese_course.exercises.record import progress, reset

__all__ = ["progress", "reset"]
