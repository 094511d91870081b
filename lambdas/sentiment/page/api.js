// The dashboard's API: answers, problems, and what is unchanged since the last answer.

import { SignedOut } from "./sign_in.js";

const TIMEOUT_MS = 15_000;
const SILENCE_MS = 40_000;

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

/** Whether the same request may do better later; a refused one would be refused again and again. */
export function passing(error) {
  return !(error instanceof Problem) || error.status >= 500 || error.status === 429;
}

export class Api {
  #session;
  #last = new Map();

  constructor(session) {
    this.#session = session;
  }

  /** The answer's body. */
  async get(path, parameters, signal) {
    const url = address(path, parameters);
    const known = this.#last.get(path);
    const etag = known?.url === url ? known.etag : null;
    const request = { headers: etag ? { "If-None-Match": etag } : {} };
    const answer = await this.#ask(url, request, signal, () => AbortSignal.timeout(TIMEOUT_MS));
    if (answer.status === 304) return known.body;
    const body = await answer.json().catch(brokeOff);
    // Only first pages are asked for again.
    if (!parameters.cursor) this.#last.set(path, { url, etag: answer.headers.get("etag"), body });
    return body;
  }

  /** The answer's text in pieces, as they come: for as long as they come. */
  async *stream(path, parameters, headers, signal) {
    const silence = new AbortController();
    let timer;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      return silence.signal;
    };
    try {
      // One that might be kept would wait for the same one of another tab.
      const request = { headers, cache: "no-store" };
      const answer = await this.#ask(address(path, parameters), request, signal, listen);
      const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await pieces.read().catch(brokeOff);
        if (done) return;
        listen();
        yield value;
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  /** Nothing of what one user saw is left for the next. */
  forget() {
    this.#last.clear();
  }

  /** An answer that is no problem; `limit()` gives a signal that ends a request in time. */
  async #ask(url, request, signal, limit) {
    const token = await this.#session.token();
    let answer = await send(url, request, token, signal, limit());
    if (answer.status === 401) {
      // Whoever asked at the same time may have renewed it by now.
      if ((await this.#session.token()) === token) await this.#session.renew();
      answer = await send(url, request, await this.#session.token(), signal, limit());
    }
    if (answer.status === 401) {
      await this.#session.signOut();
      throw new SignedOut();
    }
    if (!answer.ok && answer.status !== 304) throw await problem(answer);
    return answer;
  }
}

async function send(url, request, token, signal, limit) {
  const headers = { ...request.headers, Authorization: `Bearer ${token}` };
  try {
    return await fetch(url, { ...request, headers, signal: AbortSignal.any([limit, signal]) });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Unreachable("The API cannot be reached.");
  }
}

function address(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value);
  // Relative, because the API may be served below a stage's name.
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

function brokeOff() {
  throw new Unreachable("The API's answer broke off.");
}

async function problem(answer) {
  const document = await answer.json().catch(() => ({}));
  const wait = Number(answer.headers.get("retry-after") ?? 0);
  return new Problem(answer.status, document, Number.isFinite(wait) ? wait : 0);
}
