"""Where evidence about the focal length adds up: log-probabilities over 64 bins of log focal length.

Every source is a vector of 64 numbers over the same bins: the network's focal head, the population prior, an EXIF
tag with its doubt, what the user knows, the edges, the other photographs of the same camera. They are added, each
times a weight where it is not independent of itself or of others, and median and interval are read off the sum.

The quantity is the natural logarithm of the paraxial focal length f·h'(0) in half image diagonals, so that cameras
of every model and size compare; f is the geometric mean of fx and fy. A 35 mm equivalent F (by the diagonal,
43.27 mm) is log(F / 21.63), and 30 mm is 0.327. Bins are equally wide and span -1.6 to 2.0: 4.4 mm to 160 mm.
Inside a bin the density is even, so quantiles are interpolated and do not jump from centre to centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anylens.camera import Camera
from anylens.errors import AnylensError
from anylens.profiles import parse

BINS = 64
LOW, HIGH = -1.6, 2.0
STEP = (HIGH - LOW) / BINS
EDGES = LOW + STEP * np.arange(BINS + 1)
CENTRES = LOW + STEP * (np.arange(BINS) + 0.5)
NARROW = 0.25 * STEP  # 1.4 %: a narrower normal lies between bins rather than spread over them
HALF_DIAGONAL_MM = math.hypot(36.0, 24.0) / 2

# name -> kinds of lenses: (share, 35 mm equivalent at the middle, standard deviation of the log)
PRIORS: dict[str, tuple[tuple[float, float, float], ...]] = {
    # main cameras of phones, their second, wide ones, kit zooms and primes, long lenses
    "photo": ((0.42, 27.0, 0.1), (0.09, 16.0, 0.2), (0.34, 38.0, 0.4), (0.15, 85.0, 0.45)),
    "phone": ((1.0, 27.0, 0.15),),
    "wide": ((1.0, 16.0, 0.35),),
}
DEFAULT_PRIOR = "photo"


class EvidenceError(AnylensError, ValueError):
    """Evidence about the focal length that cannot be read."""


# -- cameras and focal lengths ---------------------------------------------------------------------------------


def log_focal(camera: Camera) -> float:
    """log of the paraxial focal length √(fx fy)·h'(0) over half the image diagonal; of one camera, not a batch."""
    p = np.asarray(camera.full)
    return float(0.5 * np.log(p[0] * p[1]) + math.log(_slope(camera) / _half_diagonal(camera)))


def with_log_focal(camera: Camera, value: Any) -> Camera:
    """The camera with another focal length: both scaled alike, coefficients and centre kept (they belong to angles).

    value: a number, or an array (G,) for a batch of G cameras.
    """
    p = np.asarray(camera.params, dtype=np.float64)
    focals = parse(camera.model).focals
    factor = np.exp(np.asarray(value, dtype=np.float64) - log_focal(camera))[..., None]
    head = p[:focals] * factor
    rest = np.broadcast_to(p[focals:], (*factor.shape[:-1], len(p) - focals))
    return Camera(camera.model, np.concatenate([head, rest], axis=-1), camera.width, camera.height)


def focal_35mm(log_f: float) -> float:
    """35 mm equivalent, by the diagonal, of a log focal length."""
    return HALF_DIAGONAL_MM * math.exp(log_f)


def _half_diagonal(camera: Camera) -> float:
    return math.hypot(camera.width, camera.height) / 2


def _slope(camera: Camera) -> float:
    return float(np.asarray(parse(camera.model).profile.slope0(np.asarray(camera.coefs)))[..., 0])


# -- sources -----------------------------------------------------------------------------------------------------


def flat() -> np.ndarray:
    """No opinion.  (64,)"""
    return np.full(BINS, -math.log(BINS))


