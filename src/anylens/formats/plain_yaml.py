"""The part of YAML that camera files use, read and written without a YAML library.

Nested mappings, block and flow lists, quoted and plain scalars, comments, several-line flow lists, OpenCV's
`%YAML:1.0` header and its `!!opencv-matrix` tag (a mapping with rows, cols, dt, data). No anchors, no
multi-line strings.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from anylens.errors import FormatError

Lines = list[tuple[int, str, int]]  # indent, content, line number
_KEY = re.compile(r"""^("[^"]*"|'[^']*'|[^\s"'\[\]{},#&*!|>%@-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*)|)$""")
_TAG = re.compile(r"^!!?[\w.-]+\s*")
_INTEGER = re.compile(r"^[-+]?\d+$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None, ".inf": float("inf"),
          "-.inf": float("-inf"), ".nan": float("nan")}  # fmt: skip


def parse_yaml(text: str) -> Any:
    """Mappings as dicts, lists as lists, numbers as int or float. Raises FormatError with the line."""
    lines = _logical_lines(text)
    if not lines:
        return None
    value, end = _block(lines, 0, lines[0][0])
    if end != len(lines):
        raise FormatError(f"Line {lines[end][2]} of the YAML file is indented in a way that means nothing.")
    return value


def _logical_lines(text: str) -> Lines:
    """Lines without comments, with flow lists that span several lines joined into one."""
    out: Lines = []
    depth = 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = _without_comment(raw).rstrip()
        if depth == 0 and (not line.strip() or line.startswith(("%", "---", "..."))):
            continue
        if depth:
            indent, content, first = out[-1]
            out[-1] = (indent, f"{content} {line.strip()}", first)
        else:
            out.append((len(line) - len(line.lstrip(" ")), line.strip(), number))
        depth += _brackets(line)
    if depth > 0:
        raise FormatError(f"A list that opens in line {out[-1][2]} of the YAML file never closes.")
    return out


def _without_comment(line: str) -> str:
    quote = ""
    for i, c in enumerate(line):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c == "#" and (i == 0 or line[i - 1] in " \t"):
            return line[:i]
    return line


def _brackets(line: str) -> int:
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
    return sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}")


def _block(lines: Lines, at: int, indent: int) -> tuple[Any, int]:
    if lines[at][1] == "-" or lines[at][1].startswith("- "):
        return _block_list(lines, at, indent)
    if _KEY.match(lines[at][1]):
        return _block_map(lines, at, indent)
    return _scalar(lines[at][1], lines[at][2]), at + 1


def _block_list(lines: Lines, at: int, indent: int) -> tuple[list, int]:
    out = []
    while at < len(lines) and lines[at][0] == indent and (lines[at][1] == "-" or lines[at][1].startswith("- ")):
        _, content, number = lines[at]
        rest = content[1:].lstrip()
        if not rest:
            value, at = _nested(lines, at + 1, indent)
        else:
            inner = indent + len(content) - len(rest)
            value, at = _block([*lines[:at], (inner, rest, number), *lines[at + 1 :]], at, inner)
        out.append(value)
    return out, at


def _block_map(lines: Lines, at: int, indent: int) -> tuple[dict, int]:
    out: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] == indent:
        match = _KEY.match(lines[at][1])
        if match is None:
            raise FormatError(f"Line {lines[at][2]} of the YAML file is not 'key: value': {lines[at][1][:40]!r}.")
        key, rest, number = match[1].strip("\"'"), _TAG.sub("", match[2] or ""), lines[at][2]
        if rest:
            out[key], at = _scalar(rest, number), at + 1
        else:
            out[key], at = _nested(lines, at + 1, indent)
    return out, at


def _nested(lines: Lines, at: int, indent: int) -> tuple[Any, int]:
    if at < len(lines) and (lines[at][0] > indent or (lines[at][0] == indent and lines[at][1].startswith("- "))):
        return _block(lines, at, lines[at][0])
    return None, at


def _scalar(text: str, number: int) -> Any:
    text = text.strip()
    if text[:1] in ("[", "{"):
        value, rest = _flow(text, number)
        if rest.strip():
            raise FormatError(f"Line {number} of the YAML file goes on after a list: {rest.strip()[:40]!r}.")
        return value
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.match(text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


def _flow(text: str, number: int) -> tuple[Any, str]:
    """The flow list or mapping at the start of `text`, and what follows it."""
    close, is_map = ("}", True) if text[0] == "{" else ("]", False)
    rest, items = text[1:].lstrip(), []
    while rest and rest[0] != close:
        if rest[0] in "[{":
            value, rest = _flow(rest, number)
        else:
            match = re.match(r"\"[^\"]*\"|'[^']*'|[^,\[\]{}]*", rest)
            piece = match[0] if match else ""
            rest = rest[len(piece) :]
            if is_map and piece.rstrip().endswith(":") and rest[:1] in ("[", "{"):
                inner, rest = _flow(rest, number)
                value = (piece.rstrip()[:-1].strip("\"' "), inner)
            elif is_map:
                key, _, after = piece.partition(":")
                value = (key.strip("\"' "), _scalar(after, number))
            else:
                value = _scalar(piece, number)
        items.append(value)
        rest = rest.lstrip()
        if rest[:1] == ",":
            rest = rest[1:].lstrip()
        elif rest[:1] != close:
            raise FormatError(f"Line {number} of the YAML file has a list without its '{close}'.")
    return (dict(items) if is_map else items), rest[1:]


def dump_yaml(data: dict[str, Any], indent: int = 0) -> str:
    """A mapping as block YAML; lists of scalars in flow style; a 2-D NumPy array as an `!!opencv-matrix`."""
    pad, out = " " * indent, ""
    for key, value in data.items():
        if isinstance(value, np.ndarray):
            body = {"rows": value.shape[0], "cols": value.shape[1], "dt": "d", "data": value.ravel().tolist()}
            out += f"{pad}{key}: !!opencv-matrix\n{dump_yaml(body, indent + 3)}"
        elif isinstance(value, dict):
            out += f"{pad}{key}:\n{dump_yaml(value, indent + 2)}"
        elif isinstance(value, (list, tuple)):
            out += f"{pad}{key}: [{', '.join(_write(v) for v in value)}]\n"
        else:
            out += f"{pad}{key}: {_write(value)}\n"
    return out


def _write(value: Any) -> str:
    """A scalar as every YAML reader takes it: to YAML 1.1, 1e-05 is a string, 1.0e-05 a number."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(float(value))
        return text.replace("e", ".0e") if "e" in text and "." not in text else text
    text = str(value)
    return text if re.fullmatch(r"[A-Za-z_/][\w./-]*", text) and text.lower() not in _WORDS else f'"{text}"'
