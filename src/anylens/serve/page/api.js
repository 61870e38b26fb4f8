// The service's own description, drawn from /openapi.json.

import { element } from "./words.js";

const described = await (await fetch("/openapi.json")).json();
document.getElementById("call").textContent = `curl -F photos=@photo.jpg ${location.origin}/v1/calibrate`;

// Text with `code` in it.
const words = (tag, text) => element(tag, {}, ...text.split("`").map((part, i) => (i % 2 ? element("code", { textContent: part }) : part)));

const kind = (schema) => {
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.type === "array") return `list of ${kind(schema.items)}`;
  if (schema.format === "binary") return "file";
  return schema.type || "any";
};

function fields(schema) {
  const rows = Object.entries(schema.properties || {}).map(([name, one]) => element("tr", {},
    element("th", { scope: "row", textContent: name + ((schema.required || []).includes(name) ? " *" : "") }),
    element("td", { textContent: kind(one) }),
    words("td", [one.description, one.default === undefined ? "" : `Default ${one.default}.`].filter(Boolean).join(" "))));
  return element("table", {}, element("tbody", {}, ...rows));
}

const cards = [];
for (const [path, methods] of Object.entries(described.paths)) {
  for (const [method, one] of Object.entries(methods)) {
    const card = element("section", { className: "card" },
      element("h2", {}, element("span", { textContent: method.toUpperCase() }), path),
      words("p", one.description || one.summary));
    for (const [type, content] of Object.entries(one.requestBody?.content || {})) {
      card.append(element("h3", { textContent: type }), fields(content.schema));
    }
    card.append(element("p", { className: "statuses" }, ...Object.entries(one.responses).map(([status, answer]) =>
      element("span", { textContent: `${status} ${answer.description}` }))));
    cards.push(card);
  }
}
document.getElementById("paths").replaceChildren(...cards);