def normalise(log_prob: Any) -> np.ndarray:
    """Log-probabilities (64,) that sum to one, from anything equal up to a constant; -inf is kept.

    Raises EvidenceError for another shape, NaN, +inf, or when no bin is possible.
    """
    given = np.asarray(log_prob, dtype=np.float64)
    if given.shape != (BINS,):
        raise EvidenceError(f"Evidence is a vector of {BINS} log-probabilities, not of shape {given.shape}.")
    top = float(np.max(given)) if not np.isnan(given).any() else math.nan
    if not math.isfinite(top):
        raise EvidenceError("Evidence must be finite in at least one bin and hold no NaN or +inf.")
    shifted = given - top
    return shifted - math.log(np.exp(shifted).sum())


def normal(mean: float, std: float, doubt: float = 0.0) -> np.ndarray:
    """A normal distribution of log focal length, mixed with a share `doubt` of no opinion.  (64,)

    Each bin holds its share of the density; a mean outside the range counts at the nearest end of it.
    """
    if not (math.isfinite(mean) and math.isfinite(std) and std > 0 and 0 <= doubt <= 1):
        raise EvidenceError(f"A normal needs finite mean, std > 0 and doubt in [0, 1]: {mean}, {std}, {doubt}.")
    mean = min(max(mean, LOW), HIGH)
    z = (EDGES - mean) / std
    mass = np.diff([0.5 * math.erfc(-v / math.sqrt(2)) for v in z]) if std > NARROW else _between_bins(mean)
    # Far tails underflow as differences; the density at the centre continues them.
    tail = -0.5 * ((CENTRES - mean) / std) ** 2 + math.log(STEP / std / math.sqrt(2 * math.pi))
    log_mass = np.where(mass > 1e-12, np.log(np.maximum(mass, 1e-300)), tail)
    return mix(log_mass, doubt)


def _between_bins(value: float) -> np.ndarray:
    """Mass (64,) of one value in its bin and the nearer neighbour, shared so that the median is the value."""
    place = (value - LOW) / STEP
    bin_ = min(int(place), BINS - 1)
    off = place - bin_ - 0.5  # from the bin's centre, in bins
    neighbour = min(max(bin_ + (1 if off > 0 else -1), 0), BINS - 1)
    own = 1 / (1 + 2 * abs(off))
    return own * (np.arange(BINS) == bin_) + (1 - own) * (np.arange(BINS) == neighbour)


def mix(log_prob: Any, doubt: float) -> np.ndarray:
    """The evidence with a share `doubt` of no opinion, so that a wrong source loses against clear others.  (64,)"""
    p = normalise(log_prob)
    return np.logaddexp(p + math.log1p(-doubt), math.log(doubt / BINS)) if 0 < doubt < 1 else flat() if doubt else p


def from_35mm(focal: float, std: float = 0.05, doubt: float = 0.1) -> np.ndarray:
    """A 35 mm equivalent focal length (by the diagonal) that is good to `std`, or wrong with probability `doubt`."""
    if not (math.isfinite(focal) and focal > 0):
        raise EvidenceError(f"A 35 mm equivalent must be positive, not {focal}.")
    return normal(math.log(focal / HALF_DIAGONAL_MM), std, doubt)


def from_focal(pixels: float, width: float, height: float, std: float = 0.02, doubt: float = 0.0) -> np.ndarray:
    """A paraxial focal length in pixels of an image of width x height, good to the share `std`."""
    if not (math.isfinite(pixels) and pixels > 0):
        raise EvidenceError(f"A focal length must be positive, not {pixels}.")
    return normal(math.log(2 * pixels / math.hypot(width, height)), std, doubt)


def prior(name: str | None = DEFAULT_PRIOR) -> np.ndarray:
    """The population prior of that name; `none` has no opinion.  (64,)"""
    if name is None or name == "none":
        return flat()
    if name not in PRIORS:
        raise EvidenceError(f"Unknown prior '{name}'. Known: {', '.join(PRIORS)}, none.")
    kinds = [math.log(share) + normal(math.log(mm / HALF_DIAGONAL_MM), std) for share, mm, std in PRIORS[name]]
    return normalise(np.logaddexp.reduce(kinds))


