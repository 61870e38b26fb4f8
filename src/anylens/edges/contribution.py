"""What the straight edges of a photograph say about its focal length and about how the camera was held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.edges.gravity import Gravity, gravity
from anylens.edges.likelihood import NOISE, Noise
from anylens.edges.search import Search, search
from anylens.edges.segments import Segments, detect
from anylens.evidence import BINS, CENTRES, add, divergence, flat, mix, normalise, with_log_focal
from anylens.evidence import prior as population_prior

COUNT = 250  # the longest segments take part
SHORTEST = 0.015  # of the diagonal
LEAST = 8  # segments below which nothing is said
BELIEF = 9.0  # nats: bins that the prior puts further below its best are not searched
# Neighbouring segments repeat each other's errors, and clutter follows some frame by chance: the log-likelihood counts
# by TEMPER times how far it exceeds the CHANCE share of the most it could be. And a scene may be regular without
# being orthogonal: DOUBT.
TEMPER, CHANCE = 0.37, 0.22
DOUBT = 0.25
VAGUE_DEG = 8.0  # gravity is not reported with a larger standard deviation


@dataclass(frozen=True)
class EdgeEvidence:
    """The edges' part of the evidence, and what was found on the way.

    log_prob (64,): over `anylens.evidence.CENTRES`, tempered and doubted; add it with weight 1. score (64,): the
    bare log-likelihood of the best frame at each bin. share: of the segments' weight that the best frame explains.
    told: nats by which the edges move the belief that they were given; weight: 0 (nothing said) to 1.
    log_focal, camera, frame (3, 3), labels (n,): where prior and edges together are best; rows of the frame are the
    directions, a label is the row that a segment follows or -1. gravity: None where too little points down.
    """

    log_prob: np.ndarray
    score: np.ndarray
    share: float
    told: float
    log_focal: float
    camera: Camera
    frame: np.ndarray | None
    labels: np.ndarray
    gravity: Gravity | None
    segments: Segments

    @property
    def n_segments(self) -> int:
        return len(self.segments)

    @property
    def weight(self) -> float:
        """1 - exp(-told): how much of the answer is the edges'."""
        return float(1 - np.exp(-self.told))


def evidence(
    image: Any, shape: Camera, *, prior: Any = None, noise: Noise = NOISE, rng: np.random.Generator | None = None
) -> EdgeEvidence:
    """Evidence of straight edges about the focal length of a camera of the shape of `shape`.

    image: a picture (H, W) or (H, W, C) of the size of the camera, or its Segments. shape: its distortion and
    centre count, its focal length does not. prior: log-probabilities (64,) of everything else that is known (the
    network, a tag); focal lengths that it excludes are not searched. None: the population prior spread wide.
    Nothing is decided here: the result's log_prob is one more vector to add.
    """
    belief = normalise(0.25 * population_prior() if prior is None else prior)
    segments = chosen(image if isinstance(image, Segments) else detect(image), shape)
    bins = _believed(belief)
    if len(segments) < LEAST:
        return _nothing(segments, shape, belief)
    weight = np.sqrt(segments.length / segments.length.mean())
    found = search(segments, weight, shape, bins, noise, rng or np.random.default_rng(0))
    top = found.found.score.max(axis=1).astype(np.float64)
    # Bins outside continue the nearest one inside: neither forbidden nor favoured.
    score = np.interp(np.arange(BINS), bins, top)
    full = float(weight.sum() * np.log1p(noise.gain(3, noise.sigma)))
    temper = TEMPER * max(0.0, top.max() / full - CHANCE) / (1 - CHANCE)
    log_prob = mix(temper * score, DOUBT)
    return _conclude(found, log_prob, score, temper, belief, weight, segments, shape)


def chosen(segments: Segments, shape: Camera) -> Segments:
    """The longest segments that are worth asking, without those along the picture's border."""
    diagonal = np.hypot(shape.width, shape.height)
    kept = segments.inside(shape.width, shape.height)
    return kept[kept.length > SHORTEST * diagonal].longest(COUNT)


def _believed(belief: np.ndarray) -> np.ndarray:
    likely = np.flatnonzero(belief > belief.max() - BELIEF)
    return np.arange(likely[0], likely[-1] + 1)


def _conclude(
    found: Search,
    log_prob: np.ndarray,
    profile: np.ndarray,
    temper: float,
    belief: np.ndarray,
    weight: np.ndarray,
    segments: Segments,
    shape: Camera,
) -> EdgeEvidence:
    together = add(log_prob, belief)
    here = together[found.bins]
    score = found.found.score.astype(np.float64)
    kept, best = np.argmax(score, axis=1), int(np.argmax(here))
    frames = found.found.frames.astype(np.float64)
    # Every kept frame of every focal length is a possible answer, as likely as edges and belief make it.
    rival = here[:, None] - here.max() + temper * (score - score.max(axis=1, keepdims=True))
    p = np.exp(rival) / np.exp(rival).sum()
    information = temper * found.found.information.astype(np.float64)
    covariance = np.linalg.inv(information + np.eye(3))  # without any edge a turn is uncertain by a radian
    held = gravity(frames.reshape(-1, 3, 3), covariance.reshape(-1, 3, 3), p.ravel(), best * p.shape[1] + kept[best])
    odds = found.found.odds[best, kept[best]]  # (3, n)
    trust = odds.max(axis=0) / (1 + odds.sum(axis=0))
    labels = np.where(trust > 0.5, odds.argmax(axis=0), -1)
    vague = max(held.roll_std_deg, held.pitch_std_deg) > VAGUE_DEG
    log_focal = float(CENTRES[found.bins[best]])
    return EdgeEvidence(
        log_prob=log_prob,
        score=profile,
        share=float((weight * trust).sum() / weight.sum()),
        told=divergence(together, belief),
        log_focal=log_focal,
        camera=with_log_focal(shape, log_focal),
        frame=_right_handed(frames[best, kept[best]]),
        labels=labels,
        gravity=None if vague else held,
        segments=segments,
    )


def _right_handed(frame: np.ndarray) -> np.ndarray:
    """The frame made exactly orthogonal and, by turning its last direction round, a rotation; rows keep their place."""
    u, _, v = np.linalg.svd(frame)
    frame = u @ v
    return frame * np.array([1.0, 1.0, np.sign(np.linalg.det(frame))])[:, None]


def _nothing(segments: Segments, shape: Camera, belief: np.ndarray) -> EdgeEvidence:
    log_focal = float(CENTRES[int(np.argmax(belief))])
    labels = np.full(len(segments), -1)
    camera = with_log_focal(shape, log_focal)
    return EdgeEvidence(flat(), np.zeros(BINS), 0.0, 0.0, log_focal, camera, None, labels, None, segments)
