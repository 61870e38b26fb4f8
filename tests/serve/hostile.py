"""Five hundred requests that nobody should send, each with what may come back."""

import io
import random
import struct
import zlib
from dataclasses import dataclass

from PIL import Image

HOST = b"Host: 127.0.0.1\r\nConnection: close\r\n"
FORM = b"Content-Type: multipart/form-data; boundary=x\r\n"
CLIENT_ERRORS = tuple(range(400, 500))
NAMES = ["../../etc/passwd", "/etc/shadow", "C:\\Windows\\win.ini", "..\\..\\x.jpg", "%2e%2e%2fx", "....//....//x",
         "~/x", "file:///etc/passwd", "\\\\server\\share\\x", "x" * 3000, "..", ".", "", "a\tb", "\u202egpj.exe",
         "con.jpg", "-rf", "$(id).jpg", "<script>alert(1)</script>", "{{7*7}}", "%s%n%s", "' OR 1=1 --",
         "a\u0000b"]  # fmt: skip


@dataclass(frozen=True)
class Attack:
    """What is sent and then: `wait` for an answer, `half` close and wait, `drip` a byte a second, or `vanish`.

    allowed: statuses; None in it means that the connection may be closed without one. unread: with 200, every photo
    must have `ok: false` and a reason.
    """

    kind: str
    send: bytes
    then: str = "wait"
    allowed: tuple[int | None, ...] = CLIENT_ERRORS
    unread: bool = False


def request(body, path="/v1/calibrate", head=FORM, method="POST", length=None):
    length = len(body) if length is None else length
    return f"{method} {path} HTTP/1.1\r\n".encode() + HOST + head + f"Content-Length: {length}\r\n\r\n".encode() + body


def part(content, name="photos", file="x.jpg"):
    disposition = f'Content-Disposition: form-data; name="{name}"' + (
        f'; filename="{file}"' if file is not None else ""
    )
    return b"--x\r\n" + disposition.encode() + b"\r\n\r\n" + content + b"\r\n"


def form(*parts):
    return b"".join(parts) + b"--x--\r\n"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, *chunks):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks)


def broken_photos(room, rng):
    """Files that are no photos, by kind: bombs, stumps, and other things altogether."""
    zeros = zlib.compress(bytes(30_000_000), 9)
    gif = io.BytesIO()
    Image.new("P", (8, 8)).save(gif, "GIF")
    for side in (20_000, 60_000, 0x7FFFFFFF):
        yield "bomb", png(side, side, chunk(b"IDAT", zeros), chunk(b"IEND", b""))
    yield "bomb", png(4000, 4000, chunk(b"iCCP", b"x\0\0" + zeros), chunk(b"IDAT", b""))
    yield "bomb", png(4000, 4000, chunk(b"zTXt", b"x\0\0" + zeros) * 40, chunk(b"IDAT", zeros[:100]))
    yield "bomb", b"BM" + struct.pack("<IIIIiiHHIIiiII", 90, 0, 54, 40, 2**31 - 1, 2**31 - 1, 1, 24, 0, 0, 1, 1, 0, 0)
    yield "bomb", gif.getvalue()[:6] + struct.pack("<HH", 65535, 65535) + gif.getvalue()[10:]
    yield "bomb", b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\0\0\0\x10\0\0\0" + b"\xff" * 6
    yield "bomb", b"P6\n999999999 999999999\n255\n"
    yield "bomb", room[:2] + b"\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03" + room[2:]
    yield "other", b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", 65535) + bytes(rng.randbytes(600))
    for other in (b"", b"\0", b"PK\x03\x04", b"%PDF-1.7", b"\x7fELF", b"<svg onload='x'/>", b"<html>", b"#!/bin/sh\nid",
                  b"GIF89a", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"SIMPLE  =", b"8BPS",
                  b"\0\0\0\x18ftypheic"):  # fmt: skip
        yield "other", other + bytes(rng.randbytes(rng.randrange(200))) if other else other
    for _ in range(45):
        yield "truncated", room[: rng.randrange(3, int(0.8 * len(room)))]
    for _ in range(30):
        yield "random", bytes(rng.randbytes(rng.randrange(1, 5000)))


def photos_that_are_none(room, rng):
    for kind, content in broken_photos(room, rng):
        yield Attack(kind, request(form(part(content))), allowed=(200,), unread=True)
    for i in range(20):  # some of these can be read after all; none may do harm
        hurt = bytearray(room)
        for _ in range(1 + i):
            hurt[rng.randrange(200, len(hurt))] = rng.randrange(256)
        yield Attack("flipped", request(form(part(bytes(hurt)))), allowed=(200,))
    for name in NAMES * 2:
        file = name.replace('"', "").replace("\0", "\\0")
        yield Attack("name", request(form(part(rng.randbytes(20), file=file))), allowed=(200,), unread=True)


