"""anylens itself, in as many configurations as one likes: each photo goes through each network once.

A configuration is written `anylens`, or `anylens:` and words joined by `+`:

    network         neither prior nor edges            no-edges, no-prior, exif, edited, refine, mirror
    model=ID  prior=NAME  weights=FILE
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anylens.calibration import Calibrator, Options, Result
from anylens.calibration.estimate import conclude
from anylens.errors import AnylensError, FormatError
from anylens.evaluation.sample import Estimate, Sample

WORDS = ("network", "no-edges", "no-prior", "exif", "edited", "refine", "mirror", "model=ID", "prior=NAME",
         "weights=FILE")  # fmt: skip


@dataclass(frozen=True)
class Configuration:
    """A name in tables, the options of a calibration, and the network."""

    name: str = "anylens"
    options: Options = field(default_factory=lambda: Options(exif="ignore"))
    weights: str | None = None
    mirror: bool = False

    @property
    def sight(self) -> tuple[str | None, bool, bool]:
        """Configurations with the same are shown the same picture once."""
        return self.weights, self.mirror, self.options.edited


def parse_configuration(text: str, base: Configuration) -> Configuration:
    """`anylens:no-edges+model=radial:1` on top of the command's own settings. Raises FormatError."""
    options, weights, mirror = base.options, base.weights, base.mirror
    for word in text.partition(":")[2].split("+") if ":" in text else []:
        key, _, value = word.partition("=")
        if word == "network":
            options = replace(options, edges=False, prior="none")
        elif word == "no-edges":
            options = replace(options, edges=False)
        elif word == "no-prior":
            options = replace(options, prior="none")
        elif word == "exif":
            options = replace(options, exif="prior")
        elif word in ("edited", "refine"):
            options = replace(
                options, edited=options.edited or word == "edited", refine=options.refine or word == "refine"
            )
        elif word == "mirror":
            mirror = True
        elif key == "model" and value:
            options = replace(options, model=value)
        elif key == "prior" and value:
            options = replace(options, prior=value)
        elif key == "weights" and value:
            weights = value
        else:
            raise FormatError(f"'{word}' in '{text}' is no configuration of anylens. Words: {', '.join(WORDS)}.")
    return Configuration(text, options, weights, mirror)


class Observer:
    """Looks at photos for several configurations; calibrators are made when first needed.

    >>> observer = Observer([Configuration()])                                 # doctest: +SKIP
    >>> observer.estimate(sample)                                              # doctest: +SKIP
    {'anylens': Estimate(...)}
    """

    def __init__(self, configurations: Sequence[Configuration], threads: int = 1, predictor: Any = None):
        self.configurations, self.threads, self.predictor = list(configurations), threads, predictor
        self.calibrators: dict[Any, Calibrator] = {}

    def see(self, picture: Any, configuration: Configuration, edges: bool) -> Any:
        """The observation of a picture. Raises AnylensError."""
        key = configuration.sight[:2]
        if key not in self.calibrators:
            self.calibrators[key] = Calibrator(configuration.weights, threads=self.threads, batch=1,
                                               mirror=configuration.mirror, predictor=self.predictor)  # fmt: skip
        return self.calibrators[key].observe([picture], replace(configuration.options, edges=edges))[0]

    def observe(self, picture: Any) -> dict[str, Any]:
        """By configuration its observation, or the AnylensError in its place."""
        seen: dict[Any, Any] = {}
        for sight in {c.sight: c for c in self.configurations}:
            alike = [c for c in self.configurations if c.sight == sight]
            try:
                seen[sight] = self.see(picture, alike[0], any(c.options.edges for c in alike))
            except AnylensError as error:
                seen[sight] = error
        return {c.name: seen[c.sight] for c in self.configurations}

    def results(self, picture: Any) -> dict[str, Any]:
        """By configuration its Result, or the AnylensError in its place."""
        found: dict[str, Any] = {}
        seen = self.observe(picture)
        for c in self.configurations:
            try:
                found[c.name] = (
                    seen[c.name] if isinstance(seen[c.name], AnylensError) else conclude(seen[c.name], c.options)
                )
            except AnylensError as error:
                found[c.name] = error
        return found

    def estimate(self, sample: Sample) -> dict[str, Estimate]:
        try:
            picture = sample.picture()
        except (AnylensError, OSError) as error:
            return {c.name: Estimate.failure(sample.file, error) for c in self.configurations}
        return {name: to_estimate(sample.file, result) for name, result in self.results(picture).items()}


def to_estimate(file: str, result: Any) -> Estimate:
    """A Result, or the error in its place, as an estimate."""
    if not isinstance(result, Result):
        return Estimate.failure(file, result)
    return Estimate(file, result.camera, result.hfov_deg, result.vfov_deg, result.hfov_interval_deg, "",
                    result.warnings, result.ms)  # fmt: skip
