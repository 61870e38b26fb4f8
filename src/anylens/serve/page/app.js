// The page: photos in, the service asked, answers shown.

import { Album } from "./album.js";
import { Choices } from "./choices.js";
import { listFormats, showCode } from "./exports.js";
import { showFacts, showRanking } from "./facts.js";
import { showGroup } from "./group.js";
import { listExamples, takeIn } from "./intake.js";
import { about, rank } from "./service.js";
import { Stage } from "./stage.js";
import { Straight } from "./straight.js";
import { showProgress, showStrip } from "./strip.js";

const $ = (id) => document.getElementById(id);
let active = null;

const service = await about().catch((trouble) => {
  $("welcome-trouble").textContent = trouble.message;
  $("welcome-trouble").hidden = false;
  throw trouble;
});
const choices = new Choices(service.models, chooseAgain);
const album = new Album(service.limits, () => choices.options(), (fresh) => {
  if (fresh && !active?.row?.ok) active = fresh;
  show();
});
const stage = new Stage();
const straight = new Straight();
$("most-pixels").textContent = String(service.limits.max_pixels / 1e6);
listFormats(service.formats, () => active.row.camera);
const add = (files) => (files.length ? album.add(files).then(show) : null);
takeIn(add);
listExamples(service.examples, add);
document.body.dataset.ready = "true";

// -- choices -----------------------------------------------------------------------------------------------------

let asked = 0;

async function chooseAgain() {
  const mine = ++asked;
  $("facts").setAttribute("aria-busy", "true");
  const reason = choices.wrong() || (await album.chooseAgain());
  if (mine !== asked) return;
  $("facts").removeAttribute("aria-busy");
  $("known-trouble").textContent = reason;
  $("known-trouble").hidden = !reason;
  show();
}

$("together").addEventListener("change", () => {
  album.together = $("together").checked;
  chooseAgain();
});
$("restart").addEventListener("click", () => {
  album.clear();
  active = null;
  show();
  $("pick").focus();
});
const views = { "see-rings": "rings-view", "see-straight": "straight-view" };
for (const button of Object.keys(views)) {
  $(button).addEventListener("click", () => {
    for (const [each, view] of Object.entries(views)) {
      $(each).setAttribute("aria-pressed", String(each === button));
      $(view).hidden = each !== button;
    }
    stage.draw();
    straight.paint();
  });
}

// -- what is seen ------------------------------------------------------------------------------------------------

function pick(entry) {
  active = entry;
  show();
}

function show() {
  const { entries, together } = album;
  const any = entries.length > 0;
  if (any && !$("welcome").hidden) scrollTo(0, 0);
  $("welcome").hidden = any;
  $("result").hidden = !any;
  $("more").hidden = $("restart").hidden = !any;
  showProgress(entries);
  if (!any) return;
  showStrip(entries, active, pick);
  showGroup(entries, together, pick);
  const row = active.row;
  const good = Boolean(row?.ok);
  const busy = active.state === "working" || active.state === "waiting";
  $("trouble").hidden = active.state !== "failed";
  if ($("reason").textContent !== active.trouble) $("reason").textContent = active.trouble;
  $("reading").hidden = $("another").hidden = Boolean(row?.observation);
  $("viewer").hidden = !good && !busy && !row?.observation;
  $("facts").hidden = !row?.observation && !busy;
  $("facts").classList.toggle("empty", !good);
  $("headline").hidden = !good && !busy;
  $("times").hidden = $("take").hidden = !good;
  $("code").hidden = !row?.observation;
  $("file").textContent = active.name;
  $("working").hidden = !busy;
  stage.show(active);
  straight.show(active);
  const named = (together ? entries.filter((entry) => entry.row?.observation) : [active]).map((entry) => entry.name);
  showCode(named, choices.options(), together && named.length > 1);
  if (!good) return;
  showFacts(row);
  choices.explain(row.camera.model);
  $("ranking").hidden = choices.model !== "auto";
  if (active.ranking) showRanking(active.ranking);
  else if (choices.model === "auto") askRanking(active);
}

async function askRanking(entry) {
  const row = entry.row;
  entry.ranking = [];
  const found = await rank(row.observation, choices.options()).catch(() => []); // the result stands without it
  if (entry.row !== row) return;
  entry.ranking = found;
  if (entry === active) showRanking(found);
}
