"""Training: the Keras loop, learning rate schedules, and an interruptible Trax loop."""
