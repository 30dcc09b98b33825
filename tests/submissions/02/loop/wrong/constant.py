# expects: The result is a `float`; expected a `training.Loop`.
def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    return 0.5
