"""From data to batches: tokens, padding, pairs, episodes. No models."""
