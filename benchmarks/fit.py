"""Speed of a fit, one core, NumPy: milliseconds, and the ratio to SciPy's least squares in the same run.

Processor time of this one thread, so that other programs on the machine count as little as they can.

python benchmarks/fit.py
"""

import os
import time
from functools import partial

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402

import anylens  # noqa: E402
from anylens import Camera  # noqa: E402
from anylens.profiles import parse  # noqa: E402

MODELS = ("pinhole", "radial:2", "kb:4", "ucm", "eucm", "division:2", "ds")
SIZE = 640


def field(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A 77° pinhole field on an n x n grid with 1° of smooth errors."""
    rng = np.random.default_rng(seed)
    at = (np.arange(n) + 0.5) * SIZE / n
    pixels = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    rays = Camera("pinhole", [400.0, 400.0, 320.0, 320.0], SIZE, SIZE).unproject(pixels)[0]
    waves = [np.cos(pixels @ rng.normal(0, 3 / SIZE, 2) + rng.uniform(0, 6.3)) for _ in range(24)]
    noise = np.tensordot(rng.standard_normal((2, 24)), waves, axes=1).T
    noise *= np.radians(1) / np.sqrt((noise**2).sum(-1).mean())
    return pixels, anylens.field_to_rays(anylens.rays_to_field(rays) + noise)


def median_ms(call, repeats: int) -> float:
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1e3 * float(np.median(times))


def scipy_fit(model: str, pixels: np.ndarray, rays: np.ndarray):
    from scipy.optimize import least_squares

    start = np.array([400.0, 400.0, 320.0, 320.0, *parse(model).profile.start_coefs()])
    unit = np.array([400.0, 400.0, 320.0, 320.0, *[1.0] * (len(start) - 4)])
    bounds = np.array([(0.05, 20)] * 2 + [(-5, 5)] * 2 + parse(model).profile.coef_bounds()).T

    def residuals(z):
        found = Camera(model, z * unit, SIZE, SIZE).unproject(pixels)[0]
        gap = rays - found
        length = np.maximum(np.linalg.norm(gap, axis=-1, keepdims=True), 1e-12)
        return (gap / length * anylens.angle_between(found, rays)[:, None]).ravel()

    low, high = bounds
    return least_squares(residuals, np.clip(start / unit, low + 1e-6, high - 1e-6), bounds=(low, high))


def one_by_one(fit, pixels, rays) -> None:
    for single in rays:
        fit(pixels, single)


def main() -> None:
    print(f"{'model':<12}{'46 x 46':>12}{'SciPy':>12}{'ratio':>8}{'322 x 322':>12}")
    for model in MODELS:
        pixels, rays = field(46)
        ours = median_ms(partial(anylens.fit, pixels, rays, model, width=SIZE, height=SIZE), 30)
        theirs = median_ms(partial(scipy_fit, model, pixels, rays), 3)
        x, y = field(322)
        large = median_ms(partial(anylens.fit, x, y, model, width=SIZE, height=SIZE), 5)
        print(f"{model:<12}{ours:>9.2f} ms{theirs:>9.0f} ms{theirs / ours:>7.0f}x{large:>9.0f} ms", flush=True)
    try:
        import torch
    except ImportError:
        print("torch is not installed: no batch figures")
        return
    torch.set_num_threads(1)
    print(f"\n{'64 fields':<12}{'one call':>12}{'one by one':>12}{'ratio':>8}   (torch, one thread)")
    for model in MODELS:
        many = [field(46, seed) for seed in range(64)]
        pixels = torch.from_numpy(many[0][0])
        rays = torch.from_numpy(np.stack([r for _, r in many]))
        fit = partial(anylens.fit, model=model, width=SIZE, height=SIZE)
        batch = median_ms(partial(fit, pixels, rays), 5)
        single = median_ms(partial(one_by_one, fit, pixels, rays), 3)
        print(f"{model:<12}{batch:>9.0f} ms{single:>9.0f} ms{single / batch:>7.1f}x", flush=True)


if __name__ == "__main__":
    main()
