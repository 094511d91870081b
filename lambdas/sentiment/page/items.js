// What a row in the list of items says.

import { cells, origin } from "./cells.js";
import { element } from "./dom.js";
import { sourceName } from "./filters.js";

export function itemCells(item, tag) {
  const source = origin(sourceName(item.source_type), item.source_url);
  return cells(item, [text(item)], [source, ...tags(item, tag)], item.ingested_at);
}

function text({ text_snippet: snippet }) {
  if (snippet) return element("p", { class: "item-text" }, snippet);
  return element("p", { class: "item-text muted" }, "No text was kept.");
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
