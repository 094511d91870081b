// The dashboard's API: answers, problems, and what is unchanged since the last answer.

import { SignedOut } from "./sign_in.js";

const TIMEOUT_MS = 15_000;

/** The API answered with a problem document. */
export class Problem extends Error {
  constructor(status, document, retrySeconds) {
    super(document.detail ?? document.title ?? `The API answered with status ${status}.`);
    this.status = status;
    this.errors = document.errors ?? [];
    this.retrySeconds = retrySeconds;
  }

  /** Whether the problem is with this parameter of the request. */
  concerns(parameter) {
    return this.errors.some(({ pointer }) => String(pointer).split("/").at(-1) === parameter);
  }
}

/** The API did not answer. */
export class Unreachable extends Error {}

export class Api {
  #session;
  #last = new Map();

  constructor(session) {
    this.#session = session;
  }

  /** The answer's body, whether it is another than the last time, and the read units it took. */
  async get(path, parameters, signal) {
    const url = address(path, parameters);
    const known = this.#last.get(path);
    const etag = known?.url === url ? known.etag : null;
    let answer = await this.#fetch(url, etag, signal);
    if (answer.status === 401) {
      await this.#session.renew();
      answer = await this.#fetch(url, etag, signal);
    }
    if (answer.status === 401) {
      await this.#session.signOut();
      throw new SignedOut();
    }
    const units = Number(answer.headers.get("x-consumed-read-units") ?? NaN);
    if (answer.status === 304) return { body: known.body, changed: false, units };
    if (!answer.ok) throw await problem(answer);
    const body = await read(answer);
    // Only first pages are asked for again.
    if (!parameters.cursor) this.#last.set(path, { url, etag: answer.headers.get("etag"), body });
    return { body, changed: true, units };
  }

  /** Nothing of what one user saw is left for the next. */
  forget() {
    this.#last.clear();
  }

  async #fetch(url, etag, signal) {
    const headers = { Authorization: `Bearer ${await this.#session.token()}` };
    if (etag) headers["If-None-Match"] = etag;
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await fetch(url, { headers, signal: AbortSignal.any([limit, signal]) });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Unreachable("The API cannot be reached.");
    }
  }
}

function address(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value);
  // Relative, because the API may be served below a stage's name.
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

async function read(answer) {
  try {
    return await answer.json();
  } catch {
    throw new Unreachable("The API's answer broke off.");
  }
}

async function problem(answer) {
  const document = await answer.json().catch(() => ({}));
  const wait = Number(answer.headers.get("retry-after") ?? 0);
  return new Problem(answer.status, document, Number.isFinite(wait) ? wait : 0);
}
