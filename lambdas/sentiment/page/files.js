// What is shown, as files: CSV for spreadsheets and JSON for programs.

import { byId, element } from "./dom.js";

const KINDS = {
  csv: { type: "text/csv;charset=utf-8", write: csv },
  json: { type: "application/json", write: (rows) => `${JSON.stringify(rows, null, 2)}\n` },
};
const REVOKE_MS = 60_000;

/** Buttons in the element `{name}-files`, which save what `rows()` gives. */
export function offerFiles(name, rows) {
  const buttons = Object.entries(KINDS).map(([kind, { type, write }]) => {
    const stamp = () => new Date().toISOString().slice(0, 16).replace(":", "-");
    const onclick = () => save(`${name}-${stamp()}.${kind}`, type, write(rows()));
    const label = `Save the ${name} shown as ${kind.toUpperCase()}`;
    const attributes = { type: "button", class: "file", "aria-label": label, title: label, onclick };
    return element("button", attributes, kind.toUpperCase());
  });
  byId(`${name}-files`).replaceChildren(...buttons);
}

/** Lines as RFC 4180 has them; the columns are the fields of all rows. */
export function csv(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  const text = lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
  // Spreadsheets read UTF-8 where it begins with this mark.
  return `\ufeff${text}`;
}

function cell(value) {
  if (typeof value === "number") return String(value);
  const list = Array.isArray(value) ? value.join("; ") : value;
  const text = typeof list === "object" ? JSON.stringify(list) : String(list ?? "");
  // Spreadsheets would run texts from outside that begin like formulas.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS);
}
