"""The scale of a camera: everything that bears on the focal length, added up in one place.

network + population prior + EXIF tag + what the user knows + straight edges, each 64 log-probabilities of log focal
length (`anylens.evidence`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.calibration.shape import Shape
from anylens.camera import Camera
from anylens.evidence import Evidence, from_35mm, log_focal, mix, normal, normalise
from anylens.evidence import prior as population

# A lens outside the population (a fisheye, a long zoom) must not be pulled in: beyond about 2.6 standard deviations
# the prior has no slope left.
PRIOR_DOUBT = 0.1
# What the population counts by, and what the network was trained on is taken out by: chosen by error and coverage on
# photographs of held-out sources and on rendered views, where values from 0.3 to 0.5 are much alike.
PRIOR_WEIGHT = 0.4
# log(tan ϑ / r) at the corner: an ordinary lens bends less than the first, a fisheye more than the second. The
# population is of ordinary lenses and has nothing to say about the others.
ORDINARY = (0.12, 0.4)
EDITED_DOUBT = 0.4  # the population is of whole photographs
TAG_STD, TAG_DOUBT = 0.05, 0.1  # a trusted tag
LOOSE_STD, LOOSE_DOUBT = 0.15, 0.5  # one with signs of a crop or an edit, or of a photo said to be edited
LEAST_FIELD_STD = 0.1  # of the field's own scale, where a network has no focal distribution
# The network is surer than it should be, on photographs of sources that it was not trained on more than on rendered
# views: tempered so that its 68 % interval covers both.
NETWORK_TEMPER, NETWORK_DOUBT = 0.7, 0.02


@dataclass(frozen=True)
class Scale:
    """The evidence, and the edges' findings (None without edges)."""

    evidence: Evidence
    edges: Any = None


def network_evidence(seen: Observation, shape: Shape | None, options: Options) -> np.ndarray:
    """The network's distribution, or that of the field's own scale where it has none.  (64,)

    Where a population is given, it takes the place of the one that the network was trained on, which is taken out.
    """
    if seen.focal_log_prob is not None:
        own = NETWORK_TEMPER * normalise(seen.focal_log_prob)
        if seen.focal_seen is not None and options.prior != "none" and not options.edited:
            usual = 1.0 if shape is None else 1.0 - strangeness(shape.camera)
            own = own - PRIOR_WEIGHT * usual * mix(seen.focal_seen, PRIOR_DOUBT)
        return mix(own, NETWORK_DOUBT)
    assert shape is not None
    variance = float(np.asarray(shape.fit.covariance)[0, 0])
    relative = np.sqrt(max(0.0, variance)) / float(np.asarray(shape.camera.params)[0])
    return normal(log_focal(shape.camera), max(LEAST_FIELD_STD, float(relative)), NETWORK_DOUBT)


def tag_evidence(seen: Observation, options: Options) -> np.ndarray | None:
    """The EXIF focal length with its doubt; None without one.  (64,)"""
    if seen.tag is None:
        return None
    std, doubt = (TAG_STD, TAG_DOUBT) if seen.tag.trusted and not options.edited else (LOOSE_STD, LOOSE_DOUBT)
    return from_35mm(seen.tag.focal_35mm, std, doubt)


def prior_evidence(options: Options, shape: Camera) -> np.ndarray | None:
    """The population's focal lengths, as far as the shape is that of an ordinary lens; None without a prior.  (64,)"""
    if options.prior == "none":
        return None
    doubt = EDITED_DOUBT if options.edited else PRIOR_DOUBT
    return mix(population(options.prior), doubt + (1 - doubt) * strangeness(shape))


def strangeness(camera: Camera) -> float:
    """0 for an ordinary lens, 1 for a fisheye."""
    low, high = ORDINARY
    return min(1.0, max(0.0, (bend(camera) - low) / (high - low)))


def bend(camera: Camera) -> float:
    """How far the corners are from where a pinhole of this focal length has them:  max |log(tan ϑ / r)|.

    r: radius in paraxial focal lengths, so that every model starts like the pinhole in the middle.
    """
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]) * [camera.width, camera.height]
    ray, valid = camera.unproject(corners)
    ray, p = np.asarray(ray), np.asarray(camera.full)
    slope = math.exp(log_focal(camera)) * math.hypot(camera.width, camera.height) / 2 / math.sqrt(p[0] * p[1])
    r = np.hypot(*((corners - p[2:4]) / p[:2]).T) / slope
    tangent = np.hypot(ray[:, 0], ray[:, 1]) / np.maximum(ray[:, 2], 1e-3)
    off = np.abs(np.log(np.maximum(tangent, 1e-9) / np.maximum(r, 1e-9)))
    return float(np.max(np.where(valid & (r > 0), off, 0.0)))


def weigh(seen: Observation, shape: Shape, options: Options) -> Scale:
    """Everything that is known about the focal length of one photo."""
    total = Evidence().plus("network", network_evidence(seen, shape, options))
    total = with_common(total, seen, shape.camera, options)
    edges = look_at_edges(seen, shape.camera, total, options)
    if edges is not None:
        total = total.plus("edges", edges.log_prob)
    return Scale(total, edges)


def with_common(total: Evidence, seen: Observation, camera: Camera, options: Options, photos: float = 1.0) -> Evidence:
    """With what all photos of one camera have in common: population, tag, user. photos: as how many independent ones
    `total` counts; the population takes the place of the network's own prior in each of them."""
    prior, tag = prior_evidence(options, camera), tag_evidence(seen, options)
    if prior is not None:
        total = total.plus("prior", prior, PRIOR_WEIGHT * photos)
    if tag is not None and options.exif == "prior":
        total = total.plus("exif", tag)
    user = options.knowledge.scale_evidence(camera)
    return total if user is None else total.plus("known", user)


def look_at_edges(seen: Observation, camera: Camera, so_far: Evidence, options: Options) -> Any:
    """The edges' evidence given everything else; None where they are not to be asked or there are none."""
    if not options.edges or seen.segments is None or not len(seen.segments):
        return None
    from anylens.edges import evidence as edge_evidence

    return edge_evidence(seen.segments, camera, prior=so_far.log_prob)