# -- sums --------------------------------------------------------------------------------------------------------


def add(*terms: Any, weights: Any = None) -> np.ndarray:
    """The product of independent sources: Σ weight · log-probability, normalised.  (64,)

    A weight below one tempers a source whose observations repeat each other.
    """
    weights = [1.0] * len(terms) if weights is None else list(weights)
    if len(weights) != len(terms):
        raise EvidenceError(f"{len(terms)} sources need as many weights, not {len(weights)}.")
    total = np.zeros(BINS)
    for term, weight in zip(terms, weights):
        if weight:
            total = total + weight * normalise(term)
    return normalise(total)


def quantile(log_prob: Any, share: float | np.ndarray) -> Any:
    """Log focal length below which `share` of the probability lies, interpolated inside its bin."""
    cumulative = np.concatenate([[0.0], np.cumsum(np.exp(normalise(log_prob)))])
    cumulative = cumulative / cumulative[-1] + 1e-15 * np.arange(BINS + 1)  # strictly rising
    found = np.interp(share, cumulative, EDGES)
    return float(found) if np.ndim(found) == 0 else found


def median(log_prob: Any) -> float:
    return quantile(log_prob, 0.5)


def interval(log_prob: Any, level: float = 0.6827) -> tuple[float, float]:
    """The central interval that holds `level` of the probability."""
    return quantile(log_prob, (1 - level) / 2), quantile(log_prob, (1 + level) / 2)


def mean(log_prob: Any) -> float:
    return float(np.exp(normalise(log_prob)) @ CENTRES)


def std(log_prob: Any) -> float:
    """Standard deviation of log focal length, the even spread inside each bin included."""
    p = np.exp(normalise(log_prob))
    return float(np.sqrt(p @ (CENTRES - p @ CENTRES) ** 2 + STEP**2 / 12))


def spread(log_prob: Any) -> float:
    """Half the 68 % interval: what std is for a normal, and less moved by far tails."""
    low, high = interval(log_prob)
    return (high - low) / 2


@dataclass(frozen=True)
class Evidence:
    """Named sources and their sum.

    >>> found = Evidence().plus("network", normal(0.3, 0.2)).plus("exif", from_35mm(28.0))
    >>> round(focal_35mm(found.median), 1), found.decided_by
    (28.1, 'exif')
    """

    terms: dict[str, np.ndarray] = field(default_factory=dict)

    def plus(self, name: str, log_prob: Any, weight: float = 1.0) -> Evidence:
        """With one more source, tempered by `weight`; a name given again replaces that source."""
        return replace(self, terms={**self.terms, name: weight * normalise(log_prob)})

    @property
    def log_prob(self) -> np.ndarray:
        return add(*self.terms.values()) if self.terms else flat()

    @property
    def median(self) -> float:
        return median(self.log_prob)

    @property
    def std(self) -> float:
        return std(self.log_prob)

    def interval(self, level: float = 0.6827) -> tuple[float, float]:
        return interval(self.log_prob, level)

    def shares(self) -> dict[str, float]:
        """What each source told beyond the others: divergence of the sum from the sum without it, in nats."""
        full = self.log_prob
        others = {name: [t for other, t in self.terms.items() if other != name] for name in self.terms}
        return {name: divergence(full, add(*rest) if rest else flat()) for name, rest in others.items()}

    @property
    def decided_by(self) -> str:
        """The source that told most; `nothing` without sources."""
        shares = self.shares()
        return max(shares, key=lambda name: shares[name]) if shares else "nothing"


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """How far p tells more than q, both log-probabilities (64,):  Σ p (log p - log q) in nats, at least 0."""
    possible = np.isfinite(p)
    return float(max(0.0, np.sum(np.exp(p[possible]) * (p[possible] - q[possible]))))
