"""A furnished room and a street, in metres; x right, y down (the floor is at y = 0), z forward."""

from __future__ import annotations

import numpy as np
from tracing import Scene, Solid, noise, scatter


def plain(colour, grain=0.05, scale=0.05, seed=0):
    base = np.array(colour, dtype=float)

    def paint(p, n, axis):
        return base * (1 - grain + 2 * grain * noise(p, scale, seed))[:, None]

    return paint


def box(low, high, paint, **how):
    return Solid(np.array(low, float), np.array(high, float), paint, **how)


def planks(p):
    """Wooden floor: boards along z with joints and grain."""
    board = np.floor(p[:, 0] / 0.14)
    shift = scatter(board[:, None].astype(int), 3) * 1.8
    length = np.floor((p[:, 2] + shift) / 1.8)
    shade = scatter(np.stack([board, length], -1).astype(int), 5)
    grain = noise(p * [12, 1, 0.7], 0.1, 2)
    joint = ((p[:, 0] / 0.14) % 1 < 0.025) | (((p[:, 2] + shift) / 1.8) % 1 < 0.003)
    colour = np.array([0.50, 0.31, 0.17]) * (0.65 + 0.35 * shade + 0.3 * grain)[:, None]
    return np.where(joint[:, None], 0.35 * colour, colour)


def room_walls(p, n, axis):
    colour = (
        np.where((axis == 0)[:, None], [0.80, 0.77, 0.70], [0.70, 0.75, 0.74])
        * (0.97 + 0.06 * noise(p, 0.3, 8))[:, None]
    )
    skirting = p[:, 1] > -0.10
    colour = np.where(skirting[:, None], 0.88, colour)
    colour = np.where((n[:, 1] < -0.5)[:, None], planks(p), colour)
    return np.where((n[:, 1] > 0.5)[:, None], 0.90, colour)


def books(p, n, axis):
    spine = np.floor(p[:, 2] / 0.035)
    hue = np.stack([scatter(np.stack([spine, np.floor(p[:, 1] / 0.4)], -1).astype(int), s) for s in (1, 2, 3)], -1)
    edge = (p[:, 2] / 0.035) % 1 < 0.12
    return np.where(edge[:, None], 0.1, 0.12 + 0.6 * hue**1.5)


def picture(seed):
    def paint(p, n, axis):
        tone = np.stack([noise(p * 2.0, 0.35, seed + s) for s in range(3)], -1)
        return 0.15 + 0.75 * tone**1.3

    return paint


def tiles(p, n, axis):
    line = ((p[:, [0, 2]] / 0.5) % 1 < 0.02).any(-1)
    weave = np.sin(p[:, 0] * 25) * np.sin(p[:, 2] * 25) > 0
    inner = np.where(weave[:, None], [0.55, 0.16, 0.14], [0.62, 0.50, 0.36])
    return np.where(line[:, None], [0.25, 0.1, 0.1], inner)


