// The photo with rings of equal angle, the horizon, and the angle under the pointer.

import { contour } from "./contours.js";
import { Lens } from "./lens.js";
import { degrees } from "./words.js";

const COLOURS = { camera: "#00c2d1", field: "#ffb000", horizon: "#ff5d8f" };
const $ = (id) => document.getElementById(id);

export class Stage {
  constructor() {
    this.box = $("stage");
    this.layers = { camera: true, field: true, horizon: true };
    this.probe = null;
    for (const button of document.querySelectorAll("[data-layer]")) {
      button.addEventListener("click", () => this.toggle(button));
    }
    this.box.addEventListener("pointermove", (event) => this.point(event));
    this.box.addEventListener("pointerdown", (event) => this.point(event));
    this.box.addEventListener("pointerleave", () => this.forget());
    this.box.addEventListener("keydown", (event) => this.step(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  toggle(button) {
    const layer = button.dataset.layer;
    this.layers[layer] = !this.layers[layer];
    button.setAttribute("aria-pressed", String(this.layers[layer]));
    this.draw();
  }

  show(entry) {
    const row = entry.row?.ok ? entry.row : null;
    if (entry === this.entry && row === this.row && entry.bitmap === this.bitmap) return;
    Object.assign(this, { entry, row, bitmap: entry.bitmap });
    $("unseen").hidden = Boolean(entry.bitmap) || !row;
    this.lens = this.row && new Lens(this.row.camera, this.row.view.profile);
    const size = this.row?.camera || entry.bitmap || { width: 4, height: 3 };
    this.size = { width: size.width, height: size.height };
    this.box.style.setProperty("--aspect", String(size.width / size.height));
    this.probe = null;
    $("horizon-layer").hidden = !this.row?.view.horizon.length;
    this.forget();
  }

  draw() {
    const width = this.box.clientWidth;
    const height = this.box.clientHeight;
    if (!this.entry || !width) return;
    const dense = Math.min(2, window.devicePixelRatio || 1);
    for (const canvas of [$("photo"), $("overlay")]) {
      canvas.width = Math.round(width * dense);
      canvas.height = Math.round(height * dense);
    }
    const photo = $("photo").getContext("2d");
    photo.imageSmoothingQuality = "high";
    if (this.entry.bitmap) photo.drawImage(this.entry.bitmap, 0, 0, photo.canvas.width, photo.canvas.height);
    this.drawOver();
  }

  drawOver() {
    const context = $("overlay").getContext("2d");
    const scale = context.canvas.width / this.size.width;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    if (!this.row) return;
    context.scale(scale, scale);
    const pixel = (window.devicePixelRatio > 1 ? 2 : 1) / scale;
    const view = this.row.view;
    const levels = [];
    for (let level = view.step_deg; level < this.lens.widest; level += view.step_deg) levels.push(level);
    if (this.layers.field && view.field) {
      for (const level of levels) {
        for (const line of contour(view.field.x, view.field.y, view.field.polar_deg, level)) {
          this.line(context, line, COLOURS.field, 1.8 * pixel, [7 * pixel, 5 * pixel], pixel);
        }
      }
    }
    if (this.layers.camera) {
      for (const level of levels) this.ring(context, level, pixel);
      this.cross(context, this.lens.cx, this.lens.cy, 9 * pixel, pixel);
      for (const level of levels) this.label(context, level, pixel);
    }
    if (this.layers.horizon && view.horizon.length > 1) {
      this.line(context, view.horizon, COLOURS.horizon, 2.2 * pixel, [14 * pixel, 5 * pixel], pixel);
    }
    if (this.probe) this.cross(context, ...this.probe, 7 * pixel, pixel);
  }

  stroke(context, colour, width, pixel) {
    const dashes = context.getLineDash();
    context.setLineDash([]);
    context.strokeStyle = "rgba(0, 0, 0, 0.35)";
    context.lineWidth = width + 2.2 * pixel;
    if (!dashes.length) context.stroke();
    context.setLineDash(dashes);
    if (dashes.length) context.stroke();
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
    context.setLineDash([]);
  }

  line(context, points, colour, width, dashes, pixel) {
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.setLineDash(dashes);
    this.stroke(context, colour, width, pixel);
  }

  ring(context, level, pixel) {
    const r = this.lens.radius(level);
    if (Number.isNaN(r)) return;
    context.beginPath();
    context.ellipse(this.lens.cx, this.lens.cy, this.lens.fx * r, this.lens.fy * r, 0, 0, 2 * Math.PI);
    this.stroke(context, COLOURS.camera, 2 * pixel, pixel);
  }

  // A number on each ring, where the ring is inside the photo: right first, then along the diagonal, then up.
  label(context, level, pixel) {
    const r = this.lens.radius(level);
    if (Number.isNaN(r)) return;
    const margin = 16 * pixel;
    for (const turn of [0, -0.35, 0.35, -0.65, 0.65, -1, 1, -1.57, 1.57, 2.5, 3.14]) {
      const x = this.lens.cx + this.lens.fx * r * Math.cos(turn);
      const y = this.lens.cy + this.lens.fy * r * Math.sin(turn);
      if (x < margin || y < margin || x > this.size.width - margin || y > this.size.height - margin) continue;
      context.font = `600 ${12 * pixel}px system-ui, sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      const width = context.measureText(`${level}°`).width + 8 * pixel;
      context.fillStyle = "rgba(9, 20, 28, 0.78)";
      context.beginPath();
      context.roundRect(x - width / 2, y - 9 * pixel, width, 18 * pixel, 5 * pixel);
      context.fill();
      context.fillStyle = "#b8f4f9";
      context.fillText(`${level}°`, x, y + pixel);
      return;
    }
  }

  cross(context, x, y, size, pixel) {
    context.beginPath();
    context.moveTo(x - size, y);
    context.lineTo(x + size, y);
    context.moveTo(x, y - size);
    context.lineTo(x, y + size);
    this.stroke(context, "#ffffff", 1.8 * pixel, pixel);
  }

  point(event) {
    const box = this.box.getBoundingClientRect();
    const share = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    this.tell(share[0] * this.size.width, share[1] * this.size.height);
  }

  step(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!moves[event.key] || !this.lens) return;
    event.preventDefault();
    const [x, y] = this.probe || [this.lens.cx, this.lens.cy];
    const by = this.size.width / (event.shiftKey ? 200 : 40);
    const inside = (value, most) => Math.min(most, Math.max(0, value));
    const [dx, dy] = moves[event.key];
    this.tell(inside(x + by * dx, this.size.width), inside(y + by * dy, this.size.height));
  }

  tell(u, v) {
    if (!this.lens) return;
    this.probe = [u, v];
    const { polar, right, up } = this.lens.angles(u, v);
    const side = (value, plus, minus) => `${degrees(Math.abs(value))} ${value < 0 ? minus : plus}`;
    const parts = `${side(right, "right", "left")}, ${side(up, "up", "down")}`;
    $("angle").textContent = Number.isNaN(polar)
      ? "outside what this model describes"
      : `${degrees(polar)} from the axis · ${parts} · pixel ${Math.round(u)}, ${Math.round(v)}`;
    this.drawOver();
  }

  forget() {
    this.probe = null;
    $("angle").textContent = "Point at the photo to read an angle.";
    this.draw();
  }
}
