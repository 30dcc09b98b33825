"""Train on scored pairs of one's own, then search: sentence-transformers."""

from pathlib import Path

from datasets import load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    util,
)
from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator
from sentence_transformers.sentence_transformer.losses import CoSENTLoss

pairs = load_dataset("csv", data_files="pairs.tsv", delimiter="\t", split="train")
split = pairs.train_test_split(0.2, seed=0)
model = SentenceTransformer("backbone")
# The rate of benchmarks/sentences.py, found on weights before distillation; the course recipe has 1e-4 and 3 epochs
args = SentenceTransformerTrainingArguments(
    num_train_epochs=4, per_device_train_batch_size=32, learning_rate=3e-4, warmup_steps=0.1
)
loss = CoSENTLoss(model)
SentenceTransformerTrainer(model, args, train_dataset=split["train"], loss=loss).train()
print(EmbeddingSimilarityEvaluator(*split["test"].to_dict().values())(model))
model.save_pretrained("encoder")

collection = Path("collection.txt").read_text().splitlines()
queries = Path("queries.txt").read_text().splitlines()
hits = util.semantic_search(model.encode(queries), model.encode(collection), top_k=3)
for query, found in zip(queries, hits, strict=True):
    print(query, *(collection[hit["corpus_id"]] for hit in found), sep="\t")
