"""Learning rate and image size as pure functions of the step, so that resuming is exact."""

from __future__ import annotations

from math import cos, pi

from anylens.training.config import TrainConfig


def rate_factor(step: int, config: TrainConfig) -> float:
    """Share of the peak rate at a step (0-based).

    Linear warm-up, then: `constant` until the cooldown, in which it falls to zero as 1 - √t (a run without
    cooldown may be extended at any time, and a cooled copy branched off); `cosine` to zero at the last step;
    `steps` × 0.3 at each milestone, counted after the warm-up.
    """
    if step < config.warmup:
        return (step + 1) / config.warmup
    if config.schedule == "cosine":
        span = max(config.steps - config.warmup, 1)
        return 0.5 * (1 + cos(pi * min((step - config.warmup) / span, 1.0)))
    if config.schedule == "steps":
        return 0.3 ** sum(step - config.warmup >= m for m in config.milestones)
    start = config.steps - config.cooldown
    if config.cooldown and step >= start:
        return 1 - min((step - start + 1) / config.cooldown, 1.0) ** 0.5
    return 1.0


def area_at(step: int, config: TrainConfig) -> int:
    """Pixels of a view at a step: small for most of the run, `late_area` in its last part."""
    late = config.late_from
    if late < 0:
        late = config.steps - config.cooldown if config.cooldown else config.steps
    return config.late_area if step >= late else config.area


def next_area_change(step: int, config: TrainConfig) -> int:
    """First step after `step` whose area differs, or the end of the run."""
    area = area_at(step, config)
    late = config.late_from if config.late_from >= 0 else config.steps - config.cooldown
    if step < late < config.steps and area_at(late, config) != area:
        return late
    return config.steps
