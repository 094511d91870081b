// A list: rows are kept as long as their items, so that focus, selection and place stay.
// Rows far from the reader are no elements: margins hold their place, so a long list is as quick.

import { element } from "./dom.js";
import { identity } from "./merge.js";
import { relate } from "./time.js";

// Rows before and after those in sight that are elements too.
const AROUND = 100;
// The height of a row before any was measured.
const GUESS = 64;

export class Rows {
  #list;
  #cells;
  #items = [];
  #tag;
  #rows = new Map();
  #numbers = [];
  #heights = new Map();
  #usual = null;
  #tops = null;

  /** `cells(item, tag)` makes what a row consists of. */
  constructor(list, cells) {
    this.#list = list;
    this.#cells = cells;
    window.addEventListener("scroll", () => this.#covers() || this.#draw(), { passive: true });
    window.addEventListener("resize", () => {
      this.#forgetHeights();
      this.#draw();
    });
    // The rows beside the focused one, where the Tab key goes next.
    list.addEventListener("focusin", () => this.#draw());
  }

  /** Show these items, and hold still what the reader looks at. */
  show(items, tag) {
    const focused = this.#focus();
    this.#items = items;
    this.#tag = tag;
    this.#tops = null;
    this.#draw();
    focused();
  }

  clear() {
    this.#items = [];
    this.#numbers = [];
    this.#rows.clear();
    this.#forgetHeights();
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

  #draw() {
    const anchor = this.#anchor();
    const before = anchor && top(anchor);
    this.#numbers = this.#wanted(anchor);
    const items = this.#numbers.map((number) => this.#items[number]);
    const rows = items.map((item) => this.#row(item));
    this.#arrange(rows);
    const ids = new Set(items.map(identity));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
    this.#measure(items, rows);
    this.#space(rows);
    if (!anchor?.isConnected) return;
    this.#list.scrollTop += top(anchor) - before;
    window.scrollBy(0, top(anchor) - before);
  }

  /** The numbers of the rows that are to be elements. */
  #wanted(anchor) {
    const { first, last } = this.#sight();
    const focused = this.#number(this.#holding(document.activeElement));
    const beside = focused < 0 ? [] : [focused - 1, focused, focused + 1];
    const numbers = new Set([this.#number(anchor), ...beside]);
    for (let at = first - AROUND; at <= last + AROUND; at += 1) numbers.add(at);
    const exist = [...numbers].filter((number) => this.#items[number]);
    return exist.sort((one, other) => one - other);
  }

  /** Whether the rows in sight, and half of those around them, are elements. */
  #covers() {
    const { first, last } = this.#sight();
    const shown = new Set(this.#numbers);
    const ends = [first - AROUND / 2, first, last, last + AROUND / 2];
    return ends.every((number) => !this.#items[number] || shown.has(number));
  }

  /** The first and the last row in the window. A list that scrolls by itself is short. */
  #sight() {
    const tops = (this.#tops ??= this.#sum());
    const start = -top(this.#list);
    return { first: rowAt(tops, start), last: rowAt(tops, start + window.innerHeight) };
  }

  /** Where each row begins below the beginning of the list, and where the last one ends. */
  #sum() {
    const tops = new Float64Array(this.#items.length + 1);
    const usual = this.#usual ?? GUESS;
    this.#items.forEach((item, at) => {
      tops[at + 1] = tops[at] + (this.#heights.get(identity(item)) ?? usual);
    });
    return tops;
  }

  #measure(items, rows) {
    const heights = rows.map((row) => row.getBoundingClientRect().height);
    // None has a height while the list is hidden.
    items.forEach((item, at) => heights[at] && this.#heights.set(identity(item), heights[at]));
    const shown = heights.filter(Boolean);
    if (shown.length) this.#usual ??= shown.reduce((sum, each) => sum + each, 0) / shown.length;
    this.#tops = this.#sum();
  }

  // Margins in place of the rows that are no elements.
  #space(rows) {
    const margin = (end, start) => `${this.#tops[start] - this.#tops[end]}px`;
    rows.forEach((row, at) => {
      const number = this.#numbers[at];
      row.style.marginBlockStart = margin((this.#numbers[at - 1] ?? -1) + 1, number);
      row.setAttribute("aria-posinset", number + 1);
      row.setAttribute("aria-setsize", this.#items.length);
    });
    const last = this.#numbers.at(-1) ?? -1;
    this.#list.style.paddingBlockEnd = margin(last + 1, this.#items.length);
  }

  #forgetHeights() {
    this.#heights.clear();
    this.#usual = null;
    this.#tops = null;
  }

  #row(item) {
    const look = JSON.stringify([item, this.#tag]);
    const known = this.#rows.get(identity(item));
    if (known?.look === look) return known.node;
    const node = known?.node ?? element("li", { class: "item" });
    node.replaceChildren(...this.#cells(item, this.#tag));
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

  /** The row that stays where it is on the screen: the focused one in sight, or the uppermost. */
  #anchor() {
    const rows = [...this.#list.children];
    const focused = this.#holding(document.activeElement);
    if (focused && bottom(focused) > 0 && top(focused) < window.innerHeight) return focused;
    // Rows are out of sight above the window, or above the list where that scrolls by itself.
    const edge = Math.max(0, top(this.#list));
    if (!rows.length || top(rows[0]) >= edge) return null;
    return rows.find((row) => top(row) >= edge) ?? null;
  }

  #holding(node) {
    return [...this.#list.children].find((row) => row.contains(node)) ?? null;
  }

  #number(row) {
    const [id] = [...this.#rows].find(([, { node }]) => node === row) ?? [];
    return id === undefined ? -1 : this.#items.findIndex((item) => identity(item) === id);
  }

  /** A function that gives the focus back to where it was in its row. */
  #focus() {
    const active = document.activeElement;
    const row = this.#holding(active);
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

function bottom(node) {
  return node.getBoundingClientRect().bottom;
}

/** The number of the row at a distance from the beginning of the list. */
function rowAt(tops, distance) {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= distance) low = middle;
    else high = middle - 1;
  }
  return low;
}
