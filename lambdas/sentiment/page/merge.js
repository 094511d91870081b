// What the list shows after a new first page has come.

const MOST = 200;

/**
 * The list with a fresh first page in it: `{ items, cursor, arrived }`.
 *
 * Items that the page should hold and does not are gone. Without a common item there may be a gap
 * between the page and the rest, so the rest goes; so it does when there is a lot of it, if nobody
 * is reading it.
 */
export function merge(known, page, { byScore, reading }) {
  const fresh = new Set(page.items.map(identity));
  const shown = new Set(known.items.map(identity));
  const whole = { items: page.items, cursor: page.next_cursor };
  // What follows all that was known has moved up, and is not new.
  const end = known.items.at(-1);
  const isNew = (item) => !shown.has(identity(item)) && !(end && follows(item, end, byScore));
  const arrived = page.items.filter(isNew).length;
  const joins = known.items.some((item) => fresh.has(identity(item)));
  if (!joins || page.next_cursor === null) return { ...whole, arrived };
  const last = page.items.at(-1);
  const rest = known.items.filter(
    (item) => !fresh.has(identity(item)) && follows(item, last, byScore),
  );
  if (!rest.length || (rest.length > MOST && !reading)) return { ...whole, arrived };
  return { items: [...page.items, ...rest], cursor: known.cursor, arrived };
}

/** The list with the page after it. */
export function extended(known, page) {
  const shown = new Set(known.items.map(identity));
  const more = page.items.filter((item) => !shown.has(identity(item)));
  return { items: [...known.items, ...more], cursor: page.next_cursor };
}

export function identity(item) {
  return item.source_id;
}

function follows(item, last, byScore) {
  if (!byScore) return item.ingested_at <= last.ingested_at;
  const [day, lastDay] = [item.ingested_at.slice(0, 10), last.ingested_at.slice(0, 10)];
  return day < lastDay || (day === lastDay && item.score <= last.score);
}
