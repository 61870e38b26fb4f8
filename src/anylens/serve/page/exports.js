// Camera files to download, and the same call as a command line and as Python.

import { convert } from "./service.js";
import { element, shell } from "./words.js";

const $ = (id) => document.getElementById(id);

export function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function listFormats(formats, camera) {
  const say = (text) => {
    $("export-note").textContent = text;
    $("export-note").hidden = !text;
  };
  $("exports").replaceChildren(...formats.filter((one) => one.writes).map((one) => {
    const button = element("button", { type: "button", className: "button", "data-format": one.name },
      element("span", { textContent: one.title }), element("small", { textContent: one.file }));
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const { blob, note } = await convert(camera(), one.name);
        save(blob, one.file);
        say(note ? `${one.title}: ${note}.` : "");
      } catch (trouble) {
        say(trouble.message);
      }
      button.disabled = false;
    });
    return element("li", {}, button);
  }));
}

const VALUES = { true: "True", false: "False" };

export function showCode(files, options, shared) {
  const words = ["anylens", ...(files.length > 1 ? ["calibrate"] : []), ...files.map(shell)];
  const named = [];
  for (const [name, value] of Object.entries(options)) {
    if (name === "known") words.push(...value.flatMap((one) => ["--known", shell(one)]));
    else if (name === "edges") words.push("--edges", value ? "on" : "off");
    else words.push(`--${name}`, ...(value === true ? [] : [String(value)]));
    if (name === "known") named.push(`known=${python(value)}`);
    else named.push(`${name}=${typeof value === "boolean" ? VALUES[value] : JSON.stringify(value)}`);
  }
  if (shared) words.push("--shared", "all");
  $("command").textContent = words.join(" ");
  const example = files.some((file) => file.startsWith("example:"));
  const names = files.map((file) => (file.startsWith("example:") ? `example_path(${JSON.stringify(file.slice(8))})` : JSON.stringify(file)));
  const image = shared ? `[${names.join(", ")}]` : names[0];
  const lines = ["import anylens", ...(example ? ["from anylens.examples import example_path"] : []), "",
    `result${shared ? "s" : ""} = anylens.calibrate(${[image, ...named, ...(shared ? ["shared=True"] : [])].join(", ")})`,
    shared ? "results[0].camera, [result.outlier for result in results]" : "result.camera, result.hfov_deg, result.hfov_interval_deg"];
  $("python").textContent = lines.join("\n");
}

function python(known) {
  const pairs = known.map((one) => {
    const [name, value] = one.split("=");
    const [mean, std] = value.split("±");
    return `"${name}": ${std ? `(${mean}, ${std})` : mean}`;
  });
  return `{${pairs.join(", ")}}`;
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = $(button.dataset.copy).textContent;
    const label = button.firstChild;
    try {
      await navigator.clipboard.writeText(text);
      label.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren($(button.dataset.copy));
      label.textContent = "Selected";
    }
    setTimeout(() => { label.textContent = "Copy"; }, 1500);
  });
}
