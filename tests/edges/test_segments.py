"""Segments: true position, direction and bend, in the picture's own pixels."""

import numpy as np
import pytest
from pictures import H, W, X, Y, white_noise

from anylens.edges import Segments, detect


def edge(angle_deg, offset=0.0, bend=0.0, blur=1.0):
    """A picture with one edge through its middle: distance from the edge, softened over about a pixel."""
    a = np.radians(angle_deg)
    s = (X + 0.5 - W / 2) * np.cos(a) + (Y + 0.5 - H / 2) * np.sin(a)
    t = (Y + 0.5 - H / 2) * np.cos(a) - (X + 0.5 - W / 2) * np.sin(a)
    t = t - offset - bend * (1 - (s / 200) ** 2)
    image = 127 + 100 * np.tanh(t / blur)
    return np.where(np.abs(s) < 200, image, 127).astype(np.float32)


@pytest.mark.parametrize("angle", [0.0, 7.3, 33.0, 45.0, 71.9, 90.0, 128.0])
def test_an_edge_is_where_it_is(angle):
    found = detect(edge(angle, offset=0.37), side=W).longest(1)
    a = np.radians(angle)
    normal = np.array([-np.sin(a), np.cos(a)])
    middle = np.array([W / 2, H / 2]) + 0.37 * normal
    assert found.length[0] > 380
    assert np.abs((found.points[0] - middle) @ normal).max() < 0.06
    along = found.chord[0] / found.length[0]
    assert abs(along @ normal) < np.radians(0.02)


@pytest.mark.parametrize("bend", [-3.0, 0.0, 1.5, 4.0])
def test_a_bent_edge_keeps_its_bend(bend):
    s = detect(edge(20.0, bend=bend), side=W).longest(1)
    height = s.points[0, 1] - 0.5 * (s.points[0, 0] + s.points[0, 2])
    u = s.chord[0] / s.length[0]
    sign = np.sign(u @ [np.cos(np.radians(20)), np.sin(np.radians(20))])
    measured = sign * (u[0] * height[1] - u[1] * height[0]) * (400 / s.length[0]) ** 2
    assert s.length[0] > 350
    assert measured == pytest.approx(bend, abs=0.1)


def test_a_sharp_curve_is_cut():
    circle = np.where((X - 320) ** 2 + (Y - 240) ** 2 < 80**2, 200.0, 60.0)
    assert detect(circle).length.max() < 60


def test_pieces_join_across_a_gap_and_only_if_they_continue():
    u = (X - W / 2) * np.cos(np.radians(15)) + (Y - H / 2) * np.sin(np.radians(15))
    fade = np.clip((np.abs(u) - 15) / 60, 0, 1)  # soft, so that the gap has no edges of its own
    assert detect(127 + fade * (edge(15.0) - 127), side=W).length[0] > 370
    aside = np.where(u > 0, edge(15.0, offset=4.0), edge(15.0))
    assert detect(127 + fade * (aside - 127), side=W).length[0] < 300


def test_the_brighter_side_is_on_the_left_hand():
    below = detect(np.where(Y > 200, 220.0, 30.0)).longest(1)  # going left, what is below is on the left hand
    assert below.chord[0, 0] < 0
    above = detect(np.where(Y > 200, 30.0, 220.0)).longest(1)
    assert above.chord[0, 0] > 0


def test_coordinates_are_those_of_the_given_picture():
    small = edge(30.0)
    large = np.kron(small, np.ones((3, 3), dtype=np.float32))
    a, b = detect(small, side=W).longest(1), detect(large, side=W).longest(1)
    assert np.allclose(b.points, 3 * a.points, atol=0.4)


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float01", "colour", "alpha"])
def test_any_number_type_gives_the_same_segments(kind):
    grey = edge(30.0, blur=3.0).astype(np.uint8)
    image = {
        "uint8": grey,
        "uint16": grey.astype(np.uint16) * 257,
        "float01": grey / 255.0,
        "colour": np.repeat(grey[..., None], 3, axis=-1),
        "alpha": np.dstack([grey, grey, grey, np.full_like(grey, 255)]),
    }[kind]
    found, plain = detect(image, side=W).longest(1), detect(grey, side=W).longest(1)
    assert np.allclose(found.points, plain.points, atol=0.02)


@pytest.mark.parametrize("shape", [(1, 1), (5, 400), (400, 5), (9, 9)])
def test_tiny_pictures_have_none(shape):
    assert len(detect(np.zeros(shape, dtype=np.uint8))) == 0


def test_noise_has_no_long_segments():
    assert detect(white_noise()).length.max(initial=0.0) < 20


def test_a_frame_around_the_picture_is_left_out():
    image = edge(15.0)
    image[:6], image[-6:], image[:, :6], image[:, -6:] = 255, 255, 255, 255
    found = detect(image, side=W)
    kept = found.inside(W, H)
    assert (found.length > 400).sum() >= 3
    assert (kept.length > 300).sum() == 1


def test_long_segments_agree_with_another_detector():
    cv2 = pytest.importorskip("cv2")
    if not hasattr(cv2, "createLineSegmentDetector"):
        pytest.skip("this OpenCV has no line segment detector")
    from room import held, render

    from anylens import Camera

    view = render(Camera("simple_pinhole", [420, W / 2, H / 2], W, H), held(30, 8, 4))
    theirs = cv2.createLineSegmentDetector().detect(view)[0].reshape(-1, 4) + 0.5
    theirs = Segments.from_ends(theirs)
    theirs = theirs[theirs.length > 60].inside(W, H)
    ours = detect(view, side=W)
    u = ours.chord / ours.length[:, None]
    near = 0
    for middle, chord in zip(theirs.points[:, 1], theirs.chord / theirs.length[:, None]):
        offset = middle - ours.points[:, 1]
        aside = np.abs(u[:, 0] * offset[:, 1] - u[:, 1] * offset[:, 0])
        along = np.abs((u * offset).sum(-1))
        turn = np.abs(u[:, 0] * chord[1] - u[:, 1] * chord[0])
        near += bool(((aside < 1.5) & (along < 0.6 * ours.length) & (turn < np.radians(1.5))).any())
    assert len(theirs) > 20
    assert near > 0.8 * len(theirs)
