// Elements are made, never parsed: what the API says can only ever become text.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element; attributes that are null, undefined or false are left out. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Set the text only when it differs, so that nothing that is selected or announced is touched. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The children become these, unless they already look the same: focus and hover stay. */
export function replace(node, ...children) {
  const next = children.filter((child) => child !== null);
  const same =
    node.childNodes.length === next.length &&
    next.every((child, at) => child.isEqualNode(node.childNodes[at]));
  if (same) return;
  const active = document.activeElement;
  const focused = node.contains(active) ? active.dataset.focus : null;
  node.replaceChildren(...next);
  if (focused) focusable(node, focused)?.focus({ preventScroll: true });
}

function focusable(node, key) {
  return [...node.querySelectorAll("[data-focus]")].find((each) => each.dataset.focus === key);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
