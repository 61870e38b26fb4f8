// Numbers and names as they are shown.

export const fixed = (value, digits) => value.toFixed(digits).replace("-", "−");
export const degrees = (value, digits = 1) => `${fixed(value, digits)}°`;

// Six significant digits, as Python's .6g has them.
export function significant(value, digits = 6) {
  const text = String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// A name as a word of a shell.
export const shell = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";
export function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
