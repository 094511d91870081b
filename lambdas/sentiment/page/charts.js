// The summary as pictures, each with its figures in text.

import { element, replace, svg } from "./dom.js";
import { SENTIMENTS } from "./filters.js";
import { clock, exact, moment } from "./time.js";

const RING = { r: 42, cx: 50, cy: 50, fill: "none", "stroke-width": 13, pathLength: 100 };
const RING_GAP = 1.2;
const TREND_HEIGHT = 100;
const TREND_LABELS = 6;
const TREND_STEPS = 4;
// A bar so many times as tall as most makes them flat.
const MANY_TIMES = 5;
const HALF_CHARACTER = 0.3; // em
const MOST_TAGS = 8;
const HOUR_MS = 3_600_000;

const WORDS = { positive: "Positive", neutral: "Neutral", negative: "Negative" };
// A shape for each, because colour alone does not tell everyone.
const SHAPES = {
  positive: "M8 3l6 10H2z",
  neutral: "M2 6h12v4H2z",
  negative: "M8 13L2 3h12z",
};

/** A sentiment by word, shape and colour. */
export function sentimentLabel(sentiment) {
  const shape = svg("path", { d: SHAPES[sentiment] ?? SHAPES.neutral, fill: "currentColor" });
  const icon = svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, shape);
  return element("span", { class: `mood ${sentiment}` }, icon, WORDS[sentiment] ?? sentiment);
}

/** A ring, and a legend whose entries filter. */
export function renderDistribution(node, distribution, pressed) {
  const total = SENTIMENTS.reduce((sum, each) => sum + distribution[each], 0);
  replace(node, ring(distribution, total), legend(distribution, pressed));
}

/** A bar for each tag; a click filters by it. */
export function renderTags(node, tags, pressed) {
  if (!tags.length) {
    replace(node, element("p", { class: "muted" }, "No tags in these hours."));
    return;
  }
  const most = Math.max(...tags.map(({ count }) => count));
  const bars = tags.slice(0, MOST_TAGS).map((each) => tagBar(each, most, pressed));
  replace(node, element("ul", { class: "tag-bars" }, ...bars));
}

/** Stacked bars over the hours, with the same figures in a table for who cannot see them. */
export function renderTrend(node, hours) {
  const most = Math.max(0, ...hours.map(inAll));
  if (most === 0) {
    replace(node, element("p", { class: "muted" }, "No items in these hours."));
    return;
  }
  const now = new Date(hours.at(-1).hour);
  replace(node, trendPicture(hours, most), axis(hours, now), trendTable(hours, now));
}

function ring(distribution, total) {
  const said = SENTIMENTS.map((each) => `${distribution[each]} ${each}`).join(", ");
  const arcs = [svg("circle", { ...RING, class: "ring-back" })];
  let start = 0;
  for (const sentiment of SENTIMENTS) {
    const share = total ? (distribution[sentiment] / total) * 100 : 0;
    if (share > 0) {
      const gap = share === 100 ? 0 : Math.min(RING_GAP, share / 2);
      arcs.push(
        svg("circle", {
          ...RING,
          class: `stroke ${sentiment}`,
          "stroke-dasharray": `${(share - gap).toFixed(3)} ${(100 - share + gap).toFixed(3)}`,
          "stroke-dashoffset": (-start - gap / 2).toFixed(3),
          transform: "rotate(-90 50 50)",
        }),
      );
    }
    start += share;
  }
  const unit = total === 1 ? "item" : "items";
  return svg(
    "svg",
    {
      viewBox: "0 0 100 100",
      class: "ring",
      role: "img",
      "aria-label": `${total} ${unit}: ${said}`,
    },
    ...arcs,
    svg("text", { x: 50, y: 51, class: "ring-total" }, compact(total)),
    svg("text", { x: 50, y: 65, class: "ring-unit" }, unit),
  );
}

