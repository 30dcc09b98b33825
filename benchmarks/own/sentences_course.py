"""Train on scored pairs of one's own, then search: the course."""

from siamese_course.own_data import read_own_scores, read_texts, split_scored_pairs
from siamese_course.recipes.sentences import run_pairs

data = split_scored_pairs(read_own_scores("pairs.tsv"), "my pairs")
encoder, report = run_pairs("course", "course_roberta_en", data, "course", pooling="mean")
print("Spearman", report["spearman"])
encoder.save("encoder")

collection, queries = read_texts("collection.txt"), read_texts("queries.txt")
cosines, rows = encoder.search(queries, collection, k=3)
for query, found in zip(queries, rows, strict=True):
    print(query, *(collection[row] for row in found), sep="\t")
