// The horizontal field of view as a wedge seen from above. The bands at its sides are the 68 % interval.

import { degrees, drawn, element } from "./words.js";

const REACH = 84;

const at = (angle, radius) => {
  const t = ((angle - 90) * Math.PI) / 180;
  return [100 + radius * Math.cos(t), 100 + radius * Math.sin(t)].map((v) => v.toFixed(2)).join(" ");
};

// The part of a ring between two angles, clockwise; inner 0 for a wedge.
function sector(from, to, outer, inner = 0) {
  const large = to - from > 180 ? 1 : 0;
  const back = inner ? `L${at(to, inner)} A${inner} ${inner} 0 ${large} 0 ${at(from, inner)} Z` : "L100 100 Z";
  return `M${at(from, outer)} A${outer} ${outer} 0 ${large} 1 ${at(to, outer)} ${back}`;
}

export function drawGauge(box, row) {
  const [low, high] = row.hfov_interval_deg.map((angle) => Math.min(359, angle));
  const value = Math.min(359, row.hfov_deg);
  const svg = drawn("svg", { viewBox: high > 176 ? "0 0 200 200" : "0 0 200 108", class: "gauge", "aria-hidden": "true" });
  for (let tick = -180; tick < 180; tick += 15) {
    const long = tick % 45 === 0;
    svg.append(drawn("path", { d: `M${at(tick, long ? 88 : 90)} L${at(tick, 94)}`, class: long ? "tick long" : "tick" }));
  }
  svg.append(drawn("path", { d: sector(-value / 2, value / 2, REACH), class: "seen" }));
  for (const radius of [28, 56]) svg.append(drawn("path", { d: `M${at(-value / 2, radius)} A${radius} ${radius} 0 ${value > 180 ? 1 : 0} 1 ${at(value / 2, radius)}`, class: "ripple" }));
  svg.append(drawn("path", { d: sector(low / 2, high / 2, REACH + 2, 30), class: "maybe" }));
  svg.append(drawn("path", { d: sector(-high / 2, -low / 2, REACH + 2, 30), class: "maybe" }));
  for (const side of [-1, 1]) svg.append(drawn("path", { d: `M100 100 L${at((side * value) / 2, REACH + 2)}`, class: "edge" }));
  svg.append(drawn("circle", { cx: 100, cy: 100, r: 5, class: "eye" }));
  const words = element("p", { className: "fov" },
    element("strong", { id: "hfov", textContent: degrees(row.hfov_deg, 2) }),
    element("span", { id: "hfov-interval", textContent: row.hfov_interval_deg.map((v) => degrees(v, 1)).join(" to ") }),
    element("small", { textContent: "is where the truth lies in two of three photos (68\u00a0%)" }));
  box.replaceChildren(svg, words);
}
