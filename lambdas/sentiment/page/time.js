// Moments in words, in the zone of whoever reads them.

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const STEP = 5;

/** "just now", "20 seconds ago", "3 minutes ago": coarse, so that it does not flicker. */
export function ago(seconds) {
  if (seconds < STEP) return "just now";
  if (seconds < 60) return `${Math.floor(seconds / STEP) * STEP} seconds ago`;
  return `${duration(seconds)} ago`;
}

/** A length of time in its largest unit. */
export function duration(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [name, size] = units.find(([, size]) => seconds >= size) ?? ["second", 1];
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

export function clock(date) {
  return CLOCK.format(date);
}

/** The time of day, with the day unless that is today. */
export function moment(date, now) {
  const today = date.toDateString() === now.toDateString();
  return today ? clock(date) : `${DAY.format(date)}, ${clock(date)}`;
}

/** The whole moment in the reader's zone and in UTC. */
export function exact(date) {
  const utc = date.toISOString().replace("T", " ").slice(0, 19);
  return `${FULL.format(date)} (${utc} UTC)`;
}

/** Bring a `time` element's words up to date. */
export function relate(node, now) {
  const words = ago(Math.max(0, (now - Date.parse(node.dateTime)) / 1000));
  if (node.textContent !== words) node.textContent = words;
}
