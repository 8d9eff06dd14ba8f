// The address after # holds all state of the page, so that a link shows what its sender
// saw: #/models?q=kimi&sort=price.output, #/model/<key>, #/rank?r=<request>.

let drawn = ""; // the address that the screen was drawn for

// at returns the path and the parameters of the address, of the first screen if it names none.
export function at(first) {
  drawn = location.hash;
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponentOr);
  return { screen: parts[0] || first, rest: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function decodeURIComponentOr(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// to makes an address. Parameters that are empty are left out.
export function to(path, query = {}) {
  const kept = Object.entries(query).filter(([, v]) => (v ?? "") !== "");
  const text = new URLSearchParams(kept)
    .toString()
    .replaceAll("%2C", ",")
    .replaceAll("%2F", "/")
    .replaceAll("%3A", ":");
  return "#/" + path + (text && "?" + text);
}

// toModel is the address of a model, and of what is known of it under a key or by an observation.
export const toModel = (model, key, observation) => to("model/" + model, { k: key, o: observation });

// replace changes the address in place: no screen follows, and "back" leaves the screen. What
// leads to another screen stays, even before that screen is drawn.
export function replace(path, query) {
  if (location.hash !== drawn) return;
  history.replaceState(null, "", to(path, query));
  drawn = location.hash;
}

export const longestLink = 8000;

// pack makes a text of a value that fits an address: gzip in base64url.
export async function pack(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// unpack is the reverse. A link may bring anything: what it unpacks to is bounded.
export async function unpack(text, most = 1 << 20) {
  let size = 0;
  const bound = new TransformStream({
    transform(bytes, next) {
      size += bytes.length;
      if (size > most) throw new Error("the request in the link is larger than " + most + " bytes");
      next.enqueue(bytes);
    },
  });
  return new Response(unzipped(text.replaceAll("-", "+").replaceAll("_", "/")).pipeThrough(bound)).json();
}

// unzipped is what gzip in base64 unpacks to.
export const unzipped = (text) =>
  new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"));