def room() -> Scene:
    wood, dark, white = plain([0.42, 0.25, 0.13], 0.15), plain([0.10, 0.09, 0.09]), plain([0.85, 0.85, 0.83], 0.02)
    cloth, green = plain([0.20, 0.30, 0.42], 0.15, 0.02), plain([0.10, 0.28, 0.08], 0.6, 0.06)
    solids = [box([-2.6, -2.7, -1.5], [2.6, 0, 5.2], room_walls, inside=True)]
    solids += [box([-1.6, -0.012, 1.6], [0.9, 0.0, 3.6], tiles)]
    # sofa on the left
    solids += [box([-2.5, -0.42, 1.9], [-1.6, -0.08, 4.1], cloth), box([-2.55, -0.88, 1.9], [-2.3, -0.1, 4.1], cloth)]
    solids += [
        box([-2.5, -0.62, 1.75], [-1.6, -0.05, 1.92], cloth),
        box([-2.5, -0.62, 4.08], [-1.6, -0.05, 4.25], cloth),
    ]
    solids += [box([-2.3, -0.78, 2.1], [-2.12, -0.44, 2.55], plain([0.75, 0.42, 0.15], 0.1, 0.02))]
    # low table with things on it
    solids += [box([-0.85, -0.44, 2.2], [0.35, -0.40, 3.1], wood)]
    solids += [box([x, -0.40, z], [x + 0.05, 0, z + 0.05], wood) for x in (-0.83, 0.28) for z in (2.22, 3.03)]
    solids += [
        box([-0.6, -0.47, 2.5], [-0.3, -0.44, 2.72], plain([0.7, 0.2, 0.15])),
        box([-0.57, -0.50, 2.52], [-0.33, -0.47, 2.70], white),
    ]
    solids += [box([0.02, -0.56, 2.55], [0.14, -0.44, 2.67], white, round=True)]
    # shelf on the right with books
    solids += [box([2.28, -2.1, 1.6], [2.6, -2.06, 4.3], wood), box([2.28, -0.05, 1.6], [2.6, 0, 4.3], wood)]
    solids += [box([2.28, -2.1, z], [2.6, 0, z + 0.04], wood) for z in (1.6, 2.5, 3.4, 4.26)]
    for row, top in enumerate((-1.6, -1.1, -0.6)):
        solids += [box([2.28, top, 1.6], [2.6, top + 0.035, 4.3], wood)]
        solids += [box([2.36, top - 0.30, 1.70 + 0.13 * row], [2.58, top, 2.9 + 0.3 * row], books)]
    # far wall: window, door, pictures
    for x in (-1.15, -0.25):
        solids += [box([x, -2.15, 5.17], [x + 0.8, -0.95, 5.19], plain([2.6, 2.8, 3.0], 0.02))]
    solids += [box([x, -2.25, 5.10], [x + 0.08, -0.87, 5.2], white) for x in (-1.23, -0.34, 0.56)]
    solids += [box([-1.3, y, 5.08], [0.7, y + 0.08, 5.2], white) for y in (-2.27, -0.93)]
    solids += [box([-1.2, -1.58, 5.12], [0.6, -1.54, 5.2], white)]
    panel, handle = plain([0.78, 0.78, 0.76]), box([1.36, -1.04, 5.05], [1.5, -1.0, 5.15], dark)
    solids += [box([1.25, -2.08, 5.14], [2.15, 0, 5.2], white), handle]
    solids += [box([1.33, y, 5.11], [2.07, y + 0.85, 5.15], panel) for y in (-1.98, -1.0)]
    for z, seed in ((2.2, 11), (3.2, 23)):
        solids += [
            box([-2.6, -1.95, z], [-2.55, -1.25, z + 0.8], dark),
            box([-2.58, -1.9, z + 0.05], [-2.54, -1.3, z + 0.75], picture(seed)),
        ]
    # lamp and plant
    solids += [
        box([-0.02, -2.7, 2.6], [0.0, -2.05, 2.62], dark),
        box([-0.26, -2.12, 2.36], [0.24, -1.82, 2.86], plain([1.5, 1.3, 0.9]), round=True),
    ]
    solids += [
        box([1.5, -0.35, 4.4], [1.85, 0, 4.75], plain([0.6, 0.3, 0.2])),
        box([1.25, -1.35, 4.2], [2.1, -0.3, 5.0], green, round=True),
    ]
    # chair
    solids += [box([0.75, -0.48, 1.9], [1.2, -0.44, 2.35], wood), box([1.16, -0.95, 1.9], [1.2, -0.48, 2.35], wood)]
    solids += [box([x, -0.44, z], [x + 0.04, 0, z + 0.04], wood) for x in (0.75, 1.16) for z in (1.9, 2.31)]
    sun = np.array([-0.25, -0.75, 0.6])
    light = {"sunlight": np.array([0.30, 0.28, 0.22]), "shade": np.array([0.92, 0.90, 0.86])}
    return Scene(solids, sun / np.linalg.norm(sun), lambda r: np.ones((len(r), 3)), **light)


def facade(colour, seed, width=3.0, floor=3.2):
    base = np.array(colour, float)

    def paint(p, n, axis):
        along = np.where(axis == 0, p[:, 2], p[:, 0])
        storey = np.floor(-p[:, 1] / floor)
        u, v = (along / width) % 1, (-p[:, 1] / floor) % 1
        ground = storey < 1
        left, right = np.where(ground, 0.12, 0.3), np.where(ground, 0.88, 0.7)
        low, high = np.where(ground, 0.12, 0.28), np.where(ground, 0.8, 0.82)
        frame = (u > left - 0.04) & (u < right + 0.04) & (v > low - 0.04) & (v < high + 0.05)
        glass = (u > left) & (u < right) & (v > low) & (v < high)
        bar = glass & ((np.abs(u - 0.5) < 0.014) | (np.abs(v - 0.62) < 0.014))
        cell = np.stack([np.floor(along / width), storey], -1).astype(int)
        pane = np.array([0.10, 0.14, 0.18]) + 0.25 * scatter(cell, seed)[:, None] + 0.12 * v[:, None]
        wall = base * (0.88 + 0.2 * noise(p, 0.5, seed))[:, None]
        course = (v < 0.03) | ((-p[:, 1] / 0.3) % 1 < 0.05)
        wall = np.where(course[:, None], 0.82 * wall, wall)
        out = np.where(frame[:, None], 0.78, wall)
        out = np.where(glass[:, None], pane, out)
        out = np.where(bar[:, None], 0.8, out)
        return np.where((axis == 1)[:, None], 0.3, out)

    return paint


def road(p, n, axis):
    grey = (0.16 + 0.06 * noise(p, 0.03, 1) + 0.05 * noise(p, 1.5, 2))[:, None] * np.array([1.0, 1.0, 1.02])
    line = (np.abs(p[:, 0]) < 0.07) & ((p[:, 2] / 6) % 1 < 0.5)
    edge = np.abs(np.abs(p[:, 0]) - 4.2) < 0.06
    cross = (np.abs(p[:, 2] - 9) < 1.6) & ((p[:, 0] / 1.0) % 1 < 0.5) & (np.abs(p[:, 0]) < 4)
    return np.where((line | edge | cross)[:, None], 0.75, grey)


