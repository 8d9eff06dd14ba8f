// Nodes of the page. Texts of a catalog come from strangers: they become text nodes and
// attribute values, never markup.

// h makes an element: h("p", { class: "soft", onclick: f }, "text", node, null).
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// s makes an element of SVG.
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, ...children);
  return node;
}

const present = (children) => children.flat(4).filter((child) => child !== null && child !== undefined && child !== false);

// column is the head of a column.
export const column = (text, isNumber) => h("th", { scope: "col", class: isNumber ? "number" : null }, text);

// append adds children to a node, and put gives it these in the place of all others. What
// is null is left out.
export const append = (node, ...children) => node.append(...present(children));
export const put = (node, ...children) => node.replaceChildren(...present(children));

// link is a link to evidence. Only addresses of the web become links; any other is text.
export function link(uri, text = uri) {
  if (!/^https?:\/\//i.test(uri)) return h("span", { class: "mono" }, text);
  return h("a", { href: uri, rel: "noreferrer noopener", target: "_blank", class: "evidence" }, text);
}

// choice is a select with a label. Options are [value, text] or { group, options }.
export function choice(label, options, value, onchange) {
  const entry = (o) => o.group !== undefined
    ? h("optgroup", { label: o.group }, o.options.map(entry))
    : h("option", { value: o[0], selected: o[0] === value }, o[1]);
  const select = h("select", { onchange: () => onchange(select.value) }, options.map(entry));
  return h("label", { class: "field" }, h("span", {}, label), select);
}

// few draws the first of a list, and a button that draws the rest.
export function few(list, draw) {
  const rest = list.slice(20);
  const more = h("div", { class: "more" }, h("button", { onclick: () => more.replaceWith(...rest.map(draw)) }, `Show ${rest.length} more`));
  return [list.slice(0, 20).map(draw), rest.length ? more : null];
}

// once lets a function run when nothing has called it for some milliseconds.
export function once(run, wait) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), wait);
  };
}

// steadily lets a function run at once, and again at most every some milliseconds.
export function steadily(run, wait) {
  let timer = 0;
  let last = -Infinity;
  return () => {
    timer ||= setTimeout(() => {
      run();
      last = performance.now();
      timer = 0;
    }, Math.max(0, last + wait - performance.now()));
  };
}

// announce says something to screen readers, politely.
export function announce(text) {
  document.getElementById("said").textContent = text;
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
    const area = h("textarea", { class: "away", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    say(button, document.execCommand("copy") ? "Copied" : "The browser refused");
    area.remove();
  }
}

// say shows on a button for a moment what came of pressing it.
export function say(button, text) {
  button.dataset.name ??= button.textContent;
  button.textContent = text;
  announce(text);
  setTimeout(() => (button.textContent = button.dataset.name), 1500);
}
