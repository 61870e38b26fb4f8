"""`anylens evaluate`: tables, files, exit codes, resuming, several processes."""

import csv
import json

import pytest

from anylens.cli import main
from anylens.errors import AnylensError
from anylens.evaluation.journal import EstimateJournal
from anylens.evaluation.run import estimate
from anylens.evaluation.sample import Estimate
from anylens.evaluation.sets import open_set
from anylens.evaluation.work import Plan

from .written import DeadlyOnce, pinhole_row, write_manifest, write_picture


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    rows = []
    for i, f in enumerate((50.0, 60.0, 70.0, 90.0)):
        write_picture(folder / f"{i}.png")
        rows.append(pinhole_row(f"{i}.png", f, group="ab"[i % 2], camera="one" if i < 2 else str(i)))
    write_manifest(folder, [*rows, pinhole_row("gone.png")])
    (folder / "mine.csv").write_text("file,model,f,cx,cy\n" + "".join(
        f"{i}.png,simple_pinhole,{f},32,24\n" for i, f in enumerate((50, 60, 70))))  # fmt: skip
    return folder


def test_one_table_of_all_methods(photos, tmp_path, capsys):
    out = {kind: tmp_path / "out" / f"r.{kind}" for kind in ("json", "csv", "md")}
    code = main(["evaluate", str(photos), "--methods", f"colmap,constant,mine={photos / 'mine.csv'}", "--draws", "50",
                 "--json", str(out["json"]), "--csv", str(out["csv"]), "--markdown", str(out["md"])])  # fmt: skip
    shown = capsys.readouterr()
    assert code == 0
    assert "gone.png: there is no such file" in shown.err
    assert "failed   mine: 3.png: no prediction in mine.csv" in shown.err
    assert "b (2 photos)" in shown.out
    data = json.loads(out["json"].read_text())
    mine = data["groups"]["all"]["mine"]
    assert mine["count"] == 4
    assert mine["failed"] == 1
    assert mine["figures"]["ae_deg"]["value"] < 1e-6
    assert data["groups"]["b"]["mine"]["figures"]["hfov_deg"]["value"] == "inf"
    assert data["cameras"]["all"]["mine"]["count"] == 3
    assert data["problems"][0]["file"] == "gone.png"
    by_file = {row["file"]: row["methods"]["mine"] for row in data["images"]}
    assert by_file["3.png"]["errors"]["ae_deg"] == "inf"
    assert by_file["0.png"]["errors"]["re_px"] < 1e-6
    rows = list(csv.DictReader(out["csv"].read_text().splitlines()))
    assert {row["unit"] for row in rows} == {"photos", "cameras"}
    assert out["md"].read_text().startswith("| group |")
    assert not out["json"].with_name("r.json.part.jsonl").exists()


def test_exit_codes(photos, tmp_path, capsys):
    assert main(["evaluate", str(tmp_path / "nowhere")]) == 2
    assert main(["evaluate", str(photos), "--methods", "magic"]) == 2
    assert main(["evaluate", str(photos), "--methods", "colmap", "--grid", "2"]) == 2
    assert main(["evaluate", str(photos), "--weights", str(tmp_path / "gone.onnx")]) == 2
    assert main(["evaluate", str(photos), "--methods", "exif"]) == 3
    write_manifest(tmp_path / "empty", [pinhole_row("gone.png")])
    assert main(["evaluate", str(tmp_path / "empty"), "--methods", "colmap"]) == 3
    assert "gone.png" in capsys.readouterr().err


def test_the_same_from_several_processes(photos, tmp_path, capsys):
    found = []
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.json"
        assert main(["evaluate", str(photos), "--methods", "colmap,exif", "--jobs", jobs, "--json", str(out)]) == 0
        found.append(out.read_text())
    assert found[0] == found[1]


class Counting:
    name, whole = "counting", False

    def __init__(self, fail_after=99):
        self.calls, self.fail_after = 0, fail_after

    def run(self, samples):
        for sample in samples:
            self.calls += 1
            if self.calls > self.fail_after:
                raise KeyboardInterrupt
            yield Estimate(sample.file, hfov_deg=50.0, vfov_deg=40.0)


def test_an_interrupted_run_goes_on(photos, tmp_path):
    samples, results = open_set(photos).samples, tmp_path / "r.json"
    with pytest.raises(KeyboardInterrupt):
        estimate(samples, Plan((), (Counting(2),)), journal=EstimateJournal(results, {"seed": 0}))
    part = tmp_path / "r.json.part.jsonl"
    part.write_text(part.read_text() + '{"file": "2.png", "estim')  # cut off while writing
    second = Counting()
    found = estimate(samples, Plan((), (second,)), journal=EstimateJournal(results, {"seed": 0}))
    assert second.calls == 2
    assert len(found["counting"]) == 4
    third = Counting()
    estimate(samples, Plan((), (third,)), journal=EstimateJournal(results, {"seed": 1}))
    assert third.calls == 4


def test_a_killed_process_is_named_and_the_run_goes_on(photos, tmp_path):
    samples, results = open_set(photos).samples, tmp_path / "r.json"
    plan = Plan((), (DeadlyOnce(tmp_path, "3.png"),))
    with pytest.raises(AnylensError, match=r"killed after \d of 4 .*--json"):
        estimate(samples, plan, jobs=2, journal=EstimateJournal(results, {"seed": 0}))
    kept = set(EstimateJournal(results, {"seed": 0}).done)
    (tmp_path / "seen").unlink()
    found = estimate(samples, plan, jobs=2, journal=EstimateJournal(results, {"seed": 0}))
    assert len(found["deadly"]) == 4
    assert set((tmp_path / "seen").read_text().split()) == {s.file for s in samples} - kept
    assert {"0.png", "1.png"} <= kept
    assert "3.png" not in kept


def test_a_method_that_breaks_only_fails_itself(photos):
    class Broken(Counting):
        name = "broken"

        def run(self, samples):
            raise ZeroDivisionError("oops")

    found = estimate(open_set(photos).samples, Plan((), (Broken(), Counting())))
    assert all("oops" in e.error for e in found["broken"].values())
    assert not any(e.error for e in found["counting"].values())


def test_photos_without_a_known_model_are_named(tmp_path, capsys):
    angles = {"width": 64, "height": 48, "hfov_deg": 60.0, "vfov_deg": 45.0}
    for i in range(7):
        write_picture(tmp_path / f"{i}.png")
    write_manifest(tmp_path, [{"file": f"{i}.png", **angles} for i in range(7)])
    assert main(["evaluate", str(tmp_path), "--methods", "colmap"]) == 0
    shown = capsys.readouterr()
    assert "4.png and 2 more: no model in the manifest" in shown.err
    assert "hFoV" in shown.out
    assert "AE" not in shown.out.splitlines()[2]
