"""A camera from edges alone: plumb lines, then the search over focal lengths, then both refined together."""

from __future__ import annotations

from typing import Any

from anylens.camera import Camera
from anylens.edges.contribution import EdgeEvidence, chosen, evidence
from anylens.edges.likelihood import NOISE, Noise
from anylens.edges.refine import Refined, refine
from anylens.edges.segments import Segments, detect
from anylens.evidence import flat, log_focal, with_log_focal

STARTS = (0.0, -0.25, 0.25)  # of log focal length about the start, for the plumb lines


def from_edges(
    image: Any, start: Camera, *, prior: Any = None, rounds: int = 2, noise: Noise = NOISE
) -> tuple[Refined, EdgeEvidence]:
    """The camera of the model of `start` that the straight edges of a picture (or Segments) agree with.

    Coefficients first, from plumb lines near the start's focal length; then, `rounds` times, the search over focal
    lengths and the joint refinement from its best. prior: log-probabilities (64,), by default none at all.
    """
    segments = chosen(image if isinstance(image, Segments) else detect(image), start)
    belief = flat() if prior is None else prior
    camera = start
    if len(start.coefs):
        near = [with_log_focal(start, log_focal(start) + by) for by in STARTS]
        straight = [refine(c, segments, None, log_focal=(log_focal(c), 0.1), noise=noise, steps=30) for c in near]
        camera = min(straight, key=lambda r: r.cost).camera
    for _ in range(max(1, rounds)):
        found = evidence(segments, camera, prior=belief, noise=noise)
        refined = refine(found.camera, segments, found.frame, noise=noise, steps=30)
        camera = refined.camera
    return refined, found
