// Model and knowledge: what the user chooses, as options of the service.

import { element } from "./words.js";

const $ = (id) => document.getElementById(id);
const COMMON = ["auto", "pinhole", "radial:1", "radial:2", "kb:2", "kb:4", "division:1", "eucm", "ds"];

// The text of a field as a number, "" for an empty one, null for anything else.
function number(input) {
  const text = input.value.trim().replace(",", ".");
  return Number.isFinite(Number(text)) ? text : null;
}

export class Choices {
  constructor(models, changed) {
    this.model = "auto";
    this.models = new Map(models.map((one) => [one.model, one]));
    this.changed = changed;
    $("models").replaceChildren(...COMMON.map((name) => this.pill(name)));
    const names = ["auto", ...this.models.keys(), ...[...this.models.keys()].map((name) => `simple_${name}`)];
    $("any-model").replaceChildren(...names.map((name) => element("option", { value: name, textContent: name })));
    $("any-model").addEventListener("change", () => this.choose($("any-model").value));
    $("known").addEventListener("input", () => this.later());
    $("known").addEventListener("submit", (event) => event.preventDefault());
    this.mark();
  }

  pill(name) {
    const input = element("input", { type: "radio", name: "model", value: name, checked: name === "auto" });
    input.addEventListener("change", () => this.choose(name));
    return element("label", {}, input, element("span", { textContent: name }));
  }

  choose(name) {
    this.model = name;
    this.mark();
    this.changed();
  }

  mark() {
    $("any-model").value = this.model;
    for (const input of $("models").querySelectorAll("input")) input.checked = input.value === this.model;
  }

  // The formula of the model that was fitted.
  explain(model) {
    const found = this.models.get(model.replace(/^simple_/, ""));
    $("formula").replaceChildren(element("strong", { id: "fitted-model", textContent: model }),
      element("span", { textContent: found ? found.formula : "" }));
  }

  // Typing settles first.
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed(), 350);
  }

  // What was typed and is no number; empty when all is well.
  wrong() {
    const odd = [...document.querySelectorAll("[data-known], [data-std]")].find((input) => number(input) === null);
    return odd ? `“${odd.value.trim()}” is not a number.` : "";
  }

  known() {
    const found = [];
    for (const input of document.querySelectorAll("[data-known]")) {
      const std = document.querySelector(`[data-std="${input.dataset.known}"]`);
      if (number(input)) found.push(`${input.dataset.known}=${number(input)}${std && number(std) ? `±${number(std)}` : ""}`);
    }
    return found;
  }

  // Only what differs from the usual, so that the calls to copy stay short.
  options() {
    const found = {};
    if (this.model !== "auto") found.model = this.model;
    if (this.known().length) found.known = this.known();
    for (const input of document.querySelectorAll("[data-flag]")) {
      if (input.checked !== input.defaultChecked) found[input.dataset.flag] = input.checked;
    }
    for (const select of document.querySelectorAll("[data-choice]")) {
      if (select.selectedIndex) found[select.dataset.choice] = select.value;
    }
    return found;
  }
}
