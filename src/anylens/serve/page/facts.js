// Numbers, parameters with their deviations, warnings, ranking, times.

import { drawGauge } from "./gauge.js";
import { degrees, element, fixed, significant } from "./words.js";

const $ = (id) => document.getElementById(id);
const SOURCES = {
  network: "the network", prior: "what is usual", exif: "the EXIF tag", edges: "straight edges",
  known: "what you know", photos: "the photos together",
};

export function showFacts(row) {
  drawGauge($("gauge"), row);
  const numbers = [
    ["focal length", `${fixed(row.focal_px, 1)} px`, "focal-px"],
    ["35 mm equivalent", `${fixed(row.focal_35mm, 2)} mm`, "focal-35"],
    ["vertical", `${degrees(row.vfov_deg, 2)} ± ${fixed(row.vfov_std_deg, 1)}`, "vfov"],
    ["diagonal", `${degrees(row.dfov_deg, 2)} ± ${fixed(row.dfov_std_deg, 1)}`, "dfov"],
  ];
  if (row.roll_deg !== null) {
    numbers.push(["roll", `${degrees(row.roll_deg)} ± ${fixed(row.roll_std_deg, 1)}`, "roll"]);
    numbers.push(["pitch", `${degrees(row.pitch_deg)} ± ${fixed(row.pitch_std_deg, 1)}`, "pitch"]);
  }
  numbers.push(["decided by", SOURCES[row.decided_by] || row.decided_by, "decided"]);
  $("numbers").replaceChildren(...numbers.flatMap(([name, value, id]) =>
    [element("dt", { textContent: name }), element("dd", { textContent: value, id: `n-${id}` })]));
  showSources(row);
  $("warnings").replaceChildren(...row.warnings.map((text) => element("li", { textContent: text })));
  $("warnings").hidden = !row.warnings.length;
  showParams(row);
  const { read = 0, network = 0, edges = 0, fit = 0, evidence = 0 } = row.ms;
  $("times").textContent = `Read ${fixed(read, 0)} ms, network ${fixed(network, 0)}, edges ${fixed(edges, 0)}, ` +
    `fit ${fixed(fit, 0)}, evidence ${fixed(evidence, 0)}. The field is ${degrees(row.rms_deg, 2)} off the model.`;
}

// What each source says by itself, as 35 mm equivalents.
function showSources(row) {
  $("sources").replaceChildren("Alone, ", ...Object.entries(row.sources_35mm).flatMap(([name, mm], i) =>
    [i ? ", " : "", `${SOURCES[name] || name} ${name === "photos" ? "say" : name === "edges" ? "say" : "says"} `, element("b", { textContent: `${fixed(mm, 0)} mm` })]), ".");
}

function showParams(row) {
  const held = row.held.join(" ");
  const rows = Object.entries(row.camera.params).map(([name, value]) => {
    const off = row.view.deviations[name];
    const word = held.includes(`${name} as given`) || (/^f[xy]?$/.test(name) && !off) ? "as you said" : "held";
    return element("tr", { id: `p-${name}` }, element("th", { scope: "row", textContent: name }),
      element("td", { textContent: significant(value) }),
      element("td", { className: "soft", textContent: off ? `± ${significant(off, 2)}` : word }));
  });
  const head = element("tr", {}, element("th", { scope: "col", textContent: "parameter" }),
    element("th", { scope: "col", textContent: "value" }), element("th", { scope: "col", textContent: "deviation" }));
  const caption = $("params").querySelector("caption");
  $("params").replaceChildren(caption, element("thead", {}, head), element("tbody", {}, ...rows));
}

export function showRanking(ranking) {
  const table = $("ranking").querySelector("table");
  const head = element("tr", {}, element("th", { scope: "col", textContent: "model" }),
    element("th", { scope: "col", textContent: "off the field by" }), element("th", { scope: "col", textContent: "verdict" }));
  const rows = ranking.map((one) => element("tr", { className: one.chosen ? "chosen" : "" },
    element("th", { scope: "row", textContent: one.model }),
    element("td", { textContent: one.error ? "–" : degrees(one.rms_deg, 2) }),
    element("td", { className: "soft", textContent: one.chosen ? "taken" : one.error ? "no fit" : one.folds ? "folds over" : "" })));
  table.replaceChildren(table.querySelector("caption"), element("thead", {}, head), element("tbody", {}, ...rows));
}
