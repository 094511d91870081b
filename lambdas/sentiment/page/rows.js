// A list: rows are kept as long as their items, so that focus, selection and place stay.

import { element } from "./dom.js";
import { identity } from "./merge.js";
import { relate } from "./time.js";

export class Rows {
  #list;
  #cells;
  #rows = new Map();

  /** `cells(item, tag)` makes what a row consists of. */
  constructor(list, cells) {
    this.#list = list;
    this.#cells = cells;
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
    return top(this.#list) < 0 || this.#list.contains(document.activeElement);
  }

  #row(item, tag) {
    const look = JSON.stringify([item, tag]);
    const known = this.#rows.get(identity(item));
    if (known?.look === look) return known.node;
    const node = known?.node ?? element("li", { class: "item" });
    node.replaceChildren(...this.#cells(item, tag));
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
    const list = this.#list;
    const rows = [...list.children];
    const focused = rows.find((row) => row.contains(document.activeElement));
    // Rows are out of sight above the window, or above the list where that scrolls by itself.
    const edge = Math.max(0, top(list));
    const above = rows.length > 0 && top(rows[0]) < edge;
    const row = focused ?? (above ? rows.find((each) => top(each) >= edge) : null);
    if (!row) return () => {};
    const before = top(row);
    return () => {
      if (!row.isConnected) return;
      list.scrollTop += top(row) - before;
      window.scrollBy(0, top(row) - before);
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

function top(node) {
  return node.getBoundingClientRect().top;
}
