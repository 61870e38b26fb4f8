"""Chains of edge pixels cut into straight or gently bent pieces, fitted, and joined across gaps."""

from __future__ import annotations

import numpy as np

from anylens.edges.chains import first_of_chain
from anylens.edges.gradients import EdgePixels

TOLERANCE = 0.9  # pixels, largest distance of an edge pixel from its piece
LARGEST_BEND = 0.02  # height of a piece over its chord, as a share of the chord
SHORTEST = 10  # edge pixels
GAP = 0.5  # longest gap that is bridged, as a share of the shorter of two pieces
ASIDE = 1.2  # pixels, largest distance of a joined piece's ends from the other's line
STRAIGHT_ON = float(np.cos(np.radians(2.5)))


def split(p: EdgePixels, order: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First position in `order` and length (pieces,) of runs that lie within TOLERANCE of a shallow arc.

    A run that does not is cut at its pixel farthest from the chord, all runs at once, until none is left. The
    outermost pixels of a run are given up: corners are rounded by blur.
    """
    x, y = p.x[order], p.y[order]
    first, last = starts, np.append(starts[1:], len(order))
    done = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    while True:
        keep = last - first >= SHORTEST
        first, last = first[keep], last[keep]
        if not len(first):
            return np.concatenate([d[0] for d in done]) + 1, np.concatenate([d[1] - d[0] for d in done]) - 2
        offset, piece, at = _members(first, last - first)
        ax, ay = x[first], y[first]
        cx, cy = x[last - 1] - ax, y[last - 1] - ay
        chord = np.maximum(np.hypot(cx, cy), 1e-6)
        ux, uy = (cx / chord)[piece], (cy / chord)[piece]
        ex, ey = x[at] - ax[piece], y[at] - ay[piece]
        along = (ex * ux + ey * uy) / chord[piece]
        away = ux * ey - uy * ex
        arch = 4 * along * (1 - along)
        height = np.add.reduceat(away * arch, offset) / np.maximum(np.add.reduceat(arch * arch, offset), 1e-6)
        height = np.clip(height, -LARGEST_BEND * chord, LARGEST_BEND * chord)
        good = np.maximum.reduceat(np.abs(away - height[piece] * arch), offset) <= TOLERANCE
        done.append((first[good], last[good]))
        distance = np.abs(away)
        hit = np.flatnonzero(distance >= np.maximum.reduceat(distance, offset)[piece])
        cut = np.zeros(len(first), dtype=np.int64)
        cut[piece[hit]] = at[hit]
        cut = np.clip(cut, first + 1, last - 2)[~good]
        first, last = np.concatenate([first[~good], cut]), np.concatenate([cut, last[~good]])


def pixels_of(order: np.ndarray, first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Edge pixels (Σ count,) of runs that start at `first` in `order`, run after run."""
    return order[_members(first, count)[2]]


def _members(first: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each run begins in a list of all their members, each member's run, and its position."""
    offset = np.cumsum(count) - count
    piece = np.repeat(np.arange(len(count)), count)
    return offset, piece, np.arange(len(piece)) + (first - offset)[piece]


def fit(p: EdgePixels, at: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends and middle (pieces, 3, 2) and rms distance (pieces,) of a least-squares line with a bend through each run.

    at (Σ count,): edge pixels, run after run. The brighter side is on the left hand from first to last end.
    """
    offset, piece, _ = _members(np.zeros(len(count), dtype=np.int64), count)
    x, y = p.x[at].astype(np.float64), p.y[at].astype(np.float64)

    def mean(v: np.ndarray) -> np.ndarray:
        return np.add.reduceat(v, offset) / count

    cx, cy = mean(x), mean(y)
    dx, dy = x - cx[piece], y - cy[piece]
    turn = 0.5 * np.arctan2(2 * mean(dx * dy), mean(dx * dx) - mean(dy * dy))
    ux, uy = np.cos(turn), np.sin(turn)
    forward = np.where(ux * mean(p.tx[at]) + uy * mean(p.ty[at]) < 0, -1.0, 1.0)
    ux, uy = ux * forward, uy * forward
    s, t = dx * ux[piece] + dy * uy[piece], dy * ux[piece] - dx * uy[piece]
    low, high = np.minimum.reduceat(s, offset), np.maximum.reduceat(s, offset)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-6)
    q = ((s - middle[piece]) / half[piece]) ** 2
    q_mean = mean(q)
    q = q - q_mean[piece]
    bend = mean(q * t) / np.maximum(mean(q * q), 1e-9)  # t ≈ bend · (q - mean q)
    noise = np.sqrt(mean((t - bend[piece] * q) ** 2))

    def point(along: np.ndarray, height: np.ndarray) -> np.ndarray:
        return np.stack([cx + along * ux - height * uy, cy + along * uy + height * ux], axis=-1)

    ends = bend * (1 - q_mean)
    return np.stack([point(low, ends), point(middle, -bend * q_mean), point(high, ends)], axis=1), noise


def lines(points: np.ndarray) -> np.ndarray:
    """Label (n,) of the line that each piece (n, 3, 2) belongs to: those that continue each other share one.

    The next piece starts ahead, within GAP, turns little, and each lies within ASIDE of the other's line. Every
    piece takes the nearest such, if that one agrees.
    """
    a, b = points[:, 0], points[:, 2]
    chord = b - a
    length = np.maximum(np.hypot(chord[:, 0], chord[:, 1]), 1e-9)
    u = chord / length[:, None]
    normal = np.stack([-u[:, 1], u[:, 0]], axis=-1)
    here = (normal * a).sum(-1)[:, None]
    gap = _dots(u, a) - (u * b).sum(-1)[:, None]  # from the end of i to the start of j, along i
    near = (np.abs(_dots(normal, a) - here) < ASIDE) & (np.abs(_dots(normal, b) - here) < ASIDE)
    straight_on = _dots(u, u) > STRAIGHT_ON
    fits = near & near.T & (gap > -3) & (gap < 3 + GAP * np.minimum(length[:, None], length)) & straight_on
    every = np.arange(len(a))
    fits[every, every] = False
    distance = np.where(fits, np.abs(gap), np.inf)
    after, before = np.argmin(distance, axis=1), np.argmin(distance, axis=0)
    agreed = fits[every, after] & (before[after] == every)
    previous = np.full(len(a), -1)
    previous[after[agreed]] = every[agreed]
    return first_of_chain(previous)[0]


def _dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b.T of vectors (n, 2) and (m, 2). Not by BLAS, whose threads would keep a second core busy for long after."""
    return a[:, :1] * b[:, 0] + a[:, 1:] * b[:, 1]
