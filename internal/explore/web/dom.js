// Nodes of the page. Texts of a catalog come from strangers: they become text nodes and
// attribute values, never markup.

/** @import { Made } from "./types" */

/**
 * h makes an element with classes: h("p.soft", { onclick: f }, "text", node, null). It may
 * have no attributes.
 * @template {string} N
 * @param {N} name
 * @returns {Made<N>}
 */
export function h(name, ...parts) {
  const [tag, ...classes] = name.split(".");
  return fill(document.createElement(tag), classes, parts);
}

/**
 * s makes an element of SVG. A drawing that has no role says nothing that the text does not.
 * @returns {SVGElement}
 */
export function s(name, ...parts) {
  const [tag, ...classes] = name.split(".");
  const node = fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, parts);
  if (tag === "svg" && !node.hasAttribute("role")) node.setAttribute("aria-hidden", "true");
  return node;
}

function fill(node, classes, parts) {
  if (classes.length) node.setAttribute("class", classes.join(" "));
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!isThere(value)) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else
      node.setAttribute(name, value === true ? "" : name === "title" || name === "aria-label" ? visible(value) : value);
  }
  append(node, ...parts);
  return node;
}

const isThere = (value) => (value ?? false) !== false;
const present = (children) => children.flat(4).filter(isThere).map(visible);

// visible escapes the characters of a text that nobody sees or that turn its direction.
export const visible = (text) =>
  typeof text !== "string"
    ? text
    : text.replace(/(?![\t\n\u200d])[\p{Cc}\p{Cf}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));

// title is the heading of a screen, which gets the focus when the screen changes.
export const title = (...text) => h("h1", { tabindex: "-1" }, text);

// terms are the rows of a list of names and what each is.
export const terms = (rows) => rows.filter(Boolean).map(([name, ...text]) => h("div", h("dt", name), h("dd", text)));

// line and label are parts of a drawing.
export const line = (x1, x2, y1, y2, name = "") => s("line" + name, { x1, x2, y1, y2 });
export const label = (x, y, text, anchor) => s("text", { x, y, "text-anchor": anchor }, text);

// heads is the head of a table: columns of words, then of numbers, then of words again.
export const heads = (words, numbers = [], more = []) =>
  h(
    "thead",
    h(
      "tr",
      [words, numbers, more].map((list) =>
        list.map((text) => h("th", { scope: "col", class: list === numbers && "number" }, text)),
      ),
    ),
  );

// append adds children to a node, and put gives it these in the place of all others. What
// is null is left out.
export const append = (node, ...children) => node.append(...present(children));
export const put = (node, ...children) => node.replaceChildren(...present(children));

// link is a link to evidence. Only addresses of the web become links; any other is text.
export function link(uri, text = uri) {
  if (!/^https?:\/\//i.test(uri)) return h("span.mono", text);
  return h("a", { href: uri, rel: "noreferrer noopener", target: "_blank", class: "evidence" }, text);
}

// linkTo leads to another screen.
export const linkTo = (address, ...text) => h("a", { href: address }, text);

export const button = (text, onclick) => h("button", { onclick }, text);

// region is a part that scrolls by itself, with the keyboard, too.
export const region = (name, kind, ...children) =>
  h("div." + kind, { tabindex: "0", role: "region", "aria-label": name }, children);

// fold is what a line of text opens to.
export const fold = (text, ...children) => h("details.fold", h("summary", text), children);

export const rowHead = (...text) => h("th", { scope: "row" }, text);

// number is a cell of a table, whose label stands beside it where the table has no head.
export const number = (label, text, title = null) => h("td.number", { "data-label": label, title }, text);

// optionsOf are the options of a select: texts, [value, text] or { group, options }.
export const optionsOf = (options, value) =>
  options.map((o) => {
    if (o.group !== undefined) return h("optgroup", { label: o.group }, optionsOf(o.options, value));
    const [name, text] = typeof o === "string" ? [o, o] : o;
    return h("option", { value: name, selected: name === value }, text);
  });

// choice is a select with a label.
export function choice(label, options, value, onchange) {
  const select = h("select", { onchange: () => onchange(select.value) }, optionsOf(options, value));
  return h("label.field", h("span", label), select);
}

// searchField is a field that says what is typed there when nothing was typed for a while.
export const searchField = (value, hint, wait, told, more) =>
  h("input", {
    type: "search",
    id: "search",
    value,
    placeholder: hint,
    autocomplete: "off",
    oninput: once(({ target }) => told(target.value), wait),
    ...more,
  });

// unfolder is a button that shows the filters after it on a narrow screen, where what they filter
// would begin below the first screen.
export function unfolder(isOpen) {
  const node = h(
    "button.unfold",
    {
      "aria-expanded": String(!!isOpen),
      onclick: () => {
        node.ariaExpanded = String(node.ariaExpanded === "false");
      },
    },
    "Filters",
  );
  return node;
}

// few draws the first of a list, and a button that draws the rest.
export function few(list, draw) {
  const rest = list.slice(20);
  const more = h(
    "div.more",
    button(`Show ${rest.length} more`, () => more.replaceWith(...rest.map(draw))),
  );
  return [list.slice(0, 20).map(draw), rest[0] && more];
}

// once lets a function run when nothing has called it for some milliseconds.
export function once(run, wait) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), wait);
  };
}

// isNarrow tells of a screen where things come below each other: the style says the same.
export const isNarrow = () => matchMedia("(max-width: 719px)").matches;

export const byId = (id) => document.getElementById(id);

export const hasFocus = (node) => node === document.activeElement;

/**
 * allIn is what a selector finds in a node.
 * @returns {HTMLElement[]}
 */
export const allIn = (node, selector) => [...node.querySelectorAll(selector)];

// announce says something to screen readers, politely.
export function announce(text) {
  byId("said").textContent = text;
}

// save lets the browser save a text as a file.
export function save(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// copy puts a text on the clipboard and says so on the button.
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    const area = h("textarea.away", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    say(button, document.execCommand("copy") ? "Copied" : "The browser refused");
    area.remove();
  }
}

// cross is a button that removes something.
export const cross = (name, onclick) => h("button.quiet", { "aria-label": "Remove " + name, onclick }, "×");

// copyButton copies what is made when it is pressed.
export function copyButton(text, make) {
  const node = button(text, () => copy(make(), node));
  return node;
}

// say shows on a button for a moment what came of pressing it.
export function say(button, text) {
  button.dataset.name ??= button.textContent;
  button.textContent = text;
  announce(text);
  setTimeout(() => (button.textContent = button.dataset.name), 1500);
}
