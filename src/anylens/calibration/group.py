"""Several photographs of one camera: one shape from all fields, one focal length from all the evidence.

    log p(f) = τ n prior + tag + user + τ Σ_i log((1 - d) p_i(f) + d/64),    τ = 1 / (1 + (n - 1) ρ)

p_i is what photo i says by itself (network and edges). Its share d of doubt keeps one bad photo from spoiling the
rest; ρ is how far the errors of one camera's photos repeat each other, so that they count like τ n. The population
counts as often, so it weighs as much beside many photos as beside one: it takes the place of what every p_i would
otherwise hold, the network's own prior. A photo is an outlier when what the others say is less likely under its p_i
than under no opinion, by the odds of d.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anylens.calibration.estimate import finish, join
from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.calibration.result import Result
from anylens.calibration.scale import Scale, look_at_edges, network_evidence, tag_evidence, with_common
from anylens.calibration.shape import Shape, fit_shape, fit_shared_shape
from anylens.calibration.turning import fits_together, from_shared, to_shared
from anylens.evidence import BINS, Evidence, add, focal_35mm, median, mix, normalise

DOUBT = 0.1
REPEATED = 0.3  # ρ
MOST = 48  # photos that take part in the joint shape: more tell nothing new
LEAST_TO_JUDGE = 3  # of two photos that disagree either may be the wrong one


def conclude_shared(views: Sequence[Observation], options: Options) -> list[Result]:
    """One result per photo, all with the camera of the group (turned and scaled as each photo is).

    Photos may differ in size and stand upright or lie; their aspect ratio must be one. Raises FitError.
    """
    start = time.perf_counter()
    if len(views) == 1:
        from anylens.calibration.estimate import conclude

        return [replace(conclude(views[0], options), outlier=False)]
    main = max(views, key=lambda v: (v.width * v.height, v.width >= v.height))
    for view in views:
        fits_together(view, main, options)
    alike = [to_shared(view, main) for view in views]
    rough = [network_evidence(v, _own(v, options), options) for v in alike]
    inliers = [i for i, out in enumerate(find_outliers(rough)) if not out]
    kept = [alike[i] for i in _spread_out(inliers)]
    shape = fit_shared_shape(kept, main.width, main.height, options)
    fitted = time.perf_counter()
    edges, own = [], []
    for view, term in zip(views, rough):
        camera = from_shared(shape.camera, view)
        term = term if view.focal_log_prob is None else network_evidence(view, shape, options)
        so_far = with_common(Evidence().plus("network", term), view, camera, options)
        found = look_at_edges(view, camera, so_far, options)
        edges.append(found)
        own.append(term if found is None else add(term, found.log_prob))
    outliers = find_outliers(own)
    inside = len(own) - sum(outliers)
    total = Evidence().plus("photos", pool(own, outliers))
    total = with_common(total, _tagless(main), shape.camera, options, photos=inside * temper(inside))
    tags = [tag_evidence(view, options) for view, out in zip(views, outliers) if view.tag is not None and not out]
    if tags and options.exif == "prior":
        total = total.plus("exif", add(*tags, weights=[1 / len(tags)] * len(tags)))
    camera = join(kept[0], shape, total, options)
    results = []
    for view, found, own_term, out in zip(views, edges, own, outliers):
        one = finish(view, shape, Scale(total, found), from_shared(camera, view), options,
                     start, start + (fitted - start) / len(views), outlier=out)  # fmt: skip
        if out:
            text = (f"outlier: by itself this photo looks like {focal_35mm(median(own_term)):.0f} mm, "
                    f"the others like {one.focal_35mm:.0f} mm (35 mm equivalent)")  # fmt: skip
            one = replace(one, warnings=(text, *one.warnings))
        results.append(one)
        start = fitted = time.perf_counter()
    return results


def pool(own: Sequence[np.ndarray], outliers: Sequence[bool]) -> np.ndarray:
    """The photos' evidence (64,) together, tempered and doubted; outliers count by their doubt alone."""
    total = np.sum([mix(term, DOUBT) for term in own], axis=0)
    return normalise(temper(len(own) - sum(outliers)) * total)


def temper(photos: int) -> float:
    """What each of so many photos counts by: 1 for a single one, less the more there are."""
    return 1 / (1 + (max(1, photos) - 1) * REPEATED)


def find_outliers(own: Sequence[np.ndarray]) -> list[bool]:
    """Which photos disagree with all the others together."""
    if len(own) < LEAST_TO_JUDGE:
        return [False] * len(own)
    doubted = [mix(term, DOUBT) for term in own]
    total = np.sum(doubted, axis=0)
    outliers = []
    for term, one in zip(own, doubted):
        others = normalise(temper(len(own) - 1) * (total - one))
        match = BINS * float(np.exp(normalise(term)) @ np.exp(others))
        outliers.append((1 - DOUBT) * match < DOUBT)
    return outliers if sum(outliers) <= len(own) / 2 else [False] * len(own)


def _own(view: Observation, options: Options) -> Shape:
    """A single fit, only for networks without a focal distribution."""
    return fit_shape(view, options) if view.focal_log_prob is None else None  # type: ignore[return-value]


def _spread_out(indices: list[int]) -> list[int]:
    if len(indices) <= MOST:
        return indices
    return [indices[i] for i in np.linspace(0, len(indices) - 1, MOST).round().astype(int)]


def _tagless(view: Observation) -> Observation:
    return replace(view, tag=None)
