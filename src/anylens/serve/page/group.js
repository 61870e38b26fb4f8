// Several photos of one camera: each one's own field of view against the shared one, the outlier marked.

import { degrees, drawn, element } from "./words.js";

const $ = (id) => document.getElementById(id);

export function showGroup(entries, together, pick) {
  const good = entries.filter((entry) => entry.own?.ok);
  $("group").hidden = good.length < 2;
  if (good.length < 2) return;
  const shared = together ? good.find((entry) => entry.row.ok)?.row : null;
  const outliers = good.filter((entry) => entry.row.outlier);
  $("group-words").textContent = !together
    ? "Each photo has its own answer. Say that they share a camera and they are fitted together, which is surer."
    : !shared ? good[0].row.error
    : outliers.length ? `${outliers.map((entry) => entry.name).join(", ")} does not agree with the others and counts little.`
    : "The photos agree: one camera, from all of them.";
  const widest = Math.max(...good.map((entry) => entry.own.hfov_interval_deg[1]), shared?.hfov_interval_deg[1] || 0);
  const narrowest = Math.min(...good.map((entry) => entry.own.hfov_interval_deg[0]), shared?.hfov_interval_deg[0] || 360);
  const reach = Math.max(4, widest - narrowest);
  const place = (value) => `${(4 + (92 * (value - narrowest)) / reach).toFixed(2)}%`;
  const share = (value) => `${((92 * value) / reach).toFixed(2)}%`;
  const rows = good.map((entry) => {
    const [low, high] = entry.own.hfov_interval_deg;
    const bar = drawn("svg", { class: "agree", "aria-hidden": "true" });
    if (shared) {
      const [a, b] = shared.hfov_interval_deg;
      bar.append(drawn("rect", { x: place(a), width: share(b - a), y: 0, height: "100%", class: "shared" }));
    }
    bar.append(drawn("line", { x1: place(low), x2: place(high), y1: "50%", y2: "50%", class: "interval" }));
    bar.append(drawn("circle", { cx: place(entry.own.hfov_deg), cy: "50%", r: 5, class: "own" }));
    const name = element("button", { type: "button", className: "link", textContent: entry.name });
    name.addEventListener("click", () => pick(entry));
    return element("li", { className: entry.row.outlier ? "outlier" : "" }, name, bar,
      element("span", { textContent: degrees(entry.own.hfov_deg) }),
      element("em", { textContent: !shared ? "" : entry.row.outlier ? "outlier" : "agrees" }));
  });
  const total = shared ? [element("li", { className: "total" }, element("strong", { textContent: "shared camera" }),
    element("span", { className: "grow", textContent: `${shared.camera.model}, ${degrees(shared.hfov_interval_deg[0])} to ${degrees(shared.hfov_interval_deg[1])}` }),
    element("strong", { id: "shared-hfov", textContent: degrees(shared.hfov_deg) }), element("em", {}))] : [];
  $("agreement").replaceChildren(element("ul", { className: "agreement" }, ...rows, ...total));
}
