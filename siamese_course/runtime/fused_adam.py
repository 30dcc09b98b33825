"""Keras's Adam on TensorFlow as one operation a variable instead of twenty.

It saves time in every step of a small model, and while the step is traced.
"""

from typing import Any

import keras


def fuse(optimizer: Any) -> None:
    """Let an optimizer of Keras update each variable in one operation of TensorFlow, if it is plain Adam.

    The updates are those of Kingma and Ba (2015), arXiv:1412.6980, with "epsilon hat" of section 2, up to rounding as
    in Keras. Only where a token occurs more than once in a batch Keras differs: it adds up the squares of the
    token's gradients for the second moment, and not the gradients. Any other optimizer stays as it is.

    Args:
        optimizer: of a compiled model. On another backend than TensorFlow it stays as it is, too, and if it was fused
            before.
    """
    if type(optimizer) is not keras.optimizers.Adam or optimizer.amsgrad:
        return
    if keras.backend.backend() != "tensorflow" or "update_step" in vars(optimizer):
        return
    import tensorflow as tf

    def update_all(gradients: Any, variables: Any, learning_rate: Any) -> None:
        # Once a step: for each variable anew, they would be two fifths of all operations here
        for dtype in {variable.dtype for variable in variables}:
            step = tf.cast(optimizer.iterations.value + 1, dtype)
            beta_1, beta_2 = (tf.constant(b, dtype) for b in (optimizer.beta_1, optimizer.beta_2))
            shared[dtype] = {
                "beta1_power": beta_1**step,
                "beta2_power": beta_2**step,
                "lr": tf.cast(learning_rate, dtype),
                "beta1": beta_1,
                "beta2": beta_2,
                "epsilon": tf.constant(optimizer.epsilon, dtype),
            }
        keras_update_all(gradients, variables, learning_rate)

    def update(gradient: Any, variable: Any, learning_rate: Any) -> None:
        if isinstance(gradient, tf.IndexedSlices):
            rows = tf.shape(variable)[0]
            gradient = tf.math.unsorted_segment_sum(gradient.values, gradient.indices, rows)
        number = optimizer._get_variable_index(variable)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=optimizer._momentums[number].value.handle,
            v=optimizer._velocities[number].value.handle,
            grad=tf.cast(gradient, variable.dtype),
            **shared[variable.dtype.name],
        )

    def clip(gradient: Any) -> Any:
        if isinstance(gradient, tf.IndexedSlices):
            return keras_clip(gradient)
        norm = tf.sqrt(2 * tf.nn.l2_loss(gradient))
        limit = tf.cast(optimizer.clipnorm, norm.dtype)
        return gradient * (limit / tf.maximum(norm, limit))

    shared: dict[str, dict] = {}  # by the variables' type
    keras_update_all, keras_clip = optimizer._backend_update_step, optimizer._clip_by_norm
    optimizer._backend_update_step = update_all
    optimizer._clip_by_norm = clip
    optimizer.update_step = update
