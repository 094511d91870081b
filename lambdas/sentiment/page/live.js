// How fresh what is shown is: always in sight, spoken only when it turns for better or worse.

import { byId, say } from "./dom.js";
import { ago } from "./time.js";

const LATE_REFRESHES = 3;
const LATE_MS = 15_000;
const LOST_MS = 60_000;
// New items are announced together, so that a busy feed does not talk all the time.
const QUIET_MS = 20_000;
const WORDS = {
  live: "Live, updated",
  late: "Late, updated",
  lost: "Not live, updated",
  offline: "Offline, updated",
};

export class Live {
  #late;
  #last = null;
  #failing = false;
  #level = null;
  #arrived = new Map();
  #spoken = -Infinity;

  constructor(refreshSeconds) {
    this.#late = Math.max(LATE_MS, LATE_REFRESHES * refreshSeconds * 1000);
  }

  /** The API has just answered. */
  answered(now) {
    this.#last = now;
    this.#failing = false;
    this.show(now);
  }

  /** The API has been asked in vain. */
  failed(now) {
    this.#failing = true;
    this.show(now);
  }

  get last() {
    return this.#last;
  }

  reset() {
    this.#last = null;
    this.#level = null;
    this.#arrived.clear();
    byId("live").hidden = true;
  }

  /** So many of a kind are new: say so soon, but not too often. */
  arrived(count, kind = "item") {
    if (count) this.#arrived.set(kind, (this.#arrived.get(kind) ?? 0) + count);
  }

  show(now) {
    if (this.#last === null) return;
    const age = now - this.#last;
    const level = this.#judge(age);
    const words = ago(age / 1000);
    byId("live").hidden = false;
    byId("live").dataset.level = level;
    say(byId("live-text"), `${WORDS[level]} ${words}`);
    if (this.#level !== level) this.#turned(level);
    this.#level = level;
    this.#tellArrived(now);
  }

  #judge(age) {
    if (!navigator.onLine) return "offline";
    if (age >= Math.max(LOST_MS, this.#late)) return "lost";
    return this.#failing || age >= this.#late ? "late" : "live";
  }

  #turned(level) {
    const wasBad = this.#level === "lost" || this.#level === "offline";
    if (level === "live" && wasBad) announce("The dashboard is live again.");
    if (level === "lost") announce("The dashboard is no longer up to date.");
    if (level === "offline") announce("You are offline. The dashboard shows what it last saw.");
  }

  #tellArrived(now) {
    if (!this.#arrived.size || now - this.#spoken < QUIET_MS) return;
    const counts = [...this.#arrived].map(
      ([kind, count]) => `${count} new ${kind}${count === 1 ? "" : "s"}`,
    );
    announce(counts.join(", "));
    this.#arrived.clear();
    this.#spoken = now;
  }
}

export function announce(text) {
  byId("announcer").textContent = text;
}
