"""Edges and fits keep to their own core: a threaded matrix product leaves its threads spinning for long after."""

import os
import subprocess
import sys

import pytest

CODE = """
import time
import numpy as np
from anylens import Camera, edges, evidence
squares = np.random.default_rng(0).integers(0, 255, (48, 64)).astype(np.uint8)
picture = np.kron(squares, np.ones((16, 16), np.uint8))  # more pieces of edges than take part
camera = Camera("simple_pinhole", [900.0, 512.0, 384.0], 1024, 768)
for _ in range(2):
    process, thread = time.process_time(), time.thread_time()
    edges.evidence(edges.detect(picture), camera, prior=evidence.prior())
    time.sleep(0.2)
    others = (time.process_time() - process) - (time.thread_time() - thread)
print(others)
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has no second to keep busy")
def test_no_other_thread_is_kept_busy():
    free = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", CODE], env=free, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.01  # seconds of CPU