function legend(distribution, pressed) {
  const percents = shares(SENTIMENTS.map((each) => distribution[each]));
  const entries = SENTIMENTS.map((sentiment, at) => {
    const button = element(
      "button",
      {
        type: "button",
        class: "legend-entry",
        "data-filter": "sentiment",
        "data-value": sentiment,
        "data-focus": sentiment,
        "aria-pressed": String(pressed === sentiment),
      },
      sentimentLabel(sentiment),
      element("span", { class: "count" }, distribution[sentiment].toLocaleString()),
      element("span", { class: "share" }, percents[at]),
    );
    return element("li", {}, button);
  });
  return element("ul", { class: "legend" }, ...entries);
}

/**
 * Parts in whole percents that add up. Each is rounded up or down, those with the largest
 * remainders up; "< 1 %" stands for what the others leave, so 100 % is all and 0 % is nothing.
 */
export function shares(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (!total) return counts.map(() => "0 %");
  const large = counts.map((count) => (count * 100 >= total ? count * 100 : 0));
  const percents = large.map((part) => Math.floor(part / total));
  const whole = Math.floor(large.reduce((sum, part) => sum + part, 0) / total);
  const up = whole - percents.reduce((sum, percent) => sum + percent, 0);
  const order = [...large.keys()].sort((a, b) => (large[b] % total) - (large[a] % total));
  for (const at of order.slice(0, up)) percents[at] += 1;
  return counts.map((count, at) => (count && !large[at] ? "< 1 %" : `${percents[at]} %`));
}

function tagBar({ tag, count }, most, pressed) {
  const fill = element("span", { class: "fill" });
  fill.style.inlineSize = `${Math.max(2, (count / most) * 100).toFixed(1)}%`;
  const button = element(
    "button",
    {
      type: "button",
      class: "tag-bar",
      "data-filter": "tag",
      "data-value": tag,
      "data-focus": tag,
      "aria-pressed": String(pressed === tag),
    },
    element("span", { class: "clip" }, tag),
    element("span", { class: "track", "aria-hidden": "true" }, fill),
    element("span", { class: "count" }, count.toLocaleString()),
  );
  return element("li", {}, button);
}

function trendPicture(hours, most) {
  const busiest = hours.find((each) => inAll(each) === most);
  const total = hours.reduce((sum, each) => sum + inAll(each), 0);
  const peak = `${most} in the hour of ${clock(new Date(busiest.hour))}`;
  const labels = [
    svg("title", { id: "trend-name" }, "Items per hour by sentiment"),
    svg(
      "desc",
      { id: "trend-description" },
      `${total} items in ${hours.length} hours, at most ${peak}.`,
    ),
  ];
  const named = { role: "img", "aria-labelledby": "trend-name trend-description" };
  const plots = [plot(hours, steps(most), named, labels)];
  const low = largestOfMost(hours);
  if (most >= MANY_TIMES * low) plots.push(...enlarged(hours, steps(low)));
  return element("div", { class: "trend-plots" }, ...plots);
}

/** The same bars once more on a larger scale, for what a few tall ones make flat. */
function enlarged(hours, ticks) {
  const words = `Enlarged: 0 to ${compact(ticks.at(-1))}, taller bars are cut`;
  const note = element("p", { class: "trend-note", "aria-hidden": "true" }, words);
  return [note, plot(hours, ticks, { "aria-hidden": "true" }, [])];
}

