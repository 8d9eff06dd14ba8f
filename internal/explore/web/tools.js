// What every table, plot and ranking has: a link to it, its numbers as CSV, and print.
import { h, button, copy, save, say } from "./dom.js";
import { longestLink } from "./address.js";

// tools is a row of buttons. lines returns the rows that are on the screen, the head first.
// hasLink tells whether the address shows all that is on it.
export function tools(name, lines, hasLink = () => true) {
  const link = button("Copy link", () => {
    if (hasLink() && location.href.length <= longestLink) copy(location.href, link);
    else say(link, "Too long: save the request");
  });
  return h("div.tools",
    link,
    lines && button("CSV", () => save(name + ".csv", csv(lines()), "text/csv")),
    button("Print", () => window.print()));
}

// csv is RFC 4180 with LF. A text that a spreadsheet would take for a formula gets an
// apostrophe in front.
export function csv(lines) {
  return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
}

function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  let text = String(value);
  if (/^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
