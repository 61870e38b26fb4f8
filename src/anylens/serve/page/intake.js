// Photos come in: dropped, pasted, picked, or one of the examples.

import { example } from "./service.js";
import { element } from "./words.js";

const $ = (id) => document.getElementById(id);
const WORDS = { room: "a room", street: "a street, a lens that bends", fisheye: "a fisheye" };

export function takeIn(add) {
  const choose = () => $("picker").click();
  $("pick").addEventListener("click", choose);
  $("more").addEventListener("click", choose);
  $("another").addEventListener("click", choose);
  $("picker").addEventListener("change", () => {
    add([...$("picker").files]);
    $("picker").value = "";
  });
  let depth = 0;
  const curtain = (shown) => { $("curtain").hidden = !shown; };
  addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth += 1;
    curtain(true);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (!depth) curtain(false);
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    curtain(false);
    add([...event.dataTransfer.files]);
  });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files || [])];
    if (files.length) add(files);
  });
}

export function listExamples(names, add) {
  $("examples").replaceChildren(...names.map((name) => {
    const button = element("button", { type: "button", className: "example", "data-example": name },
      element("img", { src: `/examples/small/${name}.jpg`, alt: "", loading: "lazy" }),
      element("span", { textContent: WORDS[name] || name }));
    button.addEventListener("click", async () => add([await example(name)]));
    return element("li", {}, button);
  }));
  const wanted = new URLSearchParams(location.hash.slice(1)).getAll("example").filter((name) => names.includes(name));
  if (wanted.length) Promise.all(wanted.map(example)).then(add);
}
