"""Edges as evidence: milliseconds by stage on one core, beside OpenCV's segment detector; accuracy on photographs.

python benchmarks/edges.py                      # a rendered room, time only
python benchmarks/edges.py FOLDER               # photographs with known cameras: manifest.jsonl and images in it
python benchmarks/edges.py FOLDER --lsd         # the same with OpenCV's segments

Accuracy: hFoV error, median (80th percentile) and how often the 68 % interval covers. No network is asked: one is
played by a normal distribution about the truth, off by a seeded error of its own width (0.17 in log focal length),
so the columns with it show what edges add to a network of that strength. Distortion and model are the true ones.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from anylens import Camera, edges, evidence  # noqa: E402

SIGMA, DRAWS = 0.17, 8
COLUMNS = ("edges", "edges+prior", "network", "network+prior", "network+edges", "all")


def cpu_ms(call, repeats: int = 5) -> float:
    call()
    start = time.process_time()
    for _ in range(repeats):
        call()
    return 1e3 * (time.process_time() - start) / repeats


def opencv_segments(grey: np.ndarray) -> edges.Segments:
    import cv2

    found = cv2.createLineSegmentDetector().detect(grey)[0]
    return edges.Segments.from_ends([] if found is None else found.reshape(-1, 4) + 0.5)


def speed(grey: np.ndarray, label: str) -> None:
    height, width = grey.shape
    network = evidence.add(evidence.normal(0.35, SIGMA), evidence.prior())
    detect = cpu_ms(lambda: edges.detect(grey))
    line = f"{label} {width}x{height}: segments {detect:.0f} ms"
    try:
        line += f" ({detect / cpu_ms(lambda: opencv_segments(grey)):.2f} of OpenCV's)"
    except (ImportError, AttributeError):
        line += " (OpenCV is not there to compare)"
    segments = edges.detect(grey)
    for model, coefs in (("simple_pinhole", []), ("simple_radial:1", [-0.05]), ("simple_eucm", [0.3, 1.0])):
        shape = Camera(model, [900.0, width / 2, height / 2, *coefs], width, height)
        found = edges.evidence(segments, shape, prior=network)
        search = cpu_ms(lambda s=shape: edges.evidence(segments, s, prior=network))
        wide = cpu_ms(lambda s=shape: edges.evidence(segments, s, prior=evidence.flat()))
        prior = (evidence.median(network), evidence.std(network))
        refine = cpu_ms(lambda f=found, p=prior: edges.refine(f.camera, f.segments, f.frame, log_focal=p))
        line += f"\n  {model}: evidence {search:.0f} ms ({wide:.0f} without a network), refinement {refine:.0f} ms"
    print(line)


def read(folder: Path) -> list[dict]:
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        row["group"] = next((t for t in ("black_border", "macro_weak_geometry") if t in row["tags"]), row["group"])
        p, w, h = row["params"], row["width"], row["height"]
        head = [float(np.sqrt(p["fx"] * p["fy"])), w / 2, h / 2]  # centred, as the tool assumes
        if row["model"] == "kb4":
            row["camera"] = Camera("simple_kb:4", head + [p[f"k{i}"] for i in (1, 2, 3, 4)], w, h)
        elif row["group"] == "distorted":
            row["camera"] = Camera("simple_radial:2", [*head, p["k1"], p.get("k2", 0.0)], w, h)
        else:
            row["camera"] = Camera("simple_pinhole", head, w, h)
    return rows


def accuracy(folder: Path, lsd: bool) -> None:
    rows = read(folder)
    for row in rows:
        grey = np.asarray(Image.open(folder / row["file"]).convert("L"))
        row["edges"] = edges.evidence(opencv_segments(grey) if lsd else grey, row["camera"], prior=evidence.flat())
    print(f"hFoV error in degrees, median (80th percentile) covered; {DRAWS} draws of the played network")
    print(f"{'group':20s}" + "".join(f"{c:>21s}" for c in COLUMNS))
    for group in sorted({row["group"] for row in rows}):
        members = [row for row in rows if row["group"] == group]
        print(f"{group:14s}{len(members):4d}  " + "".join(f"{_cell(members, c):>21s}" for c in COLUMNS))
    shares = [(r["edges"].weight, r["group"]) for r in rows]
    for group in sorted({g for _, g in shares}):
        print(f"{group}: median weight of the edges {np.median([w for w, g in shares if g == group]):.2f}")


def _cell(rows: list[dict], column: str) -> str:
    errors, covered = [], []
    for i, row in enumerate(rows):
        truth = evidence.log_focal(row["camera"])
        for draw in range(DRAWS if "network" in column or column == "all" else 1):
            terms = []
            if "network" in column or column == "all":
                rng = np.random.default_rng([draw, i])
                terms.append(evidence.normal(truth + SIGMA * rng.standard_normal(), SIGMA))
            if "edges" in column or column == "all":
                terms.append(row["edges"].log_prob)
            if "prior" in column or column == "all":
                terms.append(evidence.prior())
            total = evidence.add(*terms)
            peak = evidence.CENTRES[int(np.argmax(row["edges"].score))]
            answer = peak if column == "edges" else evidence.median(total)
            fov = [float(evidence.with_log_focal(row["camera"], v).hfov_deg) for v in (answer, truth)]
            low, high = evidence.interval(total)
            errors.append(abs(fov[0] - fov[1]))
            covered.append(low <= truth <= high)
    return f"{np.median(errors):.1f} ({np.percentile(errors, 80):.1f}) {100 * np.mean(covered):.0f}%"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--lsd", action="store_true")
    given = parser.parse_args()
    if given.folder:
        accuracy(given.folder, given.lsd)
        return
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "edges"))
    from room import held, render

    camera = Camera("simple_pinhole", [900.0, 512.0, 384.0], 1024, 768)
    speed(render(camera, held(31, 8, 4)), "room")


if __name__ == "__main__":
    main()
