// The page: photos in, the service asked, answers shown. State lives here and nowhere else.

import { Choices } from "./choices.js";
import { listFormats, showCode } from "./exports.js";
import { showFacts, showRanking } from "./facts.js";
import { showGroup } from "./group.js";
import { listExamples, takeIn } from "./intake.js";
import { about, calibrate, rank, refit, Trouble } from "./service.js";
import { Stage } from "./stage.js";
import { Straight } from "./straight.js";
import { showProgress, showStrip } from "./strip.js";

const $ = (id) => document.getElementById(id);
const AT_A_TIME = 2;
const entries = [];
let active = null;
let together = false;
let round = 0;

const service = await about();
const choices = new Choices(service.models, () => chooseAgain());
const stage = new Stage();
const straight = new Straight();
listFormats(service.formats, () => active.row.camera);
takeIn(add);
listExamples(service.examples, add);
document.body.dataset.ready = "true";

// -- photos ------------------------------------------------------------------------------------------------------

async function add(files) {
  const fresh = files.map((file) => ({ file, name: file.name, state: "waiting", bitmap: null, row: null, own: null }));
  if (!fresh.length) return;
  entries.push(...fresh);
  active = entries.length === fresh.length || !active?.row?.ok ? fresh[0] : active;
  show();
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  if (together) await chooseAgain();
  show();
}

async function work() {
  for (let entry; (entry = entries.find((one) => one.state === "waiting"));) {
    entry.state = "working";
    entry.bitmap ||= await createImageBitmap(entry.file).catch(() => null);
    show();
    await look(entry);
    show();
  }
}

async function look(entry) {
  try {
    if (entry.file.size > service.limits.max_upload) {
      throw new Trouble(413, `${entry.name} has more than the ${service.limits.max_upload / 1e6} MB allowed here.`);
    }
    entry.row = await calibrate(entry.file, choices.options());
    entry.own = entry.row;
    if (!entry.row.ok) throw new Trouble(200, entry.row.error);
    entry.state = "done";
    entry.trouble = "";
    entry.ranking = null;
  } catch (trouble) {
    entry.state = "failed";
    entry.trouble = trouble.message;
  }
}

// -- choices -----------------------------------------------------------------------------------------------------

async function chooseAgain() {
  const mine = ++round;
  const good = entries.filter((entry) => entry.row?.observation);
  tell("");
  if (!good.length) return show();
  $("facts").setAttribute("aria-busy", "true");
  const names = good.map((entry) => entry.row.observation);
  try {
    const options = choices.options();
    const own = await refit(names, options);
    const shared = together && good.length > 1 ? await refit(names, options, "all") : own;
    if (mine !== round) return;
    good.forEach((entry, i) => Object.assign(entry, { own: own[i], row: shared[i], ranking: null, trouble: shared[i].error || "" }));
  } catch (trouble) {
    if (mine !== round) return;
    if (trouble.status === 404 || trouble.status === 409) {
      for (const entry of good) entry.state = "waiting";
      await Promise.all(Array.from({ length: AT_A_TIME }, work));
    } else {
      tell(trouble.message);
    }
  } finally {
    if (mine === round) $("facts").removeAttribute("aria-busy");
  }
  show();
}

function tell(text) {
  $("known-trouble").textContent = text;
  $("known-trouble").hidden = !text;
}

$("together").addEventListener("change", () => {
  together = $("together").checked;
  chooseAgain();
});
$("restart").addEventListener("click", () => {
  entries.length = 0;
  active = null;
  round += 1;
  show();
  $("pick").focus();
});
for (const [button, other, view, hidden] of [["see-rings", "see-straight", "rings-view", "straight-view"], ["see-straight", "see-rings", "straight-view", "rings-view"]]) {
  $(button).addEventListener("click", () => {
    $(button).setAttribute("aria-pressed", "true");
    $(other).setAttribute("aria-pressed", "false");
    $(view).hidden = false;
    $(hidden).hidden = true;
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
  const any = entries.length > 0;
  $("welcome").hidden = any;
  $("result").hidden = !any;
  $("more").hidden = $("restart").hidden = !any;
  showProgress(entries);
  if (!any) return;
  showStrip(entries, active, pick);
  showGroup(entries, together, pick);
  const row = active.row;
  const good = Boolean(row?.ok);
  $("trouble").textContent = active.trouble || "";
  $("trouble").hidden = !active.trouble;
  $("viewer").hidden = active.state === "failed" && !active.bitmap;
  $("facts").hidden = !good;
  $("file").textContent = active.name;
  $("working").hidden = active.state !== "working" && active.state !== "waiting";
  stage.show(active);
  straight.show(active);
  $("see-straight").disabled = !good;
  showCode(together ? entries.map((entry) => entry.name) : [active.name], choices.options(), together && entries.length > 1);
  if (!good) return;
  showFacts(row);
  choices.explain(row.camera.model);
  $("ranking").hidden = choices.model !== "auto";
  if (active.ranking) showRanking(active.ranking);
  else if (choices.model === "auto") askRanking(active);
}

async function askRanking(entry) {
  entry.ranking = [];
  try {
    entry.ranking = await rank(entry.row.observation, choices.options());
  } catch {
    return; // a convenience: the result stands without it
  }
  if (entry === active) showRanking(entry.ranking);
}
