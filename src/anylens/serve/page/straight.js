// Undistortion as a wipe: left of the line the photo, right of it the same through a pinhole camera.

import { interpolate, Lens } from "./lens.js";
import { undistort } from "./service.js";
import { degrees, fixed } from "./words.js";
import { save } from "./exports.js";

const $ = (id) => document.getElementById(id);
const LONGEST = 1000; // pixels of the preview
const STEPS = 2048;

export class Straight {
  constructor() {
    this.view = { balance: 0 };
    $("wipe-at").addEventListener("input", () => this.paint());
    $("fov").addEventListener("input", () => this.change({ fov: Number($("fov").value) }));
    $("balance").addEventListener("input", () => this.change({ balance: Number($("balance").value) }));
    $("save-straight").addEventListener("click", () => this.download());
  }

  show(entry) {
    const row = entry.row?.ok ? entry.row : null;
    if (entry === this.entry && row === this.row && entry.bitmap === this.bitmap) return;
    Object.assign(this, { entry, row, bitmap: entry.bitmap });
    $("see-straight").disabled = !row;
    $("straight-hint").textContent = row && /pinhole/.test(row.camera.model)
      ? "This camera is a pinhole: there is nothing to straighten, only to crop."
      : "Balance 0 has no empty pixels, 1 keeps all of the photo.";
    const trouble = !row ? "" : !entry.bitmap ? "This browser cannot show this kind of file; download it undistorted instead."
      : row.view.straight.error || "";
    $("straight-trouble").textContent = trouble;
    $("straight-trouble").hidden = !trouble;
    this.ready = row && entry.bitmap && !row.view.straight.error;
    if (!this.ready) return;
    this.lens = new Lens(row.camera, row.view.profile);
    const { width, height } = row.camera;
    $("wipe").style.setProperty("--aspect", String(width / height));
    const scale = Math.min(1, LONGEST / Math.max(width, height));
    this.width = Math.round(width * scale);
    this.height = Math.round(height * scale);
    const canvas = new OffscreenCanvas(this.width, this.height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(entry.bitmap, 0, 0, this.width, this.height);
    this.photo = context.getImageData(0, 0, this.width, this.height);
    this.change(this.view);
  }

  // A field of view or a balance; the other slider follows.
  change(view) {
    this.view = view;
    if (!this.ready) return;
    const { tight, wide } = this.row.view.straight;
    const width = this.row.camera.width;
    const half = Math.PI / 360;
    if ("fov" in view) {
      this.f = [0.5 * width / Math.tan(view.fov * half), 0.5 * width / Math.tan(view.fov * half)];
      this.centre = [width / 2, this.row.camera.height / 2];
      const share = tight[0] === wide[0] ? 0 : (this.f[0] - tight[0]) / (wide[0] - tight[0]);
      $("balance").value = String(Math.min(1, Math.max(0, share)));
    } else {
      this.f = [0, 1].map((i) => (1 - view.balance) * tight[i] + view.balance * wide[i]);
      this.centre = [this.lens.cx, this.lens.cy];
      $("fov").value = String(this.fov());
      $("balance").value = String(view.balance);
    }
    $("fov-value").textContent = degrees(this.fov());
    $("balance-value").textContent = fixed(Number($("balance").value), 2);
    this.picture = null;
    this.paint();
  }

  fov() {
    const [fx, cx, width] = [this.f[0], this.centre[0], this.row.camera.width];
    return ((Math.atan(cx / fx) + Math.atan((width - cx) / fx)) * 180) / Math.PI;
  }

  paint() {
    if (!this.ready || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if ($("straight-view").hidden) return;
      this.picture ||= this.resample();
      const canvas = $("straight");
      canvas.width = this.width;
      canvas.height = this.height;
      const context = canvas.getContext("2d");
      const at = Math.round((Number($("wipe-at").value) / 100) * this.width);
      context.putImageData(this.picture, 0, 0);
      context.putImageData(this.photo, 0, 0, 0, 0, at, this.height);
      context.fillStyle = "#ffffff";
      context.fillRect(at - 1, 0, 2, this.height);
      $("wipe").style.setProperty("--at", `${(100 * at) / this.width}%`);
    });
  }

  // Every pixel of the straight picture from its place in the photo, between four pixels.
  resample() {
    const { width, height, photo, lens } = this;
    const scale = width / this.row.camera.width;
    const [fx, fy] = this.f.map((v) => v * scale);
    const [cx, cy] = this.centre.map((v) => v * scale);
    const [sx, sy, u0, v0] = [lens.fx * scale, lens.fy * scale, lens.cx * scale, lens.cy * scale];
    const most = Math.hypot(Math.max(cx, width - cx) / fx, Math.max(cy, height - cy) / fy);
    const table = new Float32Array(STEPS + 2);
    for (let i = 1; i < table.length; i++) {
      const R = (i * most) / STEPS;
      table[i] = interpolate((Math.atan(R) * 180) / Math.PI, lens.theta, lens.r) / R;
    }
    table[0] = table[1];
    const out = new ImageData(width, height);
    const [from, to] = [photo.data, out.data];
    for (let y = 0, k = 0; y < height; y++) {
      const Y = (y + 0.5 - cy) / fy;
      for (let x = 0; x < width; x++, k += 4) {
        const X = (x + 0.5 - cx) / fx;
        const place = (Math.sqrt(X * X + Y * Y) * STEPS) / most;
        const i = place | 0;
        const share = table[i] + (place - i) * (table[i + 1] - table[i]);
        const u = u0 + sx * share * X - 0.5;
        const v = v0 + sy * share * Y - 0.5;
        if (!(u > -1 && v > -1 && u < width && v < height)) continue;
        const a = Math.min(width - 2, Math.max(0, Math.floor(u)));
        const b = Math.min(height - 2, Math.max(0, Math.floor(v)));
        const p = Math.min(1, Math.max(0, u - a));
        const q = Math.min(1, Math.max(0, v - b));
        const j = 4 * (b * width + a);
        const down = 4 * width;
        for (let c = 0; c < 3; c++) {
          const top = from[j + c] + p * (from[j + 4 + c] - from[j + c]);
          const low = from[j + down + c] + p * (from[j + down + 4 + c] - from[j + down + c]);
          to[k + c] = top + q * (low - top);
        }
        to[k + 3] = 255;
      }
    }
    return out;
  }

  async download() {
    const button = $("save-straight");
    button.disabled = true;
    try {
      const name = this.entry.file.name.replace(/^example:/, "").replace(/\.[^.]*$/, "");
      save(await undistort(this.entry.file, this.row.camera, this.view), `${name}_undistorted.jpg`);
    } catch (trouble) {
      $("straight-trouble").textContent = trouble.message;
      $("straight-trouble").hidden = false;
    }
    button.disabled = false;
  }
}
