"""`Calibrator` keeps a loaded network for repeated use; `calibrate` is one call."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from anylens.calibration.estimate import conclude
from anylens.calibration.group import conclude_shared
from anylens.calibration.observation import Observation
from anylens.calibration.options import ExifUse, Options
from anylens.calibration.seeing import observe, read
from anylens.errors import AnylensError, ImageError


class Calibrator:
    """Calibrates photographs with one network, loaded at the first photo; may be shared between threads.

    weights: an ONNX file of `anylens export-onnx`; None for the one in the package. threads: of the network, 0 for
    the runtime's choice. mirror: average each photo with its mirror image, at twice the time. predictor: anything
    with `many(list of uint8 (H, W, 3)) -> list of Prediction`, instead of a file.

    >>> calibrator = Calibrator()                                              # doctest: +SKIP
    >>> results = [calibrator(path) for path in paths]                         # doctest: +SKIP
    """

    def __init__(
        self,
        weights: str | os.PathLike[str] | None = None,
        *,
        threads: int = 0,
        mirror: bool = False,
        batch: int = 8,
        predictor: Any = None,
    ):
        self.weights, self.threads, self.mirror, self.batch = weights, threads, mirror, batch
        self._predictors: dict[str, Any] = {} if predictor is None else {"default": predictor, "edited": predictor}
        self._sessions: dict[Path, Any] = {}
        self._lock = threading.Lock()

    def predictor(self, edited: bool = False) -> Any:
        """The network, loaded when first asked for. Raises WeightsError."""
        name = "edited" if edited else "default"
        with self._lock:
            if name not in self._predictors:
                from anylens.predict import Predictor

                session = self._session(name)
                self._predictors[name] = Predictor(session, mirror=self.mirror, batch=self.batch, edited=edited)
            return self._predictors[name]

    def _session(self, name: str) -> Any:
        """The network for whole or edited photos: one file is opened once, also where it serves both."""
        from anylens.predict.session import NetworkSession
        from anylens.weights import bundled

        path = Path(self.weights) if self.weights is not None else bundled(name)
        if path not in self._sessions:
            self._sessions[path] = NetworkSession(path, threads=self.threads)
        return self._sessions[path]

    def __call__(self, image: Any, model: str = "auto", **options: Any) -> Any:
        return self.calibrate(image, model, **options)

    def calibrate(
        self,
        image: Any,
        model: str = "auto",
        *,
        known: dict[str, Any] | None = None,
        prior: str | None = "photo",
        exif: ExifUse = "prior",
        edited: bool = False,
        edges: bool = True,
        refine: bool = False,
        mask: Any = None,
        shared: bool = False,
        errors: str = "raise",
    ) -> Any:
        """See `anylens.calibrate`."""
        options = Options(model, dict(known or {}), prior or "none", exif, edited, edges, refine)
        if not is_many(image):
            if shared:
                raise ImageError("shared=True takes several photos: a list or a batch (B, H, W, 3).")
            return self.run([image], options, [mask])[0]
        images = list(image)
        masks = list(mask) if isinstance(mask, (list, tuple)) else [mask] * len(images)
        if len(masks) != len(images):
            raise ImageError(f"{len(images)} photos need as many masks, or one for all, not {len(masks)}.")
        if shared:
            return conclude_shared(self.observe(images, options, masks), options) if images else []
        return self.run(images, options, masks, errors)

    def run(
        self, images: Sequence[Any], options: Options, masks: Sequence[Any] | None = None, errors: str = "raise"
    ) -> list[Any]:
        """Results in the order given; with errors="return" a failure is an AnylensError in its place."""
        seen = self.observe(images, options, masks, errors=errors)
        results: list[Any] = []
        for one in seen:
            try:
                results.append(one if isinstance(one, AnylensError) else conclude(one, options))
            except AnylensError as error:
                if errors == "raise":
                    raise
                results.append(error)
        return results

    def observe(
        self,
        images: Sequence[Any],
        options: Options | None = None,
        masks: Sequence[Any] | None = None,
        *,
        errors: str = "raise",
    ) -> list[Any]:
        """What the network and the edges show, without any conclusion: to be joined later or elsewhere."""
        options = options or Options()
        masks = masks or [None] * len(images)
        found: list[Observation | AnylensError] = []
        for start in range(0, len(images), self.batch):  # as many photos in memory as the network takes at once
            part = list(range(start, min(start + self.batch, len(images))))
            photos: dict[int, Any] = {}
            failed: dict[int, AnylensError] = {}
            for i in part:
                try:
                    photos[i] = read(images[i])
                except AnylensError as error:
                    if errors == "raise":
                        raise
                    failed[i] = error
            seen = self._see(photos, options, masks, failed, errors, [label(images[i]) for i in photos])
            found += [failed[i] if i in failed else seen[i] for i in part]
        return found

    def _see(self, photos, options, masks, failed, errors, files) -> dict[int, Observation]:
        """Observations by index; a photo that fails on the way (a mask, a shape) joins `failed`."""
        many = self.predictor(options.edited).many
        keys = list(photos)
        how: dict[str, Any] = {"edges": options.edges, "beside": self.threads != 1}
        try:
            chosen = [masks[i] for i in keys]
            done = observe([photos[i] for i in keys], many, masks=chosen, files=files, **how) if keys else []
            return dict(zip(keys, done))
        except ImageError:
            if errors == "raise":
                raise
        seen = {}
        for i, file in zip(keys, files):
            try:
                [seen[i]] = observe([photos[i]], many, masks=[masks[i]], files=[file], **how)
            except AnylensError as error:
                failed[i] = error
        return seen


def is_many(image: Any) -> bool:
    """A list, a tuple, or an array with a batch axis."""
    return isinstance(image, (list, tuple)) or (getattr(image, "ndim", 0) == 4 and hasattr(image, "dtype"))


def label(image: Any) -> str:
    """The name of a photo in results: its path as given, or what it is."""
    if isinstance(image, (str, os.PathLike)):
        return os.fspath(image)
    if isinstance(image, (bytes, bytearray, memoryview)):
        return "bytes"
    name = getattr(image, "filename", None) or getattr(image, "name", None)
    return str(name) if isinstance(name, (str, os.PathLike)) and name else type(image).__name__


@lru_cache(maxsize=4)
def _shared_calibrator(weights: str | None, mirror: bool) -> Calibrator:
    return Calibrator(weights, mirror=mirror)


def calibrate(
    image: Any,
    model: str = "auto",
    *,
    known: dict[str, Any] | None = None,
    prior: str | None = "photo",
    exif: ExifUse = "prior",
    edited: bool = False,
    edges: bool = True,
    refine: bool = False,
    mask: Any = None,
    shared: bool = False,
    errors: str = "raise",
    weights: str | os.PathLike[str] | None = None,
    mirror: bool = False,
) -> Any:
    """The camera of a photograph: a `Result`, or a list of them for a list or batch of photographs.

    image: a path, bytes, an open file, a Pillow image, an array (NumPy or torch; uint8, uint16 or floats in [0, 1]),
    a list of these, or a batch (B, H, W, 3). model: an identifier (`anylens.models()`), or `auto` for the plainest
    that fits. known: what you know, as numbers (exact) or pairs (value, standard deviation), by name: f, fx, fy, cx,
    cy in pixels, aspect, focal_35mm, hfov_deg, vfov_deg, dfov_deg, coefficients of a named model. prior: population
    of focal lengths (photo, phone, wide) or none. exif: `prior`, `check` or `ignore`. edited: the photo was cropped
    or stretched, so centre and aspect are free; otherwise the centre is held in the middle and pixels are square.
    edges: straight edges take part. refine: intrinsics and directions refined together. mask (H, W): True where the
    photo is to be ignored. shared: all photos are of one camera. errors: `return` puts an error in a failed photo's
    place. Raises ImageError, FitError, ModelError, WeightsError.

    >>> import anylens                                                         # doctest: +SKIP
    >>> result = anylens.calibrate("photo.jpg", known={"hfov_deg": (65, 3)})   # doctest: +SKIP
    >>> result.camera, result.hfov_interval_deg, result.warnings               # doctest: +SKIP
    """
    keeper = _shared_calibrator(None if weights is None else os.fspath(weights), mirror)
    return keeper.calibrate(image, model, known=known, prior=prior, exif=exif, edited=edited, edges=edges,
                            refine=refine, mask=mask, shared=shared, errors=errors)  # fmt: skip
