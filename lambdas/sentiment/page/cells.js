// What rows have in common: a mood, texts over where they are from, a score and an age.

import { sentimentLabel } from "./charts.js";
import { element } from "./dom.js";
import { exact, moment, relate } from "./time.js";

export function cells(item, texts, meta, moment) {
  const body = element("div", { class: "item-body" }, ...texts);
  body.append(element("div", { class: "item-meta" }, ...meta));
  return [sentimentLabel(item.sentiment), body, score(item), when(moment)];
}

/** Where something is from, with a link to it if it has an address on the web. */
export function origin(name, address) {
  const url = webAddress(address);
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

function when(text) {
  const date = new Date(text);
  const time = element("time", { datetime: text, title: exact(date) });
  relate(time, Date.now());
  const at = element("span", { class: "at", "aria-hidden": "true" }, moment(date, new Date()));
  return element("span", { class: "when" }, time, at);
}

// Anything else, such as javascript:, would run here when it is clicked.
function webAddress(text) {
  const url = text && URL.canParse(text) ? new URL(text) : null;
  return url && ["http:", "https:"].includes(url.protocol) ? url : null;
}
