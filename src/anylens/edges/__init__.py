"""Straight edges as evidence: segments, vanishing directions, focal length and gravity, for any camera model."""

from anylens.edges.alone import from_edges
from anylens.edges.atlanta import horizontals
from anylens.edges.contribution import EdgeEvidence, evidence
from anylens.edges.gravity import Gravity
from anylens.edges.likelihood import Noise
from anylens.edges.refine import Refined, refine
from anylens.edges.segments import Segments, detect
from anylens.edges.terms import FieldTerm

__all__ = [
    "EdgeEvidence",
    "FieldTerm",
    "Gravity",
    "Noise",
    "Refined",
    "Segments",
    "detect",
    "evidence",
    "from_edges",
    "horizontals",
    "refine",
]
