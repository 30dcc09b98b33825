"""Batches: pair and triplet generators, padding, length buckets. They know no model."""
