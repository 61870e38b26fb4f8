"""Several photographs of one camera: calibrated together, beside the same photos alone."""

from __future__ import annotations

from collections.abc import Sequence

from anylens.calibration.group import conclude_shared
from anylens.errors import AnylensError
from anylens.evaluation.borders import TAG
from anylens.evaluation.methods.product import Configuration, Observer, to_estimate
from anylens.evaluation.sample import Estimate, Sample

LEAST = 4


def camera_groups(samples: Sequence[Sample], least: int = LEAST) -> list[list[Sample]]:
    """Photos of one camera and one size (either way up), where there are at least `least` without a black border."""
    groups: dict[tuple, list[Sample]] = {}
    for sample in samples:
        if TAG not in sample.tags:
            size = tuple(sorted((sample.width, sample.height)))
            groups.setdefault((sample.camera, size), []).append(sample)
    return [group for group in groups.values() if len(group) >= least]


def estimate_shared(observer: Observer, group: Sequence[Sample]) -> dict[str, dict[str, Estimate]]:
    """By configuration and file, the estimate when all photos of the group share their camera."""
    seen = {}
    for sample in group:
        try:
            seen[sample.file] = observer.observe(sample.picture())
        except (AnylensError, OSError) as error:
            seen[sample.file] = {c.name: AnylensError(str(error)) for c in observer.configurations}
    return {c.name: _conclude(c, [(s.file, seen[s.file][c.name]) for s in group]) for c in observer.configurations}


def _conclude(configuration: Configuration, seen: Sequence[tuple[str, object]]) -> dict[str, Estimate]:
    """A photo that could not be looked at fails alone; the others share what they show."""
    failed = {file: Estimate.failure(file, one) for file, one in seen if isinstance(one, AnylensError)}
    good = [(file, one) for file, one in seen if file not in failed]
    try:
        results = conclude_shared([one for _, one in good], configuration.options) if good else []  # type: ignore[misc]
        return failed | {file: to_estimate(file, result) for (file, _), result in zip(good, results)}
    except AnylensError as error:
        return failed | {file: Estimate.failure(file, error) for file, _ in good}
