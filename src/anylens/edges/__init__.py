"""Straight edges as evidence: segments, vanishing directions, focal length and gravity, for any camera model."""

from anylens.edges.contribution import EdgeEvidence, evidence
from anylens.edges.gravity import Gravity
from anylens.edges.likelihood import Noise
from anylens.edges.segments import Segments, detect

__all__ = ["EdgeEvidence", "Gravity", "Noise", "Segments", "detect", "evidence"]
