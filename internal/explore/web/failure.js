// What the page says when something does not answer.
import { button, h } from "./dom.js";

// failure says what was asked, and offers to ask again.
export function failure(error, again) {
  return h(
    "div.failure",
    { role: "alert" },
    h("h2", error.status ? "The server refused" : error.asked ? "The server does not answer" : "This page has a fault"),
    h(
      "p",
      error.asked && h("code", error.asked),
      error.status ? ` was answered with ${error.status}: ` : error.asked ? ": " : "",
      error.message,
    ),
    again && button("Ask again", again),
  );
}