def paving(p, n, axis):
    joint = ((p[:, [0, 2]] / 0.6) % 1 < 0.03).any(-1)
    tone = scatter(np.floor(p[:, [0, 2]] / 0.6).astype(int), 4)
    return np.where(joint[:, None], 0.2, (0.38 + 0.1 * tone)[:, None] * np.array([1.0, 0.97, 0.92]))


def sky(rays):
    up = np.clip(-rays[:, 1], 0, 1)[:, None]
    blue = (1 - up**0.5) * np.array([0.80, 0.87, 0.95]) + up**0.5 * np.array([0.22, 0.42, 0.78])
    flat = rays / np.maximum(0.08, -rays[:, 1:2])
    cloud = (
        0.6 * noise(flat * [1, 0, 1], 0.9, 7)
        + 0.3 * noise(flat * [1, 0, 1], 0.35, 8)
        + 0.1 * noise(flat * [1, 0, 1], 0.12, 9)
    )
    return blue + np.clip((cloud - 0.5) * 3.5, 0, 1)[:, None] * (0.98 - blue)


def car(x, z, colour):
    body, glass, tyre = plain(colour, 0.02), plain([0.08, 0.10, 0.12]), plain([0.03, 0.03, 0.03])
    parts = [
        box([x, -0.85, z], [x + 1.75, -0.28, z + 4.2], body),
        box([x + 0.12, -1.42, z + 0.9], [x + 1.63, -0.85, z + 3.4], glass),
    ]
    parts += [box([x + 0.1, -1.46, z + 1.1], [x + 1.65, -1.40, z + 3.2], body)]
    return parts + [
        box([x - 0.02 + s, -0.62, z + d], [x + 0.2 + s, 0, z + d + 0.62], tyre) for s in (0, 1.59) for d in (0.5, 3.0)
    ]


def tree(x, z, height, seed):
    leaf = plain([0.13, 0.30, 0.07], 0.75, 0.16, seed)
    trunk = box([x - 0.14, -height * 0.5, z - 0.14], [x + 0.14, 0, z + 0.14], plain([0.22, 0.16, 0.11], 0.3, 0.1))
    rng = np.random.default_rng(seed)
    crown = []
    for _ in range(9):
        at = np.array([x, -height * 0.68, z]) + rng.uniform(-1, 1, 3) * [1.1, 0.9, 1.1]
        r = rng.uniform(0.7, 1.2)
        crown.append(box(at - r, at + r, leaf, round=True))
    return [trunk, *crown]


def street() -> Scene:
    rng = np.random.default_rng(5)
    solids = [box([-300, 0, -300], [300, 1, 400], road)]
    solids += [box([side * 6.4 - 2.0, -0.14, -60], [side * 6.4 + 2.0, 0.5, 200], paving) for side in (-1, 1)]
    colours = (
        [0.62, 0.34, 0.24],
        [0.80, 0.72, 0.55],
        [0.66, 0.66, 0.64],
        [0.76, 0.55, 0.42],
        [0.86, 0.82, 0.74],
        [0.5, 0.3, 0.25],
    )
    for side in (-1, 1):
        z = -42.0
        while z < 150:
            length, height = rng.integers(3, 6) * 3.0, rng.integers(3, 6) * 3.2
            deep = 8.4 + rng.choice([0.0, 0.0, 0.25])
            low, high = (
                ([-30, -height, z], [-deep, 0, z + length]) if side < 0 else ([deep, -height, z], [30, 0, z + length])
            )
            solids.append(box(low, high, facade(colours[rng.integers(len(colours))], int(rng.integers(99)))))
            roof = [low[0] - 0.3 * (side > 0), -height - 0.25, z], [high[0] + 0.3 * (side < 0), -height, z + length]
            solids.append(box(*roof, plain([0.35, 0.33, 0.32])))
            z += length + (0 if rng.random() < 0.8 else 4.0)
    for i, z in enumerate((3.0, 12.5, 18.0, 29.0)):
        solids += car(2.4, z, ([0.55, 0.05, 0.05], [0.75, 0.76, 0.78], [0.08, 0.14, 0.3], [0.8, 0.8, 0.8])[i])
    for i, z in enumerate((-9.0, 6.5, 15.0, 22.0)):
        solids += car(-4.1, z, ([0.2, 0.35, 0.2], [0.1, 0.1, 0.11], [0.8, 0.62, 0.1], [0.5, 0.5, 0.52])[i])
    for z in (-6.0, 10.0, 26.0, 42.0):
        solids += [
            box([-4.75, -5.6, z], [-4.65, 0, z + 0.1], plain([0.12, 0.13, 0.13])),
            box([-4.75, -5.65, z], [-3.4, -5.55, z + 0.1], plain([0.12, 0.13, 0.13])),
        ]
        solids += tree(5.2, z + 5, 5.5, int(z) + 90)
    sun = np.array([-0.55, -0.75, -0.35])
    return Scene(
        solids,
        sun / np.linalg.norm(sun),
        sky,
        sunlight=np.array([1.15, 1.06, 0.90]),
        shade=np.array([0.38, 0.43, 0.52]),
    )
