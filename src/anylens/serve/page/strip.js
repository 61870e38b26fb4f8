// One small picture per photo, with how it went.

import { element, plural } from "./words.js";

const $ = (id) => document.getElementById(id);

export function showStrip(entries, active, pick) {
  $("strip").hidden = entries.length < 2;
  $("strip").replaceChildren(...entries.map((entry) => {
    const state = entry.state === "failed" || entry.row?.ok === false ? "failed" : entry.row?.outlier ? "outlier" : entry.state;
    const canvas = element("canvas", { width: 128, height: 96, "aria-hidden": "true" });
    if (entry.bitmap) {
      const scale = Math.max(128 / entry.bitmap.width, 96 / entry.bitmap.height);
      const [w, h] = [entry.bitmap.width * scale, entry.bitmap.height * scale];
      canvas.getContext("2d").drawImage(entry.bitmap, (128 - w) / 2, (96 - h) / 2, w, h);
    }
    const words = { waiting: "waits", working: "is looked at", done: "done", failed: "failed", outlier: "disagrees" };
    const button = element("button", { type: "button", className: `thumb ${state}`, title: entry.name },
      canvas, element("span", { textContent: entry.name }), element("i", { textContent: words[state] || "" }));
    if (entry === active) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => pick(entry));
    return element("li", {}, button);
  }));
}

export function showProgress(entries) {
  const done = entries.filter((entry) => entry.state === "done" || entry.state === "failed").length;
  const busy = done < entries.length;
  const bar = $("progress");
  bar.hidden = !busy;
  bar.setAttribute("aria-valuemax", String(entries.length));
  bar.setAttribute("aria-valuenow", String(done));
  bar.firstElementChild.style.width = `${(100 * (done + 0.4)) / Math.max(1, entries.length)}%`;
  const failed = entries.filter((entry) => entry.state === "failed").length;
  $("status").textContent = busy ? `${done} of ${plural(entries.length, "photo")} looked at`
    : entries.length ? `${plural(entries.length - failed, "photo")} calibrated${failed ? `, ${failed} failed` : ""}` : "";
}
