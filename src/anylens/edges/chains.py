"""Edge pixels linked into chains: each to its best neighbour ahead, and only if that one agrees."""

from __future__ import annotations

import numpy as np

from anylens.edges.gradients import EdgePixels

LARGEST_TURN = float(np.cos(np.radians(30.0)))  # between the tangents of two linked pixels
SAME_SPOT = 0.4  # pixels along the edge
HALF_AROUND = (
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
)  # (rows, columns) to half of the neighbours; the rest are these, seen back


def link(pixels: EdgePixels) -> tuple[np.ndarray, np.ndarray]:
    """Order (n,) that walks the chains one after the other, and where each chain starts in it (c,).

    Links are mutual, so chains are simple paths; a closed contour is cut at one of its pixels.
    """
    ahead, behind = _best_neighbours(pixels)
    index = np.arange(len(ahead))
    agreed = (ahead >= 0) & (behind[ahead] == index)
    previous = np.full(len(index), -1)
    previous[ahead[agreed]] = index[agreed]
    head, rank = first_of_chain(previous)
    order = np.argsort(head * (len(index) + 1) + rank)
    return order, np.flatnonzero(np.diff(head[order], prepend=-1))


def _best_neighbours(p: EdgePixels) -> tuple[np.ndarray, np.ndarray]:
    """Index of the best neighbour along and against the tangent, -1 where there is none.  (n,) each

    Best is least aside of both tangents, then nearest, then least turned. Where an edge passes from one row of pixels
    to the next, both may hold a ridge pixel of the same spot: the weaker of such twins is not linked.
    """
    n = len(p.index)
    table = np.full(p.shape[0] * p.shape[1], -1, dtype=np.int32)
    table[p.index] = np.arange(n, dtype=np.int32)
    pairs = [_pairs(p, table, rows * p.shape[1] + columns) for rows, columns in HALF_AROUND]
    single = np.ones(n, dtype=bool)
    for i, j, along, _ in pairs:
        twins = np.abs(along) < SAME_SPOT
        i, j = i[twins], j[twins]
        single[np.where(p.strength[i] < p.strength[j], i, j)] = False
    best, found = np.full((2, n), np.inf), np.full((2, n), -1)
    for i, j, along, cost in pairs:
        usable = single[i] & single[j] & (np.abs(along) >= SAME_SPOT)
        i, j, along, cost = i[usable], j[usable], along[usable], cost[usable]
        tail, head = np.where(along > 0, i, j), np.where(along > 0, j, i)
        for side, near, far in ((0, tail, head), (1, head, tail)):
            # An edge pixel may be tail (or head) of two of these pairs, once as i and once as j; the better one stays.
            for part in (along > 0, along < 0):
                better = np.flatnonzero(part & (cost < best[side, near]))
                best[side, near[better]] = cost[better]
                found[side, near[better]] = far[better]
    return found[0], found[1]


def _pairs(p: EdgePixels, table: np.ndarray, away: int) -> tuple[np.ndarray, ...]:
    """Edge pixels i, j that are `away` in the table and turned alike, their distance along the tangent, and the cost
    of a link."""
    other = table[p.index + away]  # edge pixels keep off the border
    i = np.flatnonzero(other >= 0)
    j = other[i]
    turn = p.tx[i] * p.tx[j] + p.ty[i] * p.ty[j]
    alike = turn > LARGEST_TURN
    i, j, turn = i[alike], j[alike], turn[alike]
    ex, ey = p.x[j] - p.x[i], p.y[j] - p.y[i]
    tx, ty = 0.5 * (p.tx[i] + p.tx[j]), 0.5 * (p.ty[i] + p.ty[j])
    along = ex * tx + ey * ty
    return i, j, along, np.abs(ex * ty - ey * tx) + 0.3 * np.abs(along) + 0.5 * (1 - turn)


def first_of_chain(previous: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First member of each one's chain and the number of steps to it, by pointer doubling.  (n,) each

    previous (n,): index of the one before, -1 at a start; at most one follows each. Cycles are cut.
    """
    previous = _cut_cycles(previous)
    index = np.arange(len(previous))
    head = np.where(previous >= 0, previous, index)
    rank = (previous >= 0).astype(np.int64)
    while True:
        further = head[head]
        if np.array_equal(further, head):
            return head, rank
        rank, head = rank + rank[head], further


def _cut_cycles(previous: np.ndarray) -> np.ndarray:
    """Links (n,) with every cycle opened before its smallest index."""
    index = np.arange(len(previous))
    reach, smallest = np.where(previous >= 0, previous, index), index
    for _ in range(len(previous).bit_length()):
        smallest = np.minimum(smallest, smallest[reach])
        reach = reach[reach]
    in_cycle = previous[reach] >= 0  # after so many steps every open chain has come to its start
    return np.where(in_cycle & (smallest == index), -1, previous)
