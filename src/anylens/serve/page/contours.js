// Lines of equal value on a grid, by marching squares: each cell gives up to two segments.

const between = (a, b, level) => (level - a) / (b - a);

export function contour(xs, ys, values, level) {
  const cols = xs.length;
  const segments = [];
  for (let i = 0; i + 1 < ys.length; i++) {
    for (let j = 0; j + 1 < cols; j++) {
      const [a, b] = [values[i * cols + j], values[i * cols + j + 1]];
      const [d, c] = [values[(i + 1) * cols + j], values[(i + 1) * cols + j + 1]];
      const points = [];
      const cross = (p, q, x0, y0, x1, y1) => {
        if (p < level !== q < level) {
          const t = between(p, q, level);
          points.push([x0 + t * (x1 - x0), y0 + t * (y1 - y0)]);
        }
      };
      cross(a, b, xs[j], ys[i], xs[j + 1], ys[i]);
      cross(b, c, xs[j + 1], ys[i], xs[j + 1], ys[i + 1]);
      cross(c, d, xs[j + 1], ys[i + 1], xs[j], ys[i + 1]);
      cross(d, a, xs[j], ys[i + 1], xs[j], ys[i]);
      if (points.length >= 2) segments.push([points[0], points[1]]);
      if (points.length === 4) segments.push([points[2], points[3]]);
    }
  }
  return joined(segments);
}

// Segments that share an end become one line, so that dashes run on.
function joined(segments) {
  const key = ([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`;
  const at = new Map();
  for (const segment of segments) {
    for (const end of segment) at.set(key(end), [...(at.get(key(end)) || []), segment]);
  }
  const used = new Set();
  const lines = [];
  for (const first of segments) {
    if (used.has(first)) continue;
    used.add(first);
    const line = [...first];
    for (const forward of [true, false]) {
      for (;;) {
        const end = forward ? line[line.length - 1] : line[0];
        const next = (at.get(key(end)) || []).find((segment) => !used.has(segment));
        if (!next) break;
        used.add(next);
        const other = key(next[0]) === key(end) ? next[1] : next[0];
        if (forward) line.push(other);
        else line.unshift(other);
      }
    }
    lines.push(line);
  }
  return lines;
}
