"""What the service refuses, and how: by size, by time, by place, by token; and that nothing reaches the disk."""

import asyncio
import os
import socket
import struct
import threading
import time
import zlib

import httpx
import pytest
from running_service import AsProcess, InThread

from anylens.cli import main
from anylens.serve.gate import Gate
from anylens.serve.metrics import Metrics
from anylens.serve.names import clean_name
from anylens.serve.refusal import Refused
from anylens.serve.settings import Settings
from anylens.serve.workers import Workers


def png_header(width, height):
    """A PNG that claims to be large and holds nothing."""
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = struct.pack(">I", 10) + b"IDAT" + bytes(14)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data


@pytest.fixture(scope="module")
def small():
    limits = Settings(token="secret", max_upload=400_000, max_pixels=500_000, max_photos=2, idle_seconds=1.0,
                      upload_seconds=2.0, workers=1)  # fmt: skip
    with InThread(limits) as running:
        running.client.headers["authorization"] = "Bearer secret"
        yield running


def post(service, *photos, **more):
    return service.client.post("/v1/calibrate", files=[("photos", photo) for photo in photos], **more)


def test_too_many_bytes_photos_and_pixels(small, room):
    assert post(small, ("big.jpg", bytes(500_000))).status_code == 413
    assert post(small, *[("a.jpg", b"x")] * 4).status_code == 413
    answer = small.client.post("/v1/calibrate", content=(bytes(100_000) for _ in range(6)),
                               headers={"content-type": "multipart/form-data; boundary=x"})  # fmt: skip
    assert answer.status_code in (400, 413)
    [row] = post(small, ("room.jpg", room)).json()["results"]
    assert "960x720 is more than 0 megapixels" in row["error"]


def test_pixels_are_counted_before_they_are_decoded(service):
    start = time.perf_counter()
    [row] = post(service, ("bomb.png", png_header(60_000, 60_000))).json()["results"]
    assert "more than 60 megapixels" in row["error"]
    assert time.perf_counter() - start < 5


def test_a_token_guards_work_and_counters_but_not_the_page(small):
    bare = httpx.Client(base_url=small.url)
    for method, path in (("POST", "/v1/calibrate"), ("GET", "/v1/models"), ("GET", "/metrics")):
        answer = bare.request(method, path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert bare.request(method, path, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert small.client.get("/v1/models").status_code == 200
    assert bare.get("/").status_code == bare.get("/healthz").status_code == 200


def test_other_sites_and_other_names_are_not_answered(service, room):
    assert post(service, ("r.jpg", room), headers={"origin": "https://elsewhere.example"}).status_code == 403
    assert service.client.get("/", headers={"host": "elsewhere.example"}).status_code == 421
    assert post(service, ("r.jpg", b"x"), headers={"origin": service.url}).status_code == 200
    answer = service.client.get("/v1/models", headers={"origin": "https://elsewhere.example"})
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_every_answer_is_strict(service):
    for path in ("/", "/api", "/healthz", "/nothing"):
        headers = service.client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def receive_all(connection):
    connection.settimeout(8)
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionError:
        pass
    return found


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /v1/calibrate HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow",
        b"POST /v1/calibrate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer secret\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000\r\n\r\n--x\r\n",
    ],
)
def test_a_stalled_sender_is_told_and_closed(small, sent):
    with socket.create_connection(("127.0.0.1", small.port)) as connection:
        connection.sendall(sent)
        start = time.perf_counter()
        answer = receive_all(connection)
    assert answer.startswith(b"HTTP/1.1 408")
    assert 0.5 < time.perf_counter() - start < 7


