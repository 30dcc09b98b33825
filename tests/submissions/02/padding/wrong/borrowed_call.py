# expects: course's own
def masked_mean(words, values):
    from siamese_course.exercises.quora_triplet.padding import masked_mean as own

    return own(words, values)
