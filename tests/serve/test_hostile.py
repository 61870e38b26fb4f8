"""Five hundred hostile requests, and the next good one is answered as before."""

import json
import re
import socket
import struct
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hostile import attacks
from running_service import AsProcess

PATIENCE = 25.0
AT_A_TIME = 56  # fewer than the queue holds: nobody is sent away for being one of many


def answer_to(port, attack):
    """Status and body of what comes back; None where the connection is closed without an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        found = b""
        try:
            connection.sendall(attack.send)
            if attack.then == "vanish":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return None, b""
            if attack.then == "half":
                connection.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # refused before all was sent; the answer may be there all the same
        end = time.monotonic() + PATIENCE
        connection.settimeout(0.5 if attack.then == "drip" else PATIENCE)
        while time.monotonic() < end:
            try:
                piece = connection.recv(65536)
                found += piece
                if not piece or complete(found):
                    return status_of(found)
            except TimeoutError:
                if attack.then == "drip":
                    try:
                        connection.sendall(b"a")
                    except ConnectionError:
                        return status_of(found)
            except ConnectionError:
                return status_of(found)
    raise AssertionError("still open")


def complete(found):
    head, split, body = found.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)^content-length: (\d+)", head, re.MULTILINE)
    return bool(split and length and len(body) >= int(length.group(1)))


def status_of(found):
    head, _, body = found.partition(b"\r\n\r\n")
    return (int(head.split()[1]), body) if head else (None, b"")


def complaint(port, attack):
    """What is wrong with the answer to an attack; None if it is as it should be."""
    try:
        status, body = answer_to(port, attack)
    except (AssertionError, OSError) as error:
        return f"{attack.kind}, {attack.then}: {error!r}"
    told = f"{attack.kind}, {attack.then} {attack.send[:60]!r}…{attack.send[-60:]!r}: {status} {body[:200]!r}"
    if status not in attack.allowed:
        return told
    if any(word in body for word in (b"Traceback", b"site-packages", b"/src/", b"/etc/", b"root:")):
        return f"tells too much: {told}"
    if attack.unread:
        rows = json.loads(body)["results"]
        if not all(row["ok"] is False and len(row["error"]) > 5 and "/" not in row["file"] for row in rows):
            return f"no reason: {told}"
    return None


@pytest.fixture(scope="module")
def process():
    with AsProcess() as running:
        yield running


def test_500_hostile_requests_do_no_harm(process, room):
    def good():
        [row] = process.client.post("/v1/calibrate", files=[("photos", ("r.jpg", room))]).json()["results"]
        return row["camera"]

    before, planned = good(), attacks(room)
    assert len(planned) >= 500
    assert min(Counter(attack.kind for attack in planned).values()) >= 3
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        complaints = [c for c in pool.map(lambda attack: complaint(process.port, attack), planned) if c]
    assert not complaints, "\n".join(complaints)
    assert good() == before
    assert process.process.poll() is None
    metrics = process.client.get("/metrics").text
    assert re.search(r"^anylens_jobs_pending 0$", metrics, re.MULTILINE)
    assert re.search(r"^anylens_upload_bytes_held 0$", metrics, re.MULTILINE)
    assert float(re.search(r"^process_resident_memory_bytes (\S+)", metrics, re.MULTILINE).group(1)) < 1.5e9
    process.process.terminate()
    assert "Traceback" not in process.process.stderr.read()
