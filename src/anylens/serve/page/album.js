// The photos and what is known of each: looked at two at a time, looked at again when a choice asks for it.

import { calibrate, refit, Trouble } from "./service.js";

const AT_A_TIME = 2;
const LARGEST = 2400; // pixels of a side that are kept for the screen

export class Album {
  // limits: of the service. options: a function, what the user has chosen. changed: called whenever something is new.
  constructor(limits, options, changed) {
    Object.assign(this, { limits, options, changed, entries: [], together: false, round: 0 });
  }

  async add(files) {
    const fresh = files.map((file) => ({ file, name: file.name, state: "waiting", bitmap: null, row: null, own: null, trouble: "" }));
    this.entries.push(...fresh);
    this.changed(fresh[0]);
    await this.work();
  }

  clear() {
    this.entries.length = 0;
    this.round += 1;
  }

  // Looks at what waits; choices made meanwhile are caught up with. Gives the reason where that cannot be.
  async work(again = true) {
    const before = JSON.stringify(this.options());
    const one = async () => {
      for (let entry; (entry = this.entries.find((each) => each.state === "waiting"));) await this.look(entry);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, one));
    if (this.together || JSON.stringify(this.options()) !== before) return this.chooseAgain(again);
    return "";
  }

  async look(entry) {
    entry.state = "working";
    entry.bitmap ||= await pictureOf(entry.file);
    this.changed();
    try {
      if (entry.file.size > this.limits.max_upload) {
        throw new Trouble(413, `${entry.name} has more than the ${this.limits.max_upload / 1e6} MB allowed here.`);
      }
      settle(entry, await calibrate(entry.file, this.options()));
      entry.own = entry.row;
    } catch (trouble) {
      Object.assign(entry, { state: "failed", trouble: trouble.message, row: null, own: null, mendable: trouble.status !== 413 });
    }
    this.changed();
  }

  // Other options for what was seen before: no photo is sent, no network runs. again: photos may be sent once more.
  async chooseAgain(again = true) {
    const mine = ++this.round;
    const seen = this.entries.filter((entry) => entry.row?.observation);
    const names = seen.map((entry) => entry.row.observation);
    const unseen = this.entries.filter((entry) => entry.state === "failed" && !entry.row && entry.mendable);
    try {
      if (seen.length) {
        const own = await refit(names, this.options());
        const shared = this.together && seen.length > 1 ? await refit(names, this.options(), "all") : own;
        if (mine !== this.round) return "";
        seen.forEach((entry, i) => settle(Object.assign(entry, { own: own[i] }), shared[i]));
      }
    } catch (trouble) {
      if (mine !== this.round) return "";
      if (!again || (trouble.status !== 404 && trouble.status !== 409)) return trouble.message;
      unseen.push(...seen); // no longer kept, or to be seen by another network
    }
    for (const entry of unseen) entry.state = "waiting";
    return unseen.length ? this.work(false) : "";
  }
}

function settle(entry, row) {
  Object.assign(entry, { row, state: row.ok ? "done" : "failed", trouble: row.error || "", ranking: null });
}

// The photo as this browser shows it, no larger than a screen needs; null where it cannot.
async function pictureOf(file) {
  const whole = await createImageBitmap(file).catch(() => null);
  const scale = whole ? LARGEST / Math.max(whole.width, whole.height) : 1;
  if (scale >= 1) return whole;
  const size = { resizeWidth: Math.round(whole.width * scale), resizeHeight: Math.round(whole.height * scale), resizeQuality: "high" };
  const small = await createImageBitmap(whole, size);
  whole.close();
  return small;
}
