"""Named recipes: the paper's, and ours for two CPU cores."""

from __future__ import annotations

from dataclasses import replace

from anylens.training.config import TrainConfig, TrainingError

# 40 epochs over 54,000 views in batches of 24; the milestones count after the warm-up.
PAPER = TrainConfig(
    network="paper",
    encoder="vit-l",
    registers=0,
    taps=(5, 12, 18, 24),
    frozen=-1,
    photo_ratio=0.0,
    augment="full",
    min_source_pixels=1.0,
    quality=0,
    photo_side=0,
    photo_quality=0,
    focal_weight=0.0,
    variance_weight=0.0,
    batch=24,
    steps=90_000,
    rate=6e-5,
    encoder_rate=0.1,
    dropout=0.0,
    schedule="steps",
    warmup=1000,
    milestones=(10_000, 30_000),
    ema=0.0,
    area=320 * 320,
    late_area=320 * 320,
    size_range=(0.9, 1.0),
    workers=8,
    threads=0,
)

LAPTOP = TrainConfig()

PRESETS: dict[str, TrainConfig] = {
    "laptop": LAPTOP,
    "laptop-edited": replace(LAPTOP, recipe="edited"),
    "paper-op_p": replace(PAPER, recipe="op_p"),
    "paper-op_r": replace(PAPER, recipe="op_r"),
    "paper-op_d": replace(PAPER, recipe="op_d"),
    "paper-op_g": replace(PAPER, recipe="op_g"),
    "paper-edited": replace(PAPER, recipe="edited"),
}


def preset(name: str) -> TrainConfig:
    """The settings of a named recipe; TrainingError lists the names."""
    if name not in PRESETS:
        raise TrainingError(f"no preset '{name}'; there are {', '.join(PRESETS)}.")
    return PRESETS[name]
