"""Cold starts: `import anylens`, and from process start to the answer of `anylens photo.jpg`, beside bare Python.

    python benchmarks/cold_start.py [PHOTO]

Every figure is the median of several fresh processes and is also given as a ratio: the import against that of NumPy,
which it needs, the answer against a process that only imports ONNX Runtime and Pillow and loads the network.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from anylens.examples import example_path
from anylens.weights import bundled

RUNS = 5


def seconds(code: str, *words: str) -> float:
    """Median wall time of a fresh interpreter that runs `code`."""
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, *words], check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    photo = sys.argv[1] if len(sys.argv) > 1 else str(example_path("room"))
    load = "import onnxruntime, sys; from PIL import Image; onnxruntime.InferenceSession(sys.argv[1])"
    bare = seconds("pass")
    numpy = seconds("import numpy") - bare
    package = seconds("import anylens") - bare
    runtime = seconds(load, str(bundled()))
    answer = seconds("from anylens.cli import main; import sys; main(sys.argv[1:])", photo, "--json")
    print(f"python -c pass           {bare:6.3f} s")
    print(f"import numpy             {numpy:6.3f} s")
    print(f"import anylens           {package:6.3f} s   {package / numpy:.2f} x NumPy alone")
    print(f"load the network only    {runtime:6.3f} s")
    print(f"anylens photo.jpg        {answer:6.3f} s   {answer / runtime:.2f} x loading the network")


if __name__ == "__main__":
    main()
