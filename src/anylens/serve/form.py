"""Multipart forms in memory. Starlette's own parser puts larger files on disk; this one has nowhere to put them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from anylens.serve.names import clean_name
from anylens.serve.refusal import Refused

FIELDS = 64  # parts besides files
FIELD_BYTES = 256_000
HEAD_BYTES = 4096


@dataclass
class Upload:
    """A file of a form: the name that its sender gave, without folders, and its content."""

    name: str
    content: bytes


@dataclass
class Form:
    """Text fields and files by name, in the order sent."""

    fields: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, list[Upload]] = field(default_factory=dict)

    def check_names(self, fields: tuple[str, ...], files: tuple[str, ...]) -> None:
        """Raises Refused (422) for a name that nobody asked for: a slip of the pen should not go unnoticed."""
        for given, allowed, kind in ((self.fields, fields, "field"), (self.files, files, "file")):
            unknown = next((name for name in given if name not in allowed), None)
            if unknown is not None:
                known = ", ".join(allowed) or "none"
                raise Refused(422, f"there is no {kind} '{clean_name(unknown)}'. {kind.capitalize()}s: {known}.")

    def text(self, name: str) -> str | None:
        """The last value of a field; None without one."""
        return self.fields[name][-1] if self.fields.get(name) else None


class _Collector:
    """The parser's callbacks: parts as they come, held to their limits."""

    def __init__(self, most_files: int):
        self.form, self.most_files = Form(), most_files
        self.done, self.files, self.others = False, 0, 0

    def on_part_begin(self) -> None:
        self.key, self.value, self.headers, self.data = b"", b"", {}, bytearray()  # type: ignore[var-annotated]
        self.name: str | None = None
        self.file: str | None = None

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self.key += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self.value += data[start:end]
        if len(self.key) + len(self.value) > HEAD_BYTES:
            raise Refused(400, "a part of the form has a head that is too long.")

    def on_header_end(self) -> None:
        self.headers[self.key.lower()] = self.value
        self.key, self.value = b"", b""

    def on_headers_finished(self) -> None:
        kind, options = parse_options_header(self.headers.get(b"content-disposition", b""))
        if kind != b"form-data" or b"name" not in options:
            raise Refused(400, "a part of the form has no name.")
        self.name = options[b"name"].decode("utf-8", "replace")
        if b"filename" in options:
            self.file = options[b"filename"].decode("utf-8", "replace")
        self.files, self.others = self.files + (self.file is not None), self.others + (self.file is None)
        if self.files > self.most_files:
            raise Refused(413, f"more than {self.most_files} files in one request. Send fewer at a time.")
        if self.others > FIELDS:
            raise Refused(413, f"more than {FIELDS} fields in one request.")

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self.data += data[start:end]
        if self.file is None and len(self.data) > FIELD_BYTES:
            raise Refused(413, f"the field '{clean_name(self.name or '')}' is too long. Send it as a file.")

    def on_part_end(self) -> None:
        name = self.name or ""
        if self.file is not None:
            self.form.files.setdefault(name, []).append(Upload(clean_name(self.file), bytes(self.data)))
        else:
            self.form.fields.setdefault(name, []).append(self.data.decode("utf-8", "replace"))
        self.data = bytearray()

    def on_end(self) -> None:
        self.done = True


async def read_form(content_type: str, body: AsyncIterator[bytes], most_files: int) -> Form:
    """The form of a body. Raises Refused: 415 for another content type, 400 for a damaged form, 413 for too much."""
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data":
        raise Refused(415, "send a form: content type multipart/form-data.")
    if not 0 < len(boundary) <= 256:
        raise Refused(400, "the form has no usable boundary in its content type.")
    collector = _Collector(most_files)
    names = [n for n in dir(collector) if n.startswith("on_")]
    parser = MultipartParser(boundary, {n: getattr(collector, n) for n in names})  # type: ignore[arg-type]
    try:
        async for piece in body:
            parser.write(piece)
        parser.finalize()
    except FormParserError as error:
        raise Refused(400, f"the form is damaged: {str(error)[:120]}") from None
    if not collector.done:
        raise Refused(400, "the form is cut off before its end.")
    return collector.form