def malformed(room, rng):
    good = part(room[:500])
    options = ["model=lens", "known=f", "known=f=-1e999", "known=f=nan", "exif=maybe", "edges=perhaps", "shared=us",
               "colour=red", "prior=" + "x" * 5000, "model=" + "kb:" * 50, "known=" + "9" * 400 + "=1"]  # fmt: skip
    for option in options * 2:
        name, _, value = option.partition("=")
        yield Attack("option", request(form(good, part(value.encode(), name, None))))
    bodies = [b"", b"--x", b"--x--", rng.randbytes(300), form(), form(part(b"x", "mask")), good, good[:-30],
              b"--x\r\n\r\n\r\n--x--\r\n", form(b"--x\r\nContent-Disposition: attachment\r\n\r\nx\r\n"),
              b"--x\r\nX: " + b"a" * 9000 + b"\r\n\r\nx\r\n--x--\r\n",
              form(*[part(b"1", f"f{i}", None) for i in range(70)]),
              form(*[part(b"x")] * 40), form(part(bytes(300_000), "model", None))]  # fmt: skip
    for body in bodies * 2:
        yield Attack("form", request(body))
    kinds = ["text/plain", "application/json", "multipart/form-data", "multipart/form-data; boundary=" + "x" * 500,
             "multipart/mixed; boundary=x", "", "\u00ff" * 30]  # fmt: skip
    for kind in kinds * 2:
        yield Attack("type", request(form(good), head=f"Content-Type: {kind}\r\n".encode("latin-1")))
    texts = ["", "{", "[]", "null", '"x"', "[" * 100_000, '{"a":' * 5000, '{"width": NaN}', '{"width": 1e999}',
             "\u00ff", '{"observations": {}}', '{"observations": [1]}', '{"observations": ["x"]}',
             '{"rays": [[1]], "width": 3}',
             '{"width": 9, "height": 9, "pixels": [[1,2]], "rays": [[1e308,1e308,1e308]]}']  # fmt: skip
    for text in texts:
        for path in ("/v1/fit", "/v1/refit", "/v1/rank"):
            yield Attack("json", request(text.encode("latin-1"), path, b"Content-Type: application/json\r\n"))
    for content in (b"", b"x", rng.randbytes(500), b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><c>&b;</c>",
                    b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]", b"1 PINHOLE -5 0 1 1 1 1"):  # fmt: skip
        yield Attack("camera", request(form(part(content, "camera"), part(b"opencv", "to", None)), "/v1/convert"))
        yield Attack("camera", request(form(part(room, "photo"), part(content or b"?", "camera")), "/v1/undistort"))
    for path in (
        "/page/../../app.py",
        "/page/%2e%2e/%2e%2e/x",
        "//etc/passwd",
        "/examples/../x",
        "/v1/calibrate/..",
        "/.env",
    ):
        yield Attack("path", request(b"", path, b"", "GET"), allowed=(404, 405))
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "BREW"):
        yield Attack("method", request(b"", method=method))


def oversized():
    for size in (65_000_000, 10**12, 10**40):
        yield Attack("size", request(b"", length=size), allowed=(413, 400))
    for head in (b"X: " + b"a" * 100_000 + b"\r\n", b"".join(b"X-%d: y\r\n" % i for i in range(9000))):
        yield Attack("header", request(b"", head=head), allowed=(400, 431))
    yield Attack("header", request(b"", path="/" + "a" * 100_000), allowed=(400, 414, 431))
    yield Attack("size", request(form(part(bytes(65_000_000)))), allowed=(413, None))


def garbage(rng):
    refused = (400, 404, 405, 415, 421, 505, None)
    for text in (b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                 b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", b"GET /\r\n\r\n", b"\r\n\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                 b"POST /v1/fit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
                 b"POST /v1/fit HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nxxxxx",
                 b"POST /v1/fit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n",
                 b"POST /v1/fit HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, x\r\n\r\n",
                 b"GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA b: c\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nA: b\0c\r\n\r\n"):  # fmt: skip
        yield Attack("protocol", text, then="half", allowed=refused)
    for _ in range(30):
        yield Attack("noise", rng.randbytes(rng.randrange(1, 2000)) + b"\r\n\r\n", then="half", allowed=refused)


def slow(room, rng):
    whole, gone = request(form(part(room[:2000]))), (408, None)
    for i in range(40):
        yield Attack("stalled", whole[: rng.randrange(len(whole) - 10)] if i else b"", allowed=gone)
    for _ in range(12):
        yield Attack("drip", whole[: rng.randrange(1, 60)], then="drip", allowed=gone)
    for _ in range(20):
        yield Attack("half", whole, then="half", allowed=(200,), unread=True)
        yield Attack("half", whole[: rng.randrange(5, len(whole) - 10)], then="half", allowed=(*CLIENT_ERRORS, None))
    for _ in range(30):
        yield Attack("vanished", whole[: rng.randrange(1, len(whole) + 1)], then="vanish", allowed=(None,))


def attacks(room, count=500):
    """`count` of them, those that take long first; what is missing is more noise in place of photos."""
    rng = random.Random(10)
    made = [*slow(room, rng), *photos_that_are_none(room, rng), *malformed(room, rng), *oversized(), *garbage(rng)]
    while len(made) < count:
        made.append(Attack("random", request(form(part(rng.randbytes(999)))), allowed=(200,), unread=True))
    return made
