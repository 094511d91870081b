// Server-sent events, read by fetch: the browser's own reader of them cannot send a token.

import { Problem } from "./api.js";
import { Refresh } from "./refresh.js";

const LAST_ID = "Last-Event-ID";
const RETRY_SECONDS = 1;
const LEAST_RETRY_MS = 100;

/** Makes events out of text that comes in pieces. `id` and `retry` are the last ones that were given. */
export class Parser {
  id;
  retry = null;
  #rest = "";
  #returned = false;
  #next;

  constructor(id = "") {
    this.id = id;
    this.#begin();
  }

  /** The events that are complete now. One without its blank line waits, and its id with it. */
  *read(piece) {
    if (!piece) return;
    // The second half of a line's end that came in two pieces.
    const text = this.#returned ? piece.replace(/^\n/, "") : piece;
    this.#returned = piece.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop();
    for (const line of lines) {
      if (line) this.#take(line);
      else yield* this.#end();
    }
  }

  #begin() {
    this.#next = { type: "message", data: [], id: this.id };
  }

  #take(line) {
    // A comment is a field without a name.
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
    if (name === "data") this.#next.data.push(value);
    if (name === "event") this.#next.type = value || "message";
    if (name === "id" && !value.includes("\0")) this.#next.id = value;
    if (name === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }

  *#end() {
    const { type, data, id } = this.#next;
    this.id = id;
    this.#begin();
    if (data.length) yield { type, data: data.join("\n"), id };
  }
}

/**
 * Asks for events, and when an answer has ended asks for those after the last one.
 *
 * It is the same to it whether an answer goes on for hours, or is held until there is something and
 * ends then.
 */
export class Events {
  #ask;
  #on;
  #refresh;
  #id = "";

  /**
   * `ask(headers, signal)` gives an answer's text in pieces. Called are `heard(event, first)`, `first`
   * where a list begins; `works()` with each piece and `ended()` with each whole answer;
   * `failed(error)`, which says whether to go on.
   */
  constructor(ask, on) {
    this.#ask = ask;
    this.#on = on;
    this.#refresh = new Refresh((signal) => this.#listen(signal), on.failed, RETRY_SECONDS);
  }

  /** From the beginning. */
  start() {
    this.#id = "";
    this.#refresh.start();
  }

  /** At once, after what was heard last. */
  again() {
    this.#refresh.start();
  }

  stop() {
    this.#refresh.stop();
  }

  async #listen(signal) {
    try {
      await this.#answer(signal);
    } catch (error) {
      const expired = error instanceof Problem && error.status === 400 && error.concerns(LAST_ID);
      if (!expired || !this.#id) throw error;
      this.#id = "";
      await this.#answer(signal);
    }
  }

  async #answer(signal) {
    const parser = new Parser(this.#id);
    const headers = this.#id ? { [LAST_ID]: bytes(this.#id) } : {};
    let first = !this.#id;
    for await (const piece of this.#ask(headers, signal)) {
      if (signal.aborted) return;
      this.#refresh.works();
      this.#on.works();
      for (const event of parser.read(piece)) {
        this.#on.heard(event, first);
        first = false;
      }
      this.#id = parser.id;
      this.#pause(parser.retry);
    }
    if (!signal.aborted) this.#on.ended();
  }

  #pause(retry) {
    if (retry !== null) this.#refresh.interval = Math.max(LEAST_RETRY_MS, retry);
  }
}

/** A header's value has a character for each byte. */
function bytes(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
