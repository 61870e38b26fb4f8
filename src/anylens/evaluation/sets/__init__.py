"""Data sets: a manifest, rendered shards, COLMAP reconstructions, and the layouts of published sets."""

from anylens.evaluation.sets.opening import LAYOUTS, open_set

__all__ = ["LAYOUTS", "open_set"]
