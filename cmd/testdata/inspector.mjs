// Runs the inspector's command line many times in one process: starting Node for each
// takes ten times as long as what is asked. The first argument is the module that the
// inspector itself starts for --cli; standard input has the command lines, as JSON.
// Prints, as JSON, what came of each: whether it failed, and what it printed.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const { runCli } = await import(pathToFileURL(process.argv[2]).href);
const { stdout, stderr } = process;
const answer = stdout.write.bind(stdout);
const results = [];
for (const line of JSON.parse(readFileSync(0, "utf8"))) {
  let output = "";
  const keep = (text, ...rest) => {
    output += text;
    rest.findLast((r) => typeof r === "function")?.();
    return true;
  };
  stdout.write = stderr.write = keep;
  let failed = false;
  process.exitCode = 0;
  try {
    await runCli(["node", "mcp-inspector", ...line]);
    failed = process.exitCode !== 0;
  } catch (e) {
    failed = true;
    output += e.message + JSON.stringify(e.envelope ?? null);
  }
  results.push({ failed, output });
}
process.exitCode = 0;
answer(JSON.stringify(results), () => process.exit());
