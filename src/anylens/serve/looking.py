"""One uploaded photograph: checked by its header, decoded, looked at. Its EXIF block stays here.

Of the EXIF block only the focal length goes on. Doubts about it are phrases that may quote other tags (the editor's
name), so all but those about focal lengths and the picture's own shape are put in general words.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from anylens.calibration.observation import Observation
from anylens.calibration.seeing import AT_LEAST, observe
from anylens.images import FocalTag, read_photo
from anylens.images.photo import Photo
from anylens.serve.asking import Asked
from anylens.serve.form import Upload
from anylens.serve.keeping import Seen
from anylens.serve.networks import Networks

HARMLESS = ("an aspect ratio of", "disagree", "cannot be equivalent")
GENERAL = "other tags speak of a crop, an edit or digital zoom"


def look(upload: Upload, asked: Asked, networks: Networks, max_pixels: int, mask: Any = None) -> Seen:
    """What the network and the edges show. Raises ImageError where the file cannot be read, WeightsError."""
    start = time.perf_counter()
    photo = read_photo(upload.content, name=upload.name, max_pixels=max_pixels, at_least=AT_LEAST)
    read_ms = 1e3 * (time.perf_counter() - start)
    name = networks.name(asked.options.edited)
    edges = asked.options.edges or asked.keep  # another choice may be made later
    predict = networks.predict(name, asked.mirror)
    [seen] = observe([(photo, read_ms)], predict, masks=[mask], edges=edges, files=[upload.name])
    return Seen(_discreet(seen), name)


def read_mask(upload: Upload, max_pixels: int) -> np.ndarray:
    """A picture as a mask (H, W): True, to be ignored, where it is not black. Raises ImageError."""
    photo: Photo = read_photo(upload.content, name=upload.name, max_pixels=max_pixels)
    return photo.rgb.max(axis=2) > 127


def _discreet(seen: Observation) -> Observation:
    return seen if seen.tag is None else replace(seen, tag=_focal_alone(seen.tag))


def _focal_alone(tag: FocalTag) -> FocalTag:
    doubts = [text if any(phrase in text for phrase in HARMLESS) else GENERAL for text in tag.doubts]
    return replace(tag, doubts=tuple(dict.fromkeys(doubts)))
