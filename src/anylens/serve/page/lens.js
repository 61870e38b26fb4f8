// The fitted camera in the browser: every model is radial about its centre, so a table r(ϑ) says it all.

export function interpolate(x, xs, ys) {
  if (x <= xs[0]) return ys[0];
  const last = xs.length - 1;
  if (x >= xs[last]) return NaN;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  return ys[low] + ((x - xs[low]) / (xs[high] - xs[low])) * (ys[high] - ys[low]);
}

export class Lens {
  constructor(camera, profile) {
    const p = camera.params;
    this.width = camera.width;
    this.height = camera.height;
    this.fx = p.fx ?? p.f;
    this.fy = p.fy ?? p.f;
    this.cx = p.cx;
    this.cy = p.cy;
    this.r = profile.r;
    this.theta = profile.theta_deg;
  }

  get widest() {
    return this.theta[this.theta.length - 1];
  }

  // Radius in focal lengths of an angle in degrees; NaN beyond the photo.
  radius(degrees) {
    return interpolate(degrees, this.theta, this.r);
  }

  // Angles of a pixel: from the axis, and its parts across and down.
  angles(u, v) {
    const x = (u - this.cx) / this.fx;
    const y = (v - this.cy) / this.fy;
    const r = Math.hypot(x, y);
    const polar = interpolate(r, this.r, this.theta);
    const t = (polar * Math.PI) / 180;
    const share = r > 0 ? Math.sin(t) / r : 0;
    const deg = 180 / Math.PI;
    return { polar, right: Math.atan2(x * share, Math.cos(t)) * deg, up: -Math.asin(y * share) * deg };
  }
}
