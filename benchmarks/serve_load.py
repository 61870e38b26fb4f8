"""32 clients on `anylens serve` for a minute: is an answer lost or wrong, how long do they wait, what does it cost?

    python benchmarks/serve_load.py [SECONDS] [CLIENTS] [REQUESTS]

First one 12-megapixel JPEG: the first answer of a fresh process and later ones, and where their time goes.
Every answer is compared with that of the Python API, digit by digit (with one thread, as in the service: several
change the network's last float32 digit). The ratio is against a plain loop over the Python API on the same photos; load
and loop take turns in slices, so that what else the machine does falls on both. Then requests go on until there were
REQUESTS (3000; 0 leaves this out) and the growth of the process is told. Only this machine is asked.
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

SLICES, LOOP_SECONDS = 4, 6.0
PART = b'--x\r\nContent-Disposition: form-data; name="photos"; filename="p.jpg"\r\n\r\n'
WARM_UP = 64  # requests before memory is first read


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


def large_photo() -> bytes:
    """A 12-megapixel JPEG of some megabytes, with grain."""
    photo = Image.open(example_path("room")).convert("RGB").resize((4000, 3000), Image.Resampling.LANCZOS)
    grain, out = np.random.default_rng(0).normal(0, 4, (3000, 4000, 1)), io.BytesIO()
    Image.fromarray(np.clip(np.asarray(photo) + grain, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=90)
    return out.getvalue()


def comparable(row: dict[str, Any]) -> str:
    return json.dumps({k: v for k, v in row.items() if k not in ("ms", "file")}, sort_keys=True)


def loop(calibrator: Calibrator, photos: list[bytes], seconds: float) -> float:
    """Photos per second of a plain loop."""
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        calibrator(photos[done % len(photos)])
        done += 1
    return done / (time.perf_counter() - start)


def ask(connection: http.client.HTTPConnection, body: bytes) -> tuple[int, bytes, str]:
    """Status, content and Retry-After of one answer."""
    kind = {"content-type": "multipart/form-data; boundary=x"}
    connection.request("POST", "/v1/calibrate", PART + body + b"\r\n--x--\r\n", kind)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers.get("retry-after", "1")


def tell_large(port: int, rounds: int = 7) -> None:
    """Milliseconds of a large photo, by stage; transfer is all that is not work on it."""
    photo, rows = large_photo(), []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for _ in range(rounds):
        start = time.perf_counter()
        [row] = json.loads(ask(connection, photo)[1])["results"]
        total = 1e3 * (time.perf_counter() - start)
        stages = {"network": row["ms"]["network"], "edges": row["ms"]["edges"], "reading": row["ms"]["read"],
                  "fit and evidence": row["ms"]["fit"] + row["ms"]["evidence"]}  # fmt: skip
        rows.append({"all": total, **stages, "transfer and the rest": total - sum(stages.values())})
    connection.close()
    later = sorted(rows[1:], key=lambda row: row["all"])[(rounds - 1) // 2]  # one of them: its parts add up
    for name, one in (("first", rows[0]), ("later", later)):
        parts = ", ".join(f"{stage} {ms / one['all']:.0%}" for stage, ms in one.items() if stage != "all")
        print(f"12 megapixels, {len(photo) / 1e6:.1f} MB, {name} answer: {one['all']:.0f} ms: {parts}", flush=True)


class Load:
    """Clients that ask until told to stop: `times` of answers, `statuses`, and what went `wrong`."""

    def __init__(self, port: int, photos: list[bytes], truth: list[str]):
        self.port, self.truth = port, truth
        self.photos = photos
        self.times: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []

    def client(self, number: int, more: Any) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        index = number
        while more():
            start = time.perf_counter()
            try:
                status, data, wait = ask(connection, self.photos[index % len(self.photos)])
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"lost: {error!r}")
                connection.close()
                continue
            self.statuses[status] += 1
            if status == 200:
                self.times.append(time.perf_counter() - start)
                if comparable(json.loads(data)["results"][0]) != self.truth[index % len(self.truth)]:
                    self.wrong.append(f"photo {index % len(self.truth)} differs")
                index += 1
            elif status == 503:
                time.sleep(min(1.0, float(wait)))
            else:
                self.wrong.append(f"status {status}")

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
            tell_large(port)
            warm = Load(port, photos, truth)
            warm.run(clients, lambda: len(warm.times) < WARM_UP)
            before = resident(port)
            load, taken, loops = Load(port, photos, truth), 0.0, [loop(calibrator, photos, LOOP_SECONDS)]
            for _ in range(SLICES):
                end = time.perf_counter() + seconds / SLICES
                taken += load.run(clients, lambda end=end: time.perf_counter() < end)
                loops.append(loop(calibrator, photos, LOOP_SECONDS))
            alone = float(np.mean(loops))
            p50, p95 = np.percentile(load.times, [50, 95])
            rate = len(load.times) / taken
            print(f"{clients} clients, {taken:.0f} s: {len(load.times)} answers, {dict(load.statuses)}, "
                  f"{len(load.wrong)} lost or wrong {load.wrong[:3]}; p50 {p50:.2f} s, p95 {p95:.2f} s")  # fmt: skip
            print(
                f"{rate:.2f} photos/s, a plain loop {alone:.2f} ({min(loops):.2f} to {max(loops):.2f}): "
                f"ratio {rate / alone:.2f}",
                flush=True,
            )
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
