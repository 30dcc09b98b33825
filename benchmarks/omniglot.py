"""Omniglot: the course recipe beside the classic one and beside pytorch-metric-learning, at a share of the full training.

The peer has the same encoder, batches, distortions, optimizer and schedule, and its own supervised contrastive
loss. Its weights are then copied into the course's encoder, so that all are scored by the same function. The
clock runs from plain arrays to trained weights, building and compiling included, and stops for the score.
"""

import time

import numpy as np

from benchmarks.common import fingerprint
from siamese_course.datasets.omniglot import Omniglot, load_omniglot

EPSILON = 1e-3  # Keras' own for batch normalization, a hundred times PyTorch's


def data_of(data: Omniglot) -> str:
    """The mark of the drawings and runs that the sides must share."""
    return fingerprint(data.background.images[::100], data.run_indices)


def report(data: Omniglot, seconds: float, similarity, steps: int, losses: list[float]) -> dict:
    """What a side returns."""
    from siamese_course.evaluation import one_shot_accuracy

    return {
        "seconds": seconds,
        "one-shot accuracy": one_shot_accuracy(similarity, data.runs),
        "steps": steps,
        "data": data_of(data),
        "losses": losses,
    }


def steps_of(share: float, recipe: str) -> int:
    """Steps of a recipe at a share of its full training."""
    from siamese_course.runtime import settings
    from siamese_course.training.loop import round_steps

    return round_steps(share * getattr(settings.omniglot_sizes("full"), f"{recipe}_steps"))


def recipe(name: str, share: float, seed: int) -> dict:
    """A recipe of the course at a share of its full steps; its learning rate falls to zero at the end."""
    from siamese_course.recipes import omniglot

    data = load_omniglot(verbose=False)
    train = omniglot.TRAINERS[name]
    started = time.perf_counter()
    run = train(data.background, steps=steps_of(share, name), seed=seed, verbose=False)
    seconds = time.perf_counter() - started
    return report(data, seconds, run.similarity, run.steps, run.history.losses)


def course(share: float, seed: int = 0) -> dict:
    """The course recipe."""
    return recipe("course", share, seed)


def classic(share: float, seed: int = 0) -> dict:
    """The classic recipe."""
    return recipe("classic", share, seed)


def peer(share: float, seed: int = 0) -> dict:
    """pytorch-metric-learning's loss on the course's encoder in PyTorch."""
    import torch
    from pytorch_metric_learning import losses

    from siamese_course.batching.episodes import class_batches, distort, rotated_classes
    from siamese_course.recipes import omniglot
    from siamese_course.recipes.image_encoders import build_character_encoder
    from siamese_course.training.schedules import OneCycle

    data, steps = load_omniglot(verbose=False), steps_of(share, "course")
    rng = np.random.default_rng(seed)
    started = time.perf_counter()
    torch.manual_seed(seed)
    encoder = torch_encoder()
    loss_of = losses.SupConLoss(omniglot.TEMPERATURE)
    optimizer = torch.optim.AdamW(
        encoder.parameters(),
        lr=1.0,
        betas=(0.9, 0.99),
        eps=1e-7,
        weight_decay=omniglot.WEIGHT_DECAY,
    )
    cycle = OneCycle(omniglot.PEAK_LEARNING_RATE, steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: float(cycle(step)))
    drawings = rotated_classes(data.background.images)
    batches = class_batches(drawings, rng, classes=omniglot.CLASSES, per_class=omniglot.PER_CLASS)
    history = []
    for _ in range(steps):
        images, labels = next(batches)
        images = torch.from_numpy(distort(images, rng)).permute(0, 3, 1, 2)
        loss = loss_of(encoder(images), torch.from_numpy(labels))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        history.append(float(loss.detach()))
    seconds = time.perf_counter() - started
    same = build_character_encoder()
    copy_weights(encoder, same)
    intervals = [float(np.mean(part)) for part in np.array_split(history, min(20, steps))]
    return report(data, seconds, omniglot.view_similarity(same), steps, intervals)


def torch_encoder():
    """``build_character_encoder`` in PyTorch: (batch, 1, 28, 28) -> (batch, 128)."""
    from torch import nn

    class ChannelsLast(nn.Module):
        def forward(self, images):
            return images.permute(0, 2, 3, 1)

    parts, before = [], 1
    for number, channels in enumerate((32, 64, 128, 128)):
        if number == 0:
            # Keras' "same" for a stride of 2
            parts += [nn.ZeroPad2d((1, 2, 1, 2)), nn.Conv2d(1, channels, 5, stride=2, bias=False)]
        else:
            parts.append(nn.Conv2d(before, channels, 3, padding=1, bias=False))
        nn.init.kaiming_normal_(parts[-1].weight, nonlinearity="relu")
        parts += [nn.BatchNorm2d(channels, eps=EPSILON, momentum=0.05), nn.ReLU()]
        if number in (1, 2):
            parts.append(nn.MaxPool2d(2, ceil_mode=True))
        before = channels
    last = nn.Linear(4 * 4 * before, 128)
    nn.init.xavier_uniform_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*parts, ChannelsLast(), nn.Flatten(), last)


def copy_weights(torch_model, keras_model) -> None:
    """Copy the weights of ``torch_encoder`` into ``build_character_encoder``, layer by layer."""
    values = []
    for part in torch_model:
        kind = type(part).__name__
        if kind == "Conv2d":
            values.append(part.weight.permute(2, 3, 1, 0))
        elif kind == "BatchNorm2d":
            values += [part.weight, part.bias, part.running_mean, part.running_var]
        elif kind == "Linear":
            values += [part.weight.T, part.bias]
    keras_model.set_weights([value.detach().numpy() for value in values])
