"""Training: the loop, the schedules, and Trax's loop, the same for notebooks and recipes."""