/** Bars over the hours, with a line and a number for each tick. */
function plot(hours, ticks, attributes, labels) {
  const top = ticks.at(-1);
  const lines = ticks.map((tick) => {
    const y = TREND_HEIGHT * (1 - tick / top);
    return svg("line", { x1: 0, x2: hours.length, y1: y, y2: y, class: "trend-line" });
  });
  const numbers = ticks.map((tick) => {
    const number = element("span", { class: "trend-tick", "aria-hidden": "true" }, compact(tick));
    number.style.insetBlockEnd = `${(tick / top) * 100}%`;
    return number;
  });
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${hours.length} ${TREND_HEIGHT}`,
      preserveAspectRatio: "none",
      class: "trend-bars",
      ...attributes,
    },
    ...labels,
    ...lines,
    ...hours.map((hour, at) => bar(hour, at, top)),
  );
  return element("div", { class: "trend-plot" }, ...numbers, picture);
}

/** Ticks from 0 to a count or beyond it, in steps of 1, 2 or 5 times a power of ten. */
export function steps(count) {
  const least = Math.max(1, count / TREND_STEPS);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= least);
  return Array.from({ length: Math.ceil(count / step) + 1 }, (_, at) => at * step);
}

/** The largest count up to twice the one that three quarters of the hours with items reach. */
function largestOfMost(hours) {
  const counts = hours.map(inAll).filter(Boolean).sort((a, b) => a - b);
  const usual = counts[Math.floor((counts.length - 1) * 0.75)];
  return counts.findLast((count) => count <= 2 * usual);
}

function bar(hour, at, most) {
  const parts = [];
  let floor = TREND_HEIGHT;
  for (const sentiment of [...SENTIMENTS].reverse()) {
    const height = (hour[sentiment] / most) * TREND_HEIGHT;
    floor -= height;
    if (height > 0) {
      const place = { x: at + 0.14, y: floor.toFixed(2), width: 0.72, height: height.toFixed(2) };
      parts.push(svg("rect", { ...place, class: `shape ${sentiment}` }));
    }
  }
  // Across a bar that goes on beyond the picture.
  const cut = svg("path", { d: `M${at} 10L${at + 1} 4v5L${at} 15z`, class: "trend-cut" });
  const figures = SENTIMENTS.map((each) => `${hour[each]} ${each}`).join(", ");
  return svg(
    "g",
    { class: "trend-hour" },
    svg("title", {}, `${exact(new Date(hour.hour))}\n${figures}`),
    svg("rect", { x: at, y: 0, width: 1, height: TREND_HEIGHT, class: "trend-slot" }),
    ...parts,
    inAll(hour) > most ? cut : null,
  );
}

function axis(hours, now) {
  const every = Math.max(1, Math.ceil(hours.length / TREND_LABELS));
  const marks = hours.flatMap(({ hour }, at) => {
    const date = new Date(hour);
    // Counted from the reader's midnight, so that the marks stay where they are as time goes on.
    const local = Math.floor((date - date.getTimezoneOffset() * 60_000) / HOUR_MS);
    if (local % every) return [];
    const midnight = date.getHours() === 0;
    const text = midnight ? moment(date, now).split(",")[0] : clock(date);
    const mark = element("span", {}, text);
    const half = `${text.length * HALF_CHARACTER}em`;
    const middle = `${(((at + 0.5) / hours.length) * 100).toFixed(2)}%`;
    // Under the middle of its bar, but within the chart.
    mark.style.insetInlineStart = `clamp(${half}, ${middle}, 100% - ${half})`;
    return [mark];
  });
  return element("div", { class: "trend-axis", "aria-hidden": "true" }, ...marks);
}

function trendTable(hours, now) {
  const head = ["Hour", ...SENTIMENTS.map((each) => WORDS[each])];
  const rows = hours.map((hour) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, moment(new Date(hour.hour), now)),
      ...SENTIMENTS.map((each) => element("td", {}, String(hour[each]))),
    ),
  );
  const titles = head.map((title) => element("th", { scope: "col" }, title));
  const table = element(
    "table",
    {},
    element("caption", {}, "Items per hour by sentiment"),
    element("thead", {}, element("tr", {}, ...titles)),
    element("tbody", {}, ...rows),
  );
  // Hidden by what is around it: a table takes the room that its rows need, whatever it is told.
  return element("div", { class: "unseen" }, table);
}

function inAll(hour) {
  return SENTIMENTS.reduce((sum, each) => sum + hour[each], 0);
}

function compact(count) {
  return new Intl.NumberFormat(undefined, { notation: "compact" }).format(count);
}
