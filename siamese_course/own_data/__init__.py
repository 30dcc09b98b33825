"""Data of one's own: images in folders or .npz files, and tables of questions, sentences or triplets.

=============  =====================================================================================
data           layout
=============  =====================================================================================
images         a folder with one subfolder a class; or .npz with ``images``, and ``labels`` to train
questions      a table with the columns question1, question2, is_duplicate (1 or 0)
sentences      a table with the columns sentence1, sentence2, score (0 to 5, or 0 to 1)
triplets       a table with the columns anchor, positive, negative
a collection   a text file with one item a line, a table with a column to choose, or images
=============  =====================================================================================

A table is .tsv, .csv (with commas, or with semicolons), .jsonl or .parquet; .tsv and .csv may be compressed as .gz.
"""

from siamese_course.own_data.images import Images, read_image, read_images, split_images
from siamese_course.own_data.questions import read_question_pairs, split_question_pairs
from siamese_course.own_data.sentences import (
    read_own_scores,
    read_own_triplets,
    split_scored_pairs,
    split_triplets,
)
from siamese_course.own_data.tables import read_texts, require_lines

__all__ = [
    "Images",
    "read_image",
    "read_images",
    "read_own_scores",
    "read_own_triplets",
    "read_question_pairs",
    "read_texts",
    "require_lines",
    "split_images",
    "split_question_pairs",
    "split_scored_pairs",
    "split_triplets",
]
