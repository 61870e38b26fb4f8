"""Folders: rows in order, resumed after a kill without a trace, grouped by camera, the same by every engine."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from small_photos import Deadly, make_photo

from anylens.batches.inputs import find_inputs
from anylens.batches.journal import Journal
from anylens.batches.pool import map_items
from anylens.batches.worker import Job
from anylens.cli import main
from anylens.errors import FormatError


def calibrate(*argv):
    return main(["calibrate", *map(str, argv)])


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_two_processes_give_the_rows_of_one(folder, network, tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert calibrate(folder, "--out", one, "--jobs", 1, "--weights", network) == 0
    assert calibrate(folder, "--out", two, "--jobs", 2, "--weights", network) == 0
    assert one.read_bytes() == two.read_bytes()
    assert len(rows_of(one)) == 30
    assert [r["file"] for r in rows_of(one)] == [i.file for i in find_inputs([str(folder)])]
    assert not list(tmp_path.glob("*.run.json"))


def test_killed_and_resumed_is_as_if_unbroken(folder, network, tmp_path):
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    calibrate(folder, "--out", whole, "--jobs", 1, "--weights", network)
    command = [sys.executable, "-c", "from anylens.cli import entry; entry()", "calibrate", str(folder),
               "--out", str(broken), "--jobs", "1", "--weights", network]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if broken.exists() and broken.read_bytes().count(b"\n") >= 5:
            os.kill(process.pid, signal.SIGKILL)
            break
        time.sleep(0.005)
    process.wait()
    done = broken.read_bytes().count(b"\n")
    assert 5 <= done < 30
    assert calibrate(folder, "--out", broken, "--jobs", 1, "--weights", network) == 0
    assert broken.read_bytes() == whole.read_bytes()


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs /proc")
def test_a_kill_leaves_no_processes_behind(folder, network, tmp_path):
    out = tmp_path / "rows.jsonl"
    command = [sys.executable, "-c", "from anylens.cli import entry; entry()", "calibrate", str(folder),
               "--out", str(out), "--jobs", "2", "--weights", network]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (out.exists() and out.stat().st_size):
        time.sleep(0.01)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    assert children
    while time.monotonic() < deadline and any(map(alive, children)):
        time.sleep(0.05)
    assert not any(map(alive, children))
    assert calibrate(folder, "--out", out, "--jobs", 1, "--weights", network) == 0
    assert len({row["file"] for row in rows_of(out)}) == len(rows_of(out)) == 30


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("torn", [b"", b'{"file": "half', b'{"file": "x"}\n', b"\xff\xfe\n"])
def test_torn_rows_are_written_again(folder, network, tmp_path, kind, torn):
    whole, out = tmp_path / f"whole.{kind}", tmp_path / f"out.{kind}"
    small = folder / "set2"
    calibrate(small, "--out", whole, "--weights", network)
    calibrate(small, "--out", tmp_path / "lines.jsonl", "--weights", network)
    journal = out if kind == "jsonl" else tmp_path / "out.csv.part.jsonl"
    journal.write_bytes(b"".join((tmp_path / "lines.jsonl").read_bytes().splitlines(True)[:3]) + torn)
    assert calibrate(small, "--out", out, "--weights", network) == 0
    assert out.read_bytes() == whole.read_bytes()
    assert [p.name for p in tmp_path.iterdir() if "part" in p.name or "run" in p.name] == []


def test_failed_rows_count_after_a_resume(folder, network, tmp_path):
    (folder / "broken.jpg").write_text("no picture")
    out = tmp_path / "rows.jsonl"
    assert calibrate(folder / "set0", folder / "broken.jpg", "--out", out, "--weights", network) == 1
    assert calibrate(folder / "set0", folder / "broken.jpg", "--out", out, "--weights", network) == 1
    assert len(rows_of(out)) == 7


@pytest.mark.parametrize("text", ["some notes\n", '{"id": 1}\n{"id": 2}\n', '{"name"'])
def test_files_of_others_are_left_alone(tmp_path, text):
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError, match="something else"):
        Journal(path, {})
    assert path.read_text() == text
    assert [p.name for p in tmp_path.iterdir()] == ["rows.jsonl"]
    path.write_text('{"file": "half a first ro')
    Journal(path, {}).file.close()
    assert path.read_text() == ""


def test_other_options_do_not_mix(folder, tmp_path):
    path = tmp_path / "rows.jsonl"
    Journal(path, {"model": "auto"}).file.close()
    with pytest.raises(FormatError, match="another model"):
        Journal(path, {"model": "kb:2"})
    Journal(path, {"model": "kb:2"}, overwrite=True).file.close()


def test_csv_has_a_row_per_photo(folder, network, tmp_path):
    out = tmp_path / "rows.csv"
    calibrate(folder / "set0", "--out", out, "--weights", network)
    rows = list(csv.DictReader(out.open(encoding="utf-8")))
    assert len(rows) == 6
    assert all(float(row["hfov_low_deg"]) < float(row["hfov_deg"]) < float(row["hfov_high_deg"]) for row in rows)


def test_a_finished_csv_can_be_asked_again_and_added_to(folder, network, tmp_path, capsys):
    out, whole = tmp_path / "rows.csv", tmp_path / "whole.csv"
    calibrate(folder / "set0", folder / "set1", "--out", whole, "--weights", network)
    calibrate(folder / "set0", "--out", out, "--weights", network)
    once = out.read_bytes()
    assert calibrate(folder / "set0", "--out", out, "--weights", network) == 0
    assert out.read_bytes() == once
    assert calibrate(folder / "set0", folder / "set1", "--out", out, "--weights", network) == 0
    assert out.read_bytes() == whole.read_bytes()
    out.write_text("a,b\n1,2\n")
    assert calibrate(folder / "set0", "--out", out, "--weights", network) == 2
    assert out.read_text() == "a,b\n1,2\n"
    assert "another program" in capsys.readouterr().err


def test_parquet_has_the_rows_or_says_what_is_missing(folder, network, tmp_path, capsys):
    out = tmp_path / "rows.parquet"
    try:
        from pyarrow import parquet
    except ImportError:
        assert calibrate(folder / "set0", "--out", out, "--weights", network) == 2
        assert "pip install" in capsys.readouterr().err
        return
    assert calibrate(folder / "set0", "--out", out, "--weights", network) == 0
    table = parquet.read_table(out).to_pylist()
    assert len(table) == 6
    assert table[0]["ok"] is True
    assert calibrate(folder / "set0", folder / "set1", "--out", out, "--weights", network) == 0
    assert parquet.read_table(out).num_rows == 12


def tagged(path, level, camera, focal, size=(128, 96)):
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Maker", camera
    inner = exif.get_ifd(0x8769)
    inner[0x920A], inner[0xA405] = focal / 2, focal
    return make_photo(path, level, *size, exif=exif)


@pytest.fixture
def holiday(tmp_path):
    """Two cameras in two folders; one photo of another size; one without tags; one broken."""
    at = tmp_path / "holiday"
    for i in range(3):
        tagged(at / "a" / f"{i}.jpg", 100 + 6 * i, "One", 28)
        tagged(at / "b" / f"{i}.jpg", 100 + 6 * i, "Two", 50)
    tagged(at / "b" / "large.jpg", 110, "Two", 50, (160, 120))
    make_photo(at / "a" / "untagged.jpg", 106)
    (at / "a" / "broken.jpg").write_text("no")
    return at


@pytest.mark.parametrize(("how", "groups"), [
    ("all", [8]), ("by-folder", [4, 4]), ("by-exif", [3, 4, 1]), ("by-size", [7, 1]),
])  # fmt: skip
def test_groups_have_one_camera(holiday, network, tmp_path, how, groups):
    out = tmp_path / "rows.jsonl"
    code = calibrate(holiday, "--shared", how, "--out", out, "--weights", network, "--jobs", 1)
    rows = rows_of(out)
    assert code == 1
    assert len(rows) == 9
    good = [row for row in rows if row["ok"]]
    by_group = {}
    for row in good:
        by_group.setdefault(row["group"], []).append(row)
        assert row["outlier"] in (True, False)
    assert sorted(len(g) for g in by_group.values()) == sorted(groups)
    for members in by_group.values():
        focals = [row["focal_35mm"] for row in members]
        assert np.ptp(focals) < 1e-3 * focals[0]
        assert all(any("alone" in text for text in row["warnings"]) == (len(members) == 1) for row in members)


def test_shared_runs_resume_too(holiday, network, tmp_path):
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    calibrate(holiday, "--shared", "by-folder", "--out", whole, "--weights", network, "--jobs", 1)
    broken.write_bytes(b"".join(whole.read_bytes().splitlines(True)[:3]) + b'{"fi')
    calibrate(holiday, "--shared", "by-folder", "--out", broken, "--weights", network, "--jobs", 1)
    assert broken.read_bytes() == whole.read_bytes()


def test_a_dying_process_takes_only_its_photo(tmp_path):
    pytest.importorskip("onnx")
    for i in range(6):
        make_photo(tmp_path / f"p{i}.png", 200 if i == 2 else 100)
    items = find_inputs([str(tmp_path)])
    rows = list(map_items(Job(predictor=Deadly()), "calibrate", items, 2))
    assert [row["file"] for row in rows] == [item.file for item in items]
    assert [row["ok"] for row in rows] == [True, True, False, True, True, True]
    assert "killed" in rows[2]["error"]


def test_ray_gives_the_same_rows_or_says_what_is_missing(folder, network, tmp_path, capsys):
    one, other = tmp_path / "local.jsonl", tmp_path / "ray.jsonl"
    try:
        import ray  # noqa: F401
    except ImportError:
        assert calibrate(folder / "set0", "--engine", "ray", "--out", other, "--weights", network) == 2
        assert "pip install 'anylens[ray]'" in capsys.readouterr().err
        return
    calibrate(folder / "set0", "--out", one, "--weights", network)
    assert calibrate(folder / "set0", "--engine", "ray", "--out", other, "--weights", network) == 0
    assert one.read_bytes() == other.read_bytes()
