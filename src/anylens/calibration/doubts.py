"""Warnings in plain words: what a user should know before trusting the number."""

from __future__ import annotations

import math

from anylens.calibration.choice import whole
from anylens.calibration.fov import Angle
from anylens.calibration.observation import Observation
from anylens.calibration.options import Options
from anylens.camera import Camera
from anylens.evidence import HIGH, LOW, Evidence, add, focal_35mm, log_focal, median, spread

WEAK = 0.22  # standard deviation of log focal length from which cues are weak
UNSURE = 0.2  # half the interval over the field of view
POOR_FIT_DEG = 4.0
TAG_FACTOR = 1.12  # a tag is said to disagree beyond this factor, and beyond what is uncertain


def list_doubts(
    seen: Observation, options: Options, camera: Camera, evidence: Evidence, hfov: Angle, rms_deg: float
) -> list[str]:
    """Warnings of one result, the weightiest first."""
    found = []
    own = [term for name, term in evidence.terms.items() if name in ("network", "edges")]
    known = bool(options.knowledge.exact_scale)
    if own and not known and spread(add(*own)) > WEAK:
        found.append("weak cues: the photo itself says little about the lens, so the answer leans on what is usual")
    if options.exif != "ignore":
        found += _about_tag(seen, options, evidence)
    if not known and 0.5 * (hfov.high - hfov.low) > UNSURE * hfov.value:
        found.append(f"low confidence: the horizontal field of view may be {hfov.low:.0f}° to {hfov.high:.0f}°")
    if not known and not LOW + 0.1 < evidence.median < HIGH - 0.1:
        found.append("the focal length is at the end of the range that the network knows")
    if not whole(camera):
        found.append(f"fold-over: {camera.model} is not one-to-one over the whole photo; its corners mean nothing")
    if rms_deg > POOR_FIT_DEG:
        found.append(
            f"poor fit: what the network saw is {rms_deg:.1f}° off {camera.model}; another model may do better"
        )
    if seen.covered < 0.85:
        found.append(f"extrapolation: only the middle {seen.covered:.0%} of this long photo was looked at")
    if seen.visible < 0.4:
        found.append(
            f"extrapolation: only {seen.visible:.0%} of the photo is visible, the rest is masked or transparent"
        )
    if known or options.knowledge.vague_scale:
        found += _about_user(evidence, log_focal(camera) if known else None)
    return found


def _about_tag(seen: Observation, options: Options, evidence: Evidence) -> list[str]:
    if seen.tag is None:
        return []
    others = [term for name, term in evidence.terms.items() if name != "exif"]
    rest = add(*others)
    tag = seen.tag.focal_35mm
    off = abs(math.log(tag) - math.log(focal_35mm(median(rest))))
    unsure = 2 * math.hypot(spread(rest), 0.05)
    if off > max(unsure, math.log(TAG_FACTOR)):
        return [
            f"EXIF disagrees: the tag says {tag:.0f} mm, the photo looks like {focal_35mm(median(rest)):.0f} mm "
            "(35 mm equivalent); a crop, an edit or a wrong tag"
        ]
    if seen.tag.doubts and options.exif == "prior":
        return [f"the EXIF focal length counts less: {'; '.join(seen.tag.doubts)}"]
    return []


def _about_user(evidence: Evidence, exact: float | None) -> list[str]:
    others = [term for name, term in evidence.terms.items() if name not in ("known", "prior")]
    if "known" not in evidence.terms or not others:
        return []
    rest, told = add(*others), median(evidence.terms["known"]) if exact is None else exact
    off = abs(told - median(rest))
    if off > max(2.5 * math.hypot(spread(rest), 0.05), 0.2):
        return [
            f"what was given ({focal_35mm(told):.0f} mm) is far from what the photo shows "
            f"({focal_35mm(median(rest)):.0f} mm, 35 mm equivalent)"
        ]
    return []
