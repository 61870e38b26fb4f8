"""From Kannala-Brandt to the unified model: why the focal length must not be kept.

A fisheye calibrated as kb:4 is wanted as ucm (one coefficient ξ). Both are fitted to the same rays:

    fixed    fx, fy as they are in kb:4, only ξ is free: the centre of the image is right, its border is not
    free     focal length and ξ together: ucm's focal length means something else (f_ucm = f (1 + ξ))

and the picture is undistorted with each. Straight edges of a room stay bent with the fixed one.

    python examples/kb_to_ucm.py [--out kb_to_ucm.png]
"""

import argparse

import numpy as np

import anylens
from anylens import Camera
from anylens.data.pyramid import build_pyramid
from anylens.data.render import render_view
from anylens.data.rotation import rotation_from_angles
from anylens.data.synthetic import box_world
from anylens.undistortion import undistort

SIZE = 480
KB = Camera("kb:4", [150.0, 150.0, SIZE / 2, SIZE / 2, -0.01, 0.004, -0.004, 0.0006], SIZE, SIZE)


def fitted(fixed: bool) -> Camera:
    """ucm fitted to the rays of KB, with its focal lengths kept or free."""
    at = (np.arange(60) + 0.5) * SIZE / 60
    pixels = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    rays, valid = KB.unproject(pixels)
    known = {"cx": SIZE / 2, "cy": SIZE / 2} | ({"fx": 150.0, "fy": 150.0} if fixed else {})
    return anylens.fit(pixels[valid], rays[valid], "ucm", width=SIZE, height=SIZE, known=known).camera


def bend_px(camera: Camera) -> float:
    """Largest distance from its chord, in pixels, of a straight edge undistorted with `camera` to 110° across."""
    edge = np.stack([np.linspace(-1.2, 1.2, 101), np.full(101, 0.7), np.ones(101)], axis=-1)
    seen, _ = KB.project(edge / np.linalg.norm(edge, axis=1, keepdims=True))
    rays, _ = camera.unproject(seen)
    target = SIZE / 2 / np.tan(np.radians(55))
    x, y = target * rays[:, 0] / rays[:, 2], target * rays[:, 1] / rays[:, 2]
    return float(np.abs(y - np.interp(x, x[[0, -1]], y[[0, -1]])).max())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", help="Write the photo and both undistorted pictures; needs matplotlib.")
    out = parser.parse_args().out
    cameras = {"focal length fixed": fitted(True), "focal length free": fitted(False)}
    for name, camera in cameras.items():
        p = camera.named()
        print(f"{name}: f {p['fx']:.1f}, ξ {p['xi']:.3f}, hFoV {camera.hfov_deg:.1f}° (kb:4: {KB.hfov_deg:.1f}°), "
              f"a straight edge bends by {bend_px(camera):.2f} px")  # fmt: skip
    if out:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        photo = render_view(build_pyramid(box_world(2048, 4)), KB, rotation_from_angles(30, -12, 0))
        pictures = {"photo": photo} | {n: undistort(photo, c, fov_deg=110).image for n, c in cameras.items()}
        _, axes = pyplot.subplots(1, 3, figsize=(12, 4.2))
        for axis, (name, picture) in zip(axes, pictures.items()):
            axis.imshow(picture)
            axis.set_title(name)
            axis.set_axis_off()
        pyplot.savefig(out, dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main()
