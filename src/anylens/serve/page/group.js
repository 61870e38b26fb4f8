// Several photos of one camera: what each says by itself against the shared camera, the outlier marked.
// Diagonals are compared, so that upright and lying photos can be.

import { degrees, drawn, element } from "./words.js";

const $ = (id) => document.getElementById(id);

const interval = (row) => [row.dfov_deg - row.dfov_std_deg, row.dfov_deg + row.dfov_std_deg];

function agreement(entry, shared) {
  if (entry.row.outlier) return "outlier";
  const off = Math.abs(entry.own.dfov_deg - shared.dfov_deg);
  return off > entry.own.dfov_std_deg + shared.dfov_std_deg ? "leans away" : "agrees";
}

export function showGroup(entries, together, pick) {
  const good = entries.filter((entry) => entry.own?.ok && entry.row);
  $("group").hidden = good.length < 2;
  if (good.length < 2) return;
  const shared = together ? good.find((entry) => entry.row.ok && entry.row.outlier !== undefined)?.row : null;
  const words = good.map((entry) => (shared ? agreement(entry, shared) : ""));
  $("group-words").textContent = said(good, together, shared, words);
  const ends = [...good.map((entry) => entry.own), ...(shared ? [shared] : [])].map(interval);
  const first = Math.min(...ends.map(([low]) => low));
  const reach = Math.max(4, Math.max(...ends.map(([, high]) => high)) - first);
  const place = (value) => `${(2 + (96 * (value - first)) / reach).toFixed(2)}%`;
  const rows = good.map((entry, i) => {
    const name = element("button", { type: "button", className: "link", textContent: entry.name });
    name.addEventListener("click", () => pick(entry));
    return element("li", { className: words[i].replace(" ", "-") }, name, bar(entry.own, shared, place),
      element("span", { textContent: degrees(entry.own.dfov_deg) }), element("em", { textContent: words[i] }));
  });
  const total = shared ? [element("li", { className: "total" }, element("strong", { textContent: "shared camera" }),
    element("span", { className: "grow", textContent: `${shared.camera.model}, ${interval(shared).map((v) => degrees(v)).join(" to ")}` }),
    element("strong", { id: "shared-dfov", textContent: degrees(shared.dfov_deg) }), element("em", {}))] : [];
  $("agreement").replaceChildren(...rows, ...total);
}

function said(good, together, shared, words) {
  if (!together) return "Each photo has its own answer. If they share a camera, say so: fitted together they are surer.";
  if (!shared) return good.find((entry) => entry.row.error)?.row.error || "Fitting them together …";
  const outliers = good.filter((entry, i) => words[i] === "outlier").map((entry) => entry.name);
  if (outliers.length) return `${outliers.join(", ")} disagree${outliers.length > 1 ? "" : "s"} with the others and count${outliers.length > 1 ? "" : "s"} little.`;
  if (words.includes("leans away")) return "One camera from all of them, though not all say the same.";
  return "The photos agree: one camera, from all of them. Diagonal fields of view:";
}

function bar(own, shared, place) {
  const made = drawn("svg", { class: "agree", "aria-hidden": "true" });
  const [low, high] = interval(own);
  if (shared) {
    const [a, b] = interval(shared).map(place);
    made.append(drawn("rect", { x: a, width: `${(parseFloat(b) - parseFloat(a)).toFixed(2)}%`, y: 0, height: "100%", class: "shared" }));
    made.append(drawn("line", { x1: place(shared.dfov_deg), x2: place(shared.dfov_deg), y1: 0, y2: "100%", class: "middle" }));
  }
  made.append(drawn("line", { x1: place(low), x2: place(high), y1: "50%", y2: "50%", class: "interval" }));
  made.append(drawn("circle", { cx: place(own.dfov_deg), cy: "50%", r: 5, class: "own" }));
  return made;
}
