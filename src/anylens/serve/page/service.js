// Calls of the service. Every failure becomes a Trouble with the service's own reason.

export class Trouble extends Error {
  constructor(status, reason, wait = 0) {
    super(reason);
    this.status = status;
    this.wait = wait;
  }
}

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
let token = sessionStorage.getItem("token") || new URLSearchParams(location.hash.slice(1)).get("token");

async function askToken() {
  const dialog = document.getElementById("token-dialog");
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  token = document.getElementById("token").value;
  sessionStorage.setItem("token", token);
}

async function call(path, options = {}) {
  for (let attempt = 0; ; attempt++) {
    const headers = { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
    let answer;
    try {
      answer = await fetch(path, { ...options, headers });
    } catch {
      throw new Trouble(0, "The service does not answer. Is it still running?");
    }
    if (answer.ok) return answer;
    if (answer.status === 401 && attempt < 3) {
      await askToken();
      continue;
    }
    const wait = Number(answer.headers.get("retry-after") || 0);
    if (answer.status === 503 && attempt < 8) {
      await pause(Math.min(5, wait || 1));
      continue;
    }
    const told = await answer.json().catch(() => ({}));
    throw new Trouble(answer.status, told.error || `The service answered ${answer.status}.`, wait);
  }
}

const json = (path, data) =>
  call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) });

function form(fields) {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one instanceof File) made.append(name, one, one.name);
      else if (one !== null && one !== undefined) made.append(name, String(one));
    }
  }
  return made;
}

export const about = async () => (await call("/v1/models")).json();

export async function calibrate(photo, options) {
  const body = form({ photos: photo, ...options, keep: true, view: true });
  return (await (await call("/v1/calibrate", { method: "POST", body })).json()).results[0];
}

export async function refit(observations, options, shared = null) {
  return (await (await json("/v1/refit", { observations, ...options, shared, view: true })).json()).results;
}

export async function rank(observation, options) {
  return (await (await json("/v1/rank", { observations: [observation], ...options, model: "auto" })).json()).ranking;
}

export async function convert(camera, to) {
  const file = new File([JSON.stringify(camera)], "camera.json", { type: "application/json" });
  const body = form({ camera: file, to, refit: true, max_error: 5 });
  const answer = await call("/v1/convert", { method: "POST", body });
  const note = answer.headers.get("anylens-note");
  return { blob: await answer.blob(), note: note && JSON.parse(`"${note}"`) };
}

export async function undistort(photo, camera, view) {
  const body = form({ photo, camera: JSON.stringify(camera), ...view });
  return (await call("/v1/undistort", { method: "POST", body })).blob();
}

export async function example(name) {
  const blob = await (await call(`/examples/${name}.jpg`)).blob();
  return new File([blob], `example:${name}`, { type: "image/jpeg" });
}
