// What the page says when something does not answer.
import { button, h } from "./dom.js";

// failure says what was asked, and offers to ask again.
export function failure(error, again) {
  return h("div.failure", { role: "alert" },
    h("h2", error.status ? "The server refused" : "The server does not answer"),
    h("p", error.asked && h("code", error.asked), error.status ? ` was answered with ${error.status}: ` : ": ", error.message),
    again && button("Ask again", again));
}