def test_a_sender_that_drips_is_told_in_the_end(small):
    head = (b"POST /v1/calibrate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer secret\r\n"
            b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000\r\n\r\n")  # fmt: skip
    with socket.create_connection(("127.0.0.1", small.port)) as connection:
        connection.sendall(head)
        start = time.perf_counter()
        connection.settimeout(0.2)
        answer = b""
        while not answer and time.perf_counter() - start < 8:
            try:
                answer = connection.recv(1000)
            except TimeoutError:
                connection.sendall(b"\r\n")
    assert answer.startswith(b"HTTP/1.1 408")
    assert time.perf_counter() - start > 1.5


def test_a_half_closed_sender_still_gets_its_answer(small):
    with socket.create_connection(("127.0.0.1", small.port)) as connection:
        connection.sendall(b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer secret\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = receive_all(connection)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b'"limits"' in answer


def test_a_full_queue_says_when_to_come_back(room):
    with InThread(Settings(workers=1, max_waiting=2)) as running:
        statuses, waits = [], []

        def ask():
            answer = httpx.post(f"{running.url}/v1/calibrate", files=[("photos", ("r.jpg", room))], timeout=60)
            statuses.append(answer.status_code)
            waits.append(answer.headers.get("retry-after"))

        threads = [threading.Thread(target=ask) for _ in range(10)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert set(statuses) == {200, 503}
        assert all(1 <= int(wait) <= 60 for status, wait in zip(statuses, waits) if status == 503)
        assert post(running, ("r.jpg", room)).json()["results"][0]["ok"]
        assert running.desk.workers.pending == 0


def test_time_is_over_for_slow_work_and_its_place_is_kept_until_it_ends():
    workers, gate = Workers(1, 8), threading.Event()

    async def go():
        with pytest.raises(Refused) as refused:
            await workers.run([gate.wait, gate.wait], 0.2)
        return refused.value

    refused = asyncio.run(go())
    assert (refused.status, refused.retry_after) == (503, 1)
    assert workers.pending == 1  # the one that runs; the one that waited was dropped
    gate.set()
    for _ in range(100):
        if workers.pending == 0:
            break
        time.sleep(0.02)
    assert workers.pending == 0


def test_an_application_that_never_answers_is_answered_for(monkeypatch):
    """Beyond every limit, as after a machine stood still: 503, not an empty or a failed answer."""
    monkeypatch.setattr("anylens.serve.gate.SPARE_SECONDS", 0.0)
    sent = []

    async def stuck(scope, receive, send):
        await asyncio.sleep(30)

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"",
             "headers": [(b"host", b"127.0.0.1")]}  # fmt: skip
    gate = Gate(stuck, Settings(upload_seconds=0.1, max_seconds=0.1), Metrics())
    asyncio.run(gate(scope, receive, send))
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]
    assert b"Try again" in sent[1]["body"]


def test_nothing_is_written_and_no_path_is_told(tmp_path, room):
    """A process whose only writable folders are watched; /proc tells how much it has written to any disk."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    with AsProcess(environment=environment) as running:
        files = [("photos", (name, room + bytes(2_000_000))) for name in ("a.jpg", "../../etc/passwd", "c\\d.jpg")]
        post(running, ("warm.jpg", room))
        before = written_bytes(running.process.pid)
        answer = running.client.post("/v1/calibrate", files=[*files, ("keep", (None, "on"))])
        assert [row["file"] for row in answer.json()["results"]] == ["a.jpg", "passwd", "d.jpg"]
        assert written_bytes(running.process.pid) == before
        assert list(tmp_path.iterdir()) == []
        opened = os.listdir(f"/proc/{running.process.pid}/fd")
        kept = {os.readlink(f"/proc/{running.process.pid}/fd/{fd}") for fd in opened}
        assert not any("/tmp" in path for path in kept)
        bad = [post(running, (name, b"x")).text for name in ("/etc/shadow", "x")]
        bad += [running.client.get(path).text for path in ("/page/../../app.py", "/examples/%2e%2e/x", "/v1/nothing")]
        assert not any("site-packages" in text or "/src/" in text or "/home" in text or "/etc" in text for text in bad)


def written_bytes(pid):
    with open(f"/proc/{pid}/io") as file:
        return int(next(line.split()[1] for line in file if line.startswith("write_bytes")))


def test_a_public_address_without_a_token_is_warned_about(capsys):
    from anylens.serve.running import is_private, warning

    assert is_private("127.0.0.1")
    assert is_private("localhost")
    assert is_private("::1")
    assert not is_private("0.0.0.0")
    assert "no token is set" in warning("http://0.0.0.0:1/")
    with AsProcess("--host", "0.0.0.0") as running:
        running.process.terminate()
        said = running.process.stderr.read()
    assert "can be reached from other machines" in said
    with AsProcess("--host", "0.0.0.0", "--token", "x") as running:
        running.process.terminate()
        assert running.process.stderr.read() == ""


def test_a_taken_port_is_said(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "cannot listen on 127.0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "shown"),
    [("a.jpg", "a.jpg"), ("../../x.jpg", "x.jpg"), ("C:\\temp\\y.png", "y.png"), ("", "photo"), ("..", "photo"),
     ("a\r\nb\0.jpg", "ab.jpg"), ("x" * 500 + ".jpg", "x" * 107 + "…xxxxxxxx.jpg"), ("example:room", "example:room")],
)  # fmt: skip
def test_names_are_shown_without_folders(given, shown):
    assert clean_name(given) == shown


def test_openapi_describes_every_path(service):
    described = service.client.get("/openapi.json").json()
    assert set(described["paths"]) == {"/v1/calibrate", "/v1/refit", "/v1/rank", "/v1/fit", "/v1/undistort",
                                       "/v1/convert", "/v1/models", "/healthz", "/metrics"}  # fmt: skip
    schema = described["paths"]["/v1/calibrate"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert {"photos", "model", "known", "shared"} <= set(schema["properties"])
    for path, refusals in (("/v1/calibrate", {"403", "415", "421"}), ("/v1/refit", {"403", "404", "409", "421"})):
        assert refusals <= set(described["paths"][path]["post"]["responses"])
