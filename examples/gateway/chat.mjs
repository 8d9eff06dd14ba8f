// Asks the gateway of Portkey, by the file that svc export wrote, and prints the answer:
//
//	npx @portkey-ai/gateway@1.15.2 --headless &
//	OPENROUTER_API_KEY=... OPENAI_API_KEY=... node chat.mjs coding.json "Why is the sky blue?"
//
// The gateway takes its configuration with each request, and looks at no environment. So the keys
// are put in here, in the place of their names. Who has no key is not called.
import { readFileSync } from "node:fs";
import OpenAI from "openai";

const [file, question] = process.argv.slice(2);
const config = JSON.parse(readFileSync(file, "utf8"));
const variables = config.targets.map((target) => target.api_key.slice(1));
config.targets = config.targets.flatMap((target, i) => {
  const key = process.env[variables[i]];
  return key ? [{ ...target, api_key: key }] : [];
});
if (config.targets.length === 0) {
  console.error(`Set the key of a seller: ${[...new Set(variables)].join(" or ")}.`);
  process.exit(1);
}

const client = new OpenAI({
  baseURL: process.env.GATEWAY_URL ?? "http://127.0.0.1:8787/v1",
  apiKey: "unused",
  maxRetries: 0, // the gateway tries others
  defaultHeaders: { "x-portkey-config": JSON.stringify(config) },
});
const answer = await client.chat.completions.create({
  model: "svc", // the gateway replaces it
  messages: [{ role: "user", content: question }],
});
console.log(answer.choices[0].message.content);
