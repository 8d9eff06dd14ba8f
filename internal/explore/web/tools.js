// What every table, plot and ranking has: a link to it, its numbers as CSV, and print.
import { append, h, button, copy, save, say } from "./dom.js";
import { groupsOf, numberText } from "./text.js";
import { longestLink } from "./address.js";

// tools is a row of buttons. lines returns all rows, the head first.
// hasLink tells whether the address shows all that is on it.
export function tools(name, lines, hasLink = () => true) {
  const link = button("Copy link", () => {
    if (hasLink() && location.href.length <= longestLink) copy(location.href, link);
    else say(link, "Too long: save the request");
  });
  return h(
    "div.tools",
    link,
    lines && button("CSV", async () => save(name + ".csv", csv(await lines()), "text/csv")),
    lines && button("JSON", async () => save(name + ".json", json(await lines()), "application/json")),
    button("Print", () => window.print()),
  );
}

// folds are the groups of a list by what is said of each, the largest first. Those in it are
// drawn at once if they are few, of thousands when they are wanted.
export const folds = (list, says, draw) =>
  [...groupsOf(list, says)]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([text, group]) => {
      const names = h("ul.names");
      const more = group.length - 500;
      const fill = () =>
        names.firstChild ||
        append(names, group.slice(0, 500).map(draw), more > 0 && h("li", `and ${numberText(more)} more`));
      if (group.length < 200) fill();
      return h("details.fold", { ontoggle: fill }, h("summary", `${numberText(group.length)}: ${text}`), names);
    });

// json is an object for each line.
export function json([head, ...lines]) {
  return (
    JSON.stringify(
      lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i] ?? null]))),
      null,
      1,
    ) + "\n"
  );
}

// csv is RFC 4180 with LF. A text that a spreadsheet may take for a formula is quoted, as it is:
// whoever opens the file can have quoted cells taken as text.
export function csv(lines) {
  return lines.map((line) => line.map(cell).join(",")).join("\n") + "\n";
}

function cell(value) {
  const text = String(value ?? "");
  const isFormula = typeof value === "string" && /^[=+\-@\t]/.test(text);
  return isFormula || /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
