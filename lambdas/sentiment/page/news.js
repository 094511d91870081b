// Financial news, live: the last that was analysed is on top, however old it is.

import { Problem, passing } from "./api.js";
import { cells, origin } from "./cells.js";
import { byId, element, say } from "./dom.js";
import { Events } from "./events.js";
import { identity } from "./merge.js";
import { Rows } from "./rows.js";
import { SignedOut } from "./sign_in.js";

const MOST = 50;
const PROVIDERS = { finnhub: "Finnhub", tiingo: "Tiingo" };

export class News {
  #events;
  #arrived;
  #signedOut;
  #rows = new Rows(byId("news"), newsCells);
  #items = [];
  #loaded = false;
  #sentiment;

  /** `arrived(count)` is told of new ones, `signedOut()` that nobody is signed in any more. */
  constructor(api, { arrived, signedOut }) {
    this.#arrived = arrived;
    this.#signedOut = signedOut;
    this.#events = new Events(
      (headers, signal) =>
        api.stream("news/events", { sentiment: this.#sentiment }, headers, signal),
      {
        heard: (event, first) => this.#heard(event, first),
        works: () => this.#works(),
        ended: () => this.#show(),
        failed: (error) => this.#failed(error),
      },
    );
    byId("news-retry").addEventListener("click", () => this.#events.again());
  }

  /** Show those of a sentiment, or all. */
  start(sentiment) {
    this.#sentiment = sentiment;
    this.#loaded = false;
    byId("news").setAttribute("aria-busy", "true");
    byId("news-empty").hidden = true;
    this.#events.start();
  }

  /** Ask at once, if it has failed. */
  retry() {
    if (!byId("news-trouble").hidden) this.#events.again();
  }

  /** Stop, and leave nothing of what was shown. */
  stop() {
    this.#events.stop();
    this.#items = [];
    this.#rows.clear();
    byId("news-empty").hidden = true;
    byId("news-trouble").hidden = true;
  }

  /** What is shown. */
  get items() {
    return this.#items;
  }

  age(now) {
    this.#rows.age(now);
  }

  #heard({ type, data }, first) {
    if (type !== "news") return;
    const { items } = JSON.parse(data);
    const known = new Set(this.#items.map(identity));
    if (this.#loaded) this.#arrived(items.filter((item) => !known.has(identity(item))).length);
    this.#items = onTop(items, first ? [] : this.#items);
    this.#show();
  }

  #show() {
    const none = this.#items.length === 0;
    this.#loaded = true;
    this.#rows.show(this.#items);
    this.age(Date.now());
    byId("news").setAttribute("aria-busy", "false");
    byId("news").hidden = none;
    byId("news-empty").hidden = !none;
    const kind = this.#sentiment ? `${this.#sentiment} financial news` : "financial news";
    say(byId("news-empty-title"), `No ${kind} yet`);
  }

  #works() {
    byId("news-card").hidden = false;
    // The button in there must not take the focus along.
    if (byId("news-trouble").contains(document.activeElement)) byId("news-title").focus();
    byId("news-trouble").hidden = true;
  }

  #failed(error) {
    if (error instanceof SignedOut) {
      this.#signedOut();
      return false;
    }
    const again = passing(error);
    const title = again ? "The news feed is interrupted." : "The news feed has stopped.";
    say(byId("news-trouble-title"), title);
    say(byId("news-trouble-text"), error.message);
    byId("news-trouble").hidden = false;
    // An API of before there was news.
    byId("news-card").hidden = error instanceof Problem && error.status === 404;
    return again;
  }
}

/** The list with the new ones above, each once: the last that arrived first. */
function onTop(arrived, known) {
  const listed = new Map();
  for (const item of [...arrived.toReversed(), ...known]) {
    if (!listed.has(identity(item))) listed.set(identity(item), item);
  }
  return [...listed.values()].slice(0, MOST);
}

function newsCells(item) {
  const { source_name: name, source_url: address } = item.metadata ?? {};
  const source = origin(name ?? PROVIDERS[item.source_type] ?? item.source_type, address);
  return cells(item, texts(item), [source, ...tickers(item)], item.timestamp);
}

/** The title, and the text without it: most texts begin with theirs. */
function texts({ text_for_analysis: text, metadata }) {
  const title = metadata?.title;
  if (!title) return [element("p", { class: "item-text news-text" }, text)];
  const rest = (text.startsWith(title) ? text.slice(title.length) : text).trim();
  const headline = element("p", { class: "item-text" }, title);
  return rest ? [headline, element("p", { class: "item-text news-text muted" }, rest)] : [headline];
}

function tickers({ matched_tickers: matched = [] }) {
  return matched.map((ticker) => {
    const label = element("span", { class: "unseen" }, "Ticker ");
    return element("span", { class: "ticker clip" }, label, ticker);
  });
}
