// Asks svc serve which model to take, with the types that openapi-typescript makes of
// docs/openapi/catalog.yaml. A slip in the request is found before it is sent:
//
//   npx openapi-typescript docs/openapi/catalog.yaml -o examples/clients/catalog.ts
//   npx tsc --strict --target es2022 --module es2022 --moduleResolution bundler examples/clients/client.ts
//   svc serve --catalog catalog.json &
//   node examples/clients/client.js http://127.0.0.1:4244

import type { components } from "./catalog";

type Request = components["schemas"]["RankRequestV3"];
type Result = components["schemas"]["RankResultV3"];
type Models = components["schemas"]["Models"];
type Failure = components["schemas"]["Error"];

declare const process: { argv: string[]; exitCode?: number };

const request: Request = {
  schemaVersion: "service.rank.request/v3",
  inventory: [
    { id: "gpt-5", model: { id: "openai/gpt-5" }, execution: { runtime: { id: "openrouter" } } },
    { id: "grok-4", model: { id: "x-ai/grok-4" }, execution: { runtime: { id: "openrouter" } } },
  ],
  preferences: [
    {
      measurementKey: "aider.polyglot.pass_rate_2",
      aggregation: "mean",
      transfer: ["execution"],
      resolve: ["newest"],
      direction: "maximize",
      weight: 1,
    },
  ],
};

async function main(url: string): Promise<void> {
  const models = (await (await fetch(url + "/v1/models")).json()) as Models;
  console.log(`${models.models.length} models as of ${models.catalog.asOf}`);
  const answer = await fetch(url + "/v1/rank", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  if (answer.status !== 200) {
    const failure = (await answer.json()) as Failure;
    console.error(`${failure.error.code}: ${failure.error.message}`);
    process.exitCode = 1;
    return;
  }
  const result = (await answer.json()) as Result;
  for (const candidate of result.ranked) {
    console.log(`${candidate.rank} ${candidate.candidateId}: ${candidate.score} of ${result.scoreScale.maximum}`);
  }
  for (const candidate of result.excluded) {
    console.log(`excluded: ${candidate.candidateId}, ${candidate.reasons.map((reason) => reason.code).join(", ")}`);
  }
}

main(process.argv[2] ?? "http://127.0.0.1:4244");
