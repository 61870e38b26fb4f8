"""The estimate: shape from the field, scale from all the evidence, joined into one camera with its uncertainty."""

from __future__ import annotations

import time

import numpy as np

from anylens.calibration.choice import whole
from anylens.calibration.doubts import list_doubts
from anylens.calibration.fov import deviations, measure
from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.calibration.result import Result
from anylens.calibration.scale import Scale, weigh
from anylens.calibration.shape import Shape, fit_shape
from anylens.camera import Camera
from anylens.errors import FitError
from anylens.evidence import Evidence, log_focal, with_log_focal
from anylens.fitting.single import fit


def conclude(seen: Observation, options: Options) -> Result:
    """The camera of one photo. Raises FitError where the field determines none."""
    start = time.perf_counter()
    shape = fit_shape(seen, options)
    fitted = time.perf_counter()
    scale = weigh(seen, shape, options)
    camera = join(seen, shape, scale.evidence, options)
    if options.refine:
        camera = refine_jointly(seen, shape, scale, camera)
    return finish(seen, shape, scale, camera, options, start, fitted)


def join(seen: Observation, shape: Shape, evidence: Evidence, options: Options) -> Camera:
    """The shape with the focal length of the evidence; known values to the last bit.

    Where the shape folds over at that focal length, its coefficients are fitted again with the focal length held.
    """
    facts = options.knowledge
    camera = facts.set_scale(shape.camera) if facts.exact_scale else with_log_focal(shape.camera, evidence.median)
    if len(camera.coefs) and whole(shape.camera) and not whole(camera):
        names = camera.named()
        free = [n for n in camera.profile.coefs if n not in facts.exact_shape]
        known = {n: v for n, v in names.items() if n not in free}
        try:
            again = fit(seen.pixels, seen.rays, camera.model, width=seen.width, height=seen.height,
                        weights=seen.weights, known=known).camera  # fmt: skip
        except FitError:
            return camera
        return again if whole(again) else camera
    return camera


def refine_jointly(seen: Observation, shape: Shape, scale: Scale, camera: Camera) -> Camera:
    """Intrinsics and directions together, from the joined camera: edges, plumb lines, field, prior on log focal."""
    if seen.segments is None or scale.edges is None or scale.edges.frame is None:
        return camera
    from anylens.edges import FieldTerm, refine
    from anylens.evidence import Evidence as Sum

    others = Sum({name: term for name, term in scale.evidence.terms.items() if name != "edges"})
    field_rays, valid = with_log_focal(shape.camera, log_focal(camera)).unproject(seen.pixels)
    if not valid.all():
        return camera
    std = max(float(shape.fit.rms_deg), 0.1)
    term = FieldTerm(seen.pixels, np.asarray(field_rays), np.radians(std), float(shape.fit.n_eff))
    found = refine(
        camera,
        scale.edges.segments,
        scale.edges.frame,
        field=term,
        log_focal=(others.median, others.std),
        free_focal="known" not in scale.evidence.terms,
    )
    return found.camera if found.converged and whole(found.camera) else camera


def finish(
    seen: Observation,
    shape: Shape,
    scale: Scale,
    camera: Camera,
    options: Options,
    start: float,
    fitted: float,
    outlier: bool | None = None,
) -> Result:
    """The result with its angles, warnings and times (seconds at which fitting started and ended)."""
    sure = bool(options.knowledge.exact_scale)
    here = log_focal(camera)
    low, high = scale.evidence.interval()
    # Refinement may have moved the median by a little; the interval goes with it.
    shift = here - scale.evidence.median
    interval = (here, here) if sure else (low + shift, high + shift)
    covariance = np.asarray(shape.fit.covariance)
    angles = measure(camera, interval, covariance)
    rms = float(shape.fit.rms_deg)
    ms = {**seen.ms, "fit": 1e3 * (fitted - start), "evidence": 1e3 * (time.perf_counter() - fitted)}
    ms["total"] = sum(v for k, v in ms.items() if k != "total")
    return Result(
        file=seen.file,
        camera=camera,
        angles=angles,
        evidence=scale.evidence,
        rms_deg=rms,
        held=shape.held,
        warnings=tuple(list_doubts(seen, options, camera, scale.evidence, angles["hfov_deg"], rms)),
        ms={k: round(v, 2) for k, v in ms.items()},
        seen=seen,
        edges=scale.edges,
        outlier=outlier,
        deviations=deviations(camera, interval, covariance),
    )
