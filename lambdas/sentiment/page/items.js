// The list: rows are kept as long as their items, so that focus, selection and place stay.

import { sentimentLabel } from "./charts.js";
import { element } from "./dom.js";
import { sourceName } from "./filters.js";
import { identity } from "./merge.js";
import { exact, moment, relate } from "./time.js";

export class Items {
  #list;
  #rows = new Map();

  constructor(list) {
    this.#list = list;
  }

  /** Show these items, and hold still what the reader looks at. */
  show(items, tag) {
    const still = this.#anchor();
    const focused = this.#focus();
    const wanted = items.map((item) => this.#row(item, tag));
    this.#arrange(wanted);
    const ids = new Set(items.map(identity));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
    focused();
    still();
  }

  clear() {
    this.#rows.clear();
    this.#list.replaceChildren();
  }

  /** Bring the times up to date. */
  age(now) {
    for (const time of this.#list.querySelectorAll("time")) relate(time, now);
  }

  /** Whether the reader is somewhere in the list, and not above it. */
  get reading() {
    const top = this.#list.getBoundingClientRect().top;
    return top < 0 || this.#list.contains(document.activeElement);
  }

  #row(item, tag) {
    const look = JSON.stringify([item, tag]);
    const known = this.#rows.get(identity(item));
    if (known?.look === look) return known.node;
    const node = known?.node ?? element("li", { class: "item" });
    node.replaceChildren(...cells(item, tag));
    this.#rows.set(identity(item), { look, node });
    return node;
  }

  // Rows that are in place already are not touched: moving an element takes its focus away.
  #arrange(wanted) {
    const keep = new Set(wanted);
    for (const row of [...this.#list.children]) if (!keep.has(row)) row.remove();
    let at = this.#list.firstElementChild;
    for (const row of wanted) {
      if (row === at) at = at.nextElementSibling;
      else this.#list.insertBefore(row, at);
    }
  }

  /** A function that puts the row that the reader looks at back to where it was on the screen. */
  #anchor() {
    const rows = [...this.#list.children];
    const focused = rows.find((row) => row.contains(document.activeElement));
    const above = this.#list.getBoundingClientRect().top < 0;
    const first = above ? rows.find((row) => row.getBoundingClientRect().top >= 0) : null;
    const row = focused ?? first;
    if (!row) return () => {};
    const before = row.getBoundingClientRect().top;
    return () => {
      if (row.isConnected) window.scrollBy(0, row.getBoundingClientRect().top - before);
    };
  }

  /** A function that gives the focus back to where it was in its row. */
  #focus() {
    const active = document.activeElement;
    const row = [...this.#list.children].find((each) => each.contains(active));
    if (!row) return () => {};
    const place = [...row.querySelectorAll("a, button")].indexOf(active);
    return () => {
      if (document.activeElement === active) return;
      const inside = row.isConnected ? row : this.#list;
      const able = [...inside.querySelectorAll("a, button")];
      able[Math.min(place, able.length - 1)]?.focus({ preventScroll: true });
    };
  }
}

function cells(item, tag) {
  return [
    sentimentLabel(item.sentiment),
    element(
      "div",
      { class: "item-body" },
      text(item),
      element("div", { class: "item-meta" }, origin(item), ...tags(item, tag)),
    ),
    score(item),
    when(item),
  ];
}

function text({ text_snippet: snippet }) {
  if (snippet) return element("p", { class: "item-text" }, snippet);
  return element("p", { class: "item-text muted" }, "No text was kept.");
}

function origin(item) {
  const name = sourceName(item.source_type);
  const url = webAddress(item.source_url);
  if (!url) return element("span", { class: "origin" }, name);
  const host = url.hostname.replace(/^www\./, "");
  const link = element(
    "a",
    { href: url.href, rel: "noopener noreferrer", target: "_blank" },
    host,
    element("span", { class: "unseen" }, " (opens a new tab)"),
  );
  return element("span", { class: "origin" }, `${name} · `, link);
}

function tags({ matched_tags: matched = [] }, pressed) {
  return [...matched].sort().map((tag) =>
    element(
      "button",
      {
        type: "button",
        class: "tag",
        "data-filter": "tag",
        "data-value": tag,
        "aria-pressed": String(tag === pressed),
        "aria-label": `Tag ${tag}`,
      },
      element("span", { class: "clip" }, tag),
    ),
  );
}

function score(item) {
  const fill = element("span", { class: `fill ${item.sentiment}` });
  fill.style.inlineSize = `${Math.round(Math.min(1, Math.max(0, item.score)) * 100)}%`;
  return element(
    "span",
    { class: "score" },
    element("span", { class: "unseen" }, "Score "),
    element("span", { class: "count" }, item.score.toFixed(2)),
    element("span", { class: "track", "aria-hidden": "true" }, fill),
  );
}

function when(item) {
  const date = new Date(item.ingested_at);
  const time = element("time", { datetime: item.ingested_at, title: exact(date) });
  relate(time, Date.now());
  const at = element("span", { class: "at", "aria-hidden": "true" }, moment(date, new Date()));
  return element("span", { class: "when" }, time, at);
}

// Anything else, such as javascript:, would run here when it is clicked.
function webAddress(text) {
  const url = text && URL.canParse(text) ? new URL(text) : null;
  return url && ["http:", "https:"].includes(url.protocol) ? url : null;
}
