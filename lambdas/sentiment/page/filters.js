// What is shown: kept in the address's hash, so that it survives a reload and can be sent on.

import { byId, element, replace, svg } from "./dom.js";
import { moment } from "./time.js";

export const SENTIMENTS = ["positive", "neutral", "negative"];
const SOURCES = { newsapi: "NewsAPI", twitter: "Twitter", reddit: "Reddit" };
const DEFAULT_HOURS = "24";
const HOURS = ["6", DEFAULT_HOURS, "72"];
const LABELS = { source_type: "Source", sentiment: "Sentiment", tag: "Tag", since: "Since" };

/** The filters in a hash. What makes no sense there is left out. */
export function parse(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const filters = {};
  for (const name of Object.keys(LABELS)) {
    const value = given.get(name);
    if (value && sensible(name, value)) filters[name] = value;
  }
  if (byScore(filters)) delete filters.since;
  const hours = given.get("hours");
  return { filters, hours: HOURS.includes(hours) ? hours : DEFAULT_HOURS };
}

/** Whether items come by score: those of a sentiment do, and then there is no `since`. */
export function byScore(filters) {
  return Boolean(filters.sentiment) && !filters.tag;
}

/** The filters with one of them set, or without it when the value is empty or the one it has. */
export function changed(shown, name, value) {
  if (name === "hours") return { ...shown, hours: value || DEFAULT_HOURS };
  const filters = { ...shown.filters };
  if (!value || filters[name] === value) delete filters[name];
  else filters[name] = value;
  return { ...shown, filters };
}

/** Put what is shown into the address: the page follows it from there. */
export function go({ filters, hours }) {
  const kept = new URLSearchParams(filters);
  if (hours !== DEFAULT_HOURS) kept.set("hours", hours);
  const hash = `${kept}`;
  if (hash) location.hash = hash;
  else {
    history.pushState(null, "", location.pathname + location.search);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

/** What was chosen in one of the selects, as a filter's value. */
export function chosen(value, now) {
  const back = /^ago (\d+)$/.exec(value);
  if (!back) return value;
  const minute = Math.floor(now / 60_000) * 60_000;
  return new Date(minute - back[1] * 3_600_000).toISOString();
}

export function sourceName(type) {
  return SOURCES[type] ?? type;
}

/** Bring the selects and the chips in line with what is shown. */
export function render({ filters, hours }, now) {
  byId("source-type").value = filters.source_type ?? "";
  byId("hours").value = hours === DEFAULT_HOURS ? "" : hours;
  renderSince(byId("since"), filters.since, now);
  byId("since").disabled = byScore(filters);
  replace(byId("chips"), ...Object.entries(filters).map(([name, value]) => chip(name, value, now)));
}

function renderSince(select, since, now) {
  select.querySelector("[data-exact]")?.remove();
  if (since) {
    const label = moment(new Date(since), now);
    select.append(element("option", { value: since, "data-exact": true }, label));
  }
  select.value = since ?? "";
}

function chip(name, value, now) {
  const words = { source_type: sourceName, since: (text) => moment(new Date(text), now) };
  const text = `${LABELS[name]}: ${words[name]?.(value) ?? value}`;
  const cross = svg("path", { d: "M4 4l8 8M12 4l-8 8", class: "cross" });
  const button = element(
    "button",
    {
      type: "button",
      class: "chip",
      "data-filter": name,
      "data-value": value,
      "data-focus": `chip ${name}`,
      "aria-label": `Remove filter ${text}`,
    },
    element("span", { class: "clip" }, text),
    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" }, cross),
  );
  return element("li", {}, button);
}

function sensible(name, value) {
  if (name === "source_type") return Object.hasOwn(SOURCES, value);
  if (name === "sentiment") return SENTIMENTS.includes(value);
  if (name === "since") return /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
  return true;
}
