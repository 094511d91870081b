// Asks again and again: not while nobody looks, and less often while it fails.

const SLOWEST_MS = 60_000;

/** The wait after so many failures in a row: doubled each time, and never in step with others. */
export function backoff(interval, failures, random = Math.random()) {
  if (failures === 0) return interval;
  const longest = Math.max(SLOWEST_MS, interval);
  return Math.min(longest, interval * 2 ** failures) * (0.8 + 0.2 * random);
}

export class Refresh {
  /** Milliseconds between an answer and the next request. */
  interval;
  #work;
  #failed;
  #timer = null;
  #abort = null;
  #failures = 0;
  #on = false;

  /** `work(signal)` asks once; `failed(error)` says whether to go on asking. */
  constructor(work, failed, seconds) {
    this.#work = work;
    this.#failed = failed;
    this.interval = seconds * 1000;
    document.addEventListener("visibilitychange", () => this.#lookedAt());
    window.addEventListener("online", () => this.#on && !document.hidden && this.now());
  }

  start() {
    this.#on = true;
    this.#failures = 0;
    return this.now();
  }

  stop() {
    this.#on = false;
    this.#abort?.abort();
    this.#abort = null;
    clearTimeout(this.#timer);
  }

  /** It does not fail any more, though what is being asked has not ended. */
  works() {
    this.#failures = 0;
  }

  /** Ask at once, in place of whatever is being asked. */
  async now() {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    let wait = 0;
    try {
      await this.#work(abort.signal);
      this.#failures = 0;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#failures += 1;
      wait = (error.retrySeconds ?? 0) * 1000;
      if (!this.#failed(error)) return this.stop();
    } finally {
      if (this.#abort === abort) this.#abort = null;
    }
    if (!abort.signal.aborted) this.#after(Math.max(wait, backoff(this.interval, this.#failures)));
  }

  #after(wait) {
    clearTimeout(this.#timer);
    if (this.#on && !document.hidden) this.#timer = setTimeout(() => this.now(), wait);
  }

  #lookedAt() {
    if (document.hidden) clearTimeout(this.#timer);
    // What is being asked meanwhile will do.
    else if (this.#on && this.#abort === null) this.now();
  }
}
