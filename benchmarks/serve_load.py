"""32 clients on `anylens serve` for a minute: is an answer lost or wrong, how long do they wait, what does it cost?

    python benchmarks/serve_load.py [SECONDS] [CLIENTS] [REQUESTS]

Every answer is compared with that of the Python API, digit by digit (with one thread, as in the service: several change
the network's last float32 digit). The ratio is against a plain loop over the Python API before and
after, on the same machine and photos. Then requests go on until there were REQUESTS (3000; 0 leaves this out) and the
growth of the process is told. Only this machine is asked.
"""

from __future__ import annotations

import http.client
import io
import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import Any

import numpy as np
from PIL import Image

from anylens.calibration import Calibrator
from anylens.examples import example_names, example_path

LOOP_SECONDS = 15.0
WARM_UP = 100  # requests before memory is first read


def make_photos(count: int = 12) -> list[bytes]:
    """JPEGs cut from the examples, each different, of 640 to 960 pixels."""
    rng = np.random.default_rng(0)
    sources = [Image.open(example_path(name)).convert("RGB") for name in example_names()]
    photos = []
    for i in range(count):
        source, out = sources[i % len(sources)], io.BytesIO()
        w, h = (int(side * rng.uniform(0.8, 1.0)) for side in source.size)
        x, y = rng.integers(0, source.width - w + 1), rng.integers(0, source.height - h + 1)
        source.crop((x, y, x + w, y + h)).save(out, "JPEG", quality=88)
        photos.append(out.getvalue())
    return photos


def comparable(row: dict[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k not in ("ms", "file")}, sort_keys=True)


def loop(calibrator: Calibrator, photos: list[bytes], seconds: float) -> float:
    """Photos per second of a plain loop."""
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        calibrator(photos[done % len(photos)])
        done += 1
    return done / (time.perf_counter() - start)


class Load:
    """Clients that ask until told to stop: `times` of answers, `statuses`, and what went `wrong`."""

    def __init__(self, port: int, photos: list[bytes], truth: list[str]):
        self.port, self.truth = port, truth
        head = b'--x\r\nContent-Disposition: form-data; name="photos"; filename="p.jpg"\r\n\r\n'
        self.bodies = [head + photo + b"\r\n--x--\r\n" for photo in photos]
        self.times: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []

    def client(self, number: int, more: Any) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        index = number
        while more():
            start = time.perf_counter()
            try:
                connection.request("POST", "/v1/calibrate", self.bodies[index % len(self.bodies)],
                                   {"content-type": "multipart/form-data; boundary=x"})  # fmt: skip
                answer = connection.getresponse()
                data = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"lost: {error!r}")
                connection.close()
                continue
            self.statuses[answer.status] += 1
            if answer.status == 200:
                self.times.append(time.perf_counter() - start)
                if comparable(json.loads(data)["results"][0]) != self.truth[index % len(self.truth)]:
                    self.wrong.append(f"photo {index % len(self.truth)} differs")
                index += 1
            elif answer.status == 503:
                time.sleep(min(1.0, float(answer.headers["retry-after"])))
            else:
                self.wrong.append(f"status {answer.status}")

    def run(self, clients: int, more: Any) -> float:
        """Seconds until the last client has its last answer."""
        threads = [threading.Thread(target=self.client, args=(i, more)) for i in range(clients)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - start


def resident(port: int) -> float:
    """Megabytes of the service."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return float(re.search(r"^process_resident_memory_bytes (\S+)", text, re.MULTILINE).group(1)) / 1e6  # type: ignore[union-attr]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    clients = int(sys.argv[2]) if len(sys.argv) > 2 else 32
    requests = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    photos, calibrator, direct = make_photos(), Calibrator(), Calibrator(threads=1)
    truth = [comparable(json.loads(json.dumps(direct(photo).to_dict()))) for photo in photos]
    command = [sys.executable, "-m", "anylens", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline().split("/  ")[0].rpartition(":")[2])  # type: ignore[union-attr]
        try:
            warm = Load(port, photos, truth)
            warm.run(clients, lambda: len(warm.times) < WARM_UP)
            before = resident(port)
            alone = loop(calibrator, photos, LOOP_SECONDS)
            load, end = Load(port, photos, truth), time.perf_counter() + seconds
            taken = load.run(clients, lambda: time.perf_counter() < end)
            alone = 0.5 * (alone + loop(calibrator, photos, LOOP_SECONDS))
            p50, p95 = np.percentile(load.times, [50, 95])
            rate = len(load.times) / taken
            print(f"{clients} clients, {taken:.0f} s: {len(load.times)} answers, {dict(load.statuses)}, "
                  f"{len(load.wrong)} lost or wrong {load.wrong[:3]}; p50 {p50:.2f} s, p95 {p95:.2f} s")  # fmt: skip
            print(f"{rate:.2f} photos/s, a plain loop {alone:.2f}: ratio {rate / alone:.2f}", flush=True)
            if requests:
                load.run(clients, lambda: len(load.times) < requests)
                after = resident(port)
                print(f"memory after {len(load.times)} requests: {before:.0f} MB to {after:.0f} MB, "
                      f"{after - before:+.0f} MB; {len(load.wrong)} lost or wrong in all")  # fmt: skip
        finally:
            process.terminate()
    sys.exit(bool(load.wrong))


if __name__ == "__main__":
    main()
