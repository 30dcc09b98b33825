"""Train an embedding on folders of images of one's own, then find nearest neighbors: pytorch-metric-learning."""

import torch
from datasets import load_dataset
from pytorch_metric_learning.losses import SupConLoss
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
from pytorch_metric_learning.utils.inference import InferenceModel
from torch import nn

data = load_dataset("imagefolder", data_dir="photos", split="train").with_format("torch")
queries = load_dataset("imagefolder", data_dir="queries", split="train").with_format("torch")
split = data.train_test_split(0.2, seed=0, stratify_by_column="label")
layers = nn.Flatten(), nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 32)
model, loss_of = nn.Sequential(*layers), SupConLoss()
optimizer = torch.optim.Adam(model.parameters())
loader = torch.utils.data.DataLoader(list(split["train"]), batch_size=100, shuffle=True)
for _ in range(15):
    for batch in loader:
        optimizer.zero_grad()
        loss_of(model(batch["image"] / 255), batch["label"]).backward()
        optimizer.step()
inference = InferenceModel(model)
train, test = (
    (inference.get_embeddings(part[:]["image"] / 255), part[:]["label"])
    for part in (split["train"], split["test"])
)
print(AccuracyCalculator(("precision_at_1",), k=1).get_accuracy(*test, *train))
torch.save(model.state_dict(), "encoder.pt")

inference.train_knn(data[:]["image"] / 255)
distances, neighbors = inference.get_nearest_neighbors(queries[:]["image"] / 255, k=3)
for label, found in zip(queries[:]["label"], neighbors, strict=True):
    print(int(label), *data[:]["label"][found].tolist(), sep="\t")
