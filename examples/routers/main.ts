// node main.ts URL REQUEST [SECONDS]: each line of standard input is a job; for each, the
// candidates to try are printed, best first.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { Router } from "./router.ts";

const [url, path, maxAge] = process.argv.slice(2);
if (!url || !path) throw new Error("usage: node main.ts URL REQUEST [SECONDS]");
const router = new Router(url, JSON.parse(readFileSync(path, "utf8")), { maxAge: Number(maxAge ?? 60) });
for await (const job of createInterface({ input: process.stdin })) {
  try {
    const names = (await router.candidates()).map((c) => `${c.id} (${c.model})`);
    console.log(`${job}: ${names.join(", ")}`);
  } catch (reason) {
    console.log(`${job}: nobody: ${(reason as Error).message}`);
  }
  if (router.warning) console.error(`warning: ${router.warning}`);
}
