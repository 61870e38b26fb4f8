// The horizontal field of view as a wedge seen from above; the paler part is the 68 % interval.

import { degrees, drawn, element } from "./words.js";

const at = (angle, radius) => {
  const t = ((angle - 90) * Math.PI) / 180;
  return [100 + radius * Math.cos(t), 100 + radius * Math.sin(t)].map((v) => v.toFixed(2));
};

function wedge(half, radius) {
  if (half >= 179.9) return `M100 ${100 - radius} A${radius} ${radius} 0 1 1 99.9 ${100 - radius} Z`;
  const large = half > 90 ? 1 : 0;
  return `M100 100 L${at(-half, radius).join(" ")} A${radius} ${radius} 0 ${large} 1 ${at(half, radius).join(" ")} Z`;
}

export function drawGauge(box, row) {
  const [low, high] = row.hfov_interval_deg;
  const value = row.hfov_deg;
  const wide = high > 178;
  const svg = drawn("svg", { viewBox: wide ? "0 0 200 200" : "0 4 200 108", class: "gauge", "aria-hidden": "true" });
  for (let tick = -180; tick < 180; tick += 15) {
    const [x1, y1] = at(tick, tick % 45 ? 92 : 89);
    const [x2, y2] = at(tick, 96);
    svg.append(drawn("line", { x1, y1, x2, y2, class: tick % 45 ? "tick" : "tick long" }));
  }
  svg.append(drawn("path", { d: wedge(high / 2, 86), class: "maybe" }));
  svg.append(drawn("path", { d: wedge(low / 2, 86), class: "sure" }));
  for (const side of [-1, 1]) {
    const [x, y] = at((side * value) / 2, 86);
    svg.append(drawn("line", { x1: 100, y1: 100, x2: x, y2: y, class: "edge" }));
  }
  svg.append(drawn("circle", { cx: 100, cy: 100, r: 5, class: "eye" }));
  const words = element("p", { className: "fov" },
    element("strong", { id: "hfov", textContent: degrees(value, 2) }),
    element("span", { id: "hfov-interval", textContent: `${degrees(low, 1)} to ${degrees(high, 1)}, 68 %` }));
  box.replaceChildren(svg, words);
}
