# expects: course's own
classic_pairs, balanced_pairs = exercises.pairs.reference
