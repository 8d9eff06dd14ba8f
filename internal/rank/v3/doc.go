// Package v3 ranks candidates by rank requests of version 3, and says how sure the
// order is.
//
// One principle holds throughout: a request may loosen what evidence it accepts, but
// nothing is mixed, guessed or preferred unless the request says so, and the result
// tells what was done.
//
// # Request
//
// A [Request] (service.rank.request/v3) names candidates, which are models and how they
// are run, and criteria. A criterion reads measurements of one key, or adds up several
// with a factor each. Requirements exclude, preferences score, tie breakers order what
// cannot be told apart, advisories only tell. [ReadRequest] reads a request strictly,
// fills in what it leaves out and puts it into its normal form.
//
// # Value of a criterion
//
// Of the measurements of a candidate's model id, those count that are of the key, unit,
// task and source classes that are asked for (scoped), differ from the candidate in no
// dimension that transfer does not cover (matching), and hold at the catalog's asOf
// (fresh). Those that differ in nothing go before those that are carried over. Facts must
// then have one value, samples be of one group: one model, scope, task family and suite,
// evaluator and source class. As long as they do not, the steps of resolve choose among
// them, one after the other. What is left is the value or, if it is still several, a
// conflict of facts or an ambiguity of samples.
//
// # Estimates
//
// Each number has an estimate: how far it would move if it were measured again on other
// tasks of the kind. What shares luck, as several runs of one task do, counts as one
// cluster. An interval says nothing about what the source measured wrongly.
//
// # Ranking
//
// Scores are sums of weight times position between the ends of a scale. The ends are the
// worst and the best of all candidates, or those that the preference has: then no other
// candidate moves the score. Candidates are walked by score. Each is compared with the
// leader of the current tie group, in pairs where both ran the same tasks; one that
// the evidence can tell from the leader, or of which it cannot tell anything, leads the
// next group. Within a group order is by tie breakers.
//
// # Result
//
// A result (service.rank.result/v3) gives each candidate its rank, tie group, score and
// coverage (the share of the weight for which there is evidence), with the comparison,
// reasons, evidence and uncertainty behind them. It is a function of the catalog's
// content and the normal form of the request alone. The same bytes come out on every
// machine: texts are ordered by UTF-16 code units, numbers are added in one order, and no
// product is fused with a sum.
//
// # An example
//
// Which of two models codes better, by Aider's pass rate and LiveBench's agentic coding,
// each measured with a harness of its own? Where the evidence cannot tell, the one whose
// task of 20,000 tokens in and 3,000 out costs less:
//
//	{ "schemaVersion": "service.rank.request/v3",
//	  "inventory": [
//	    { "id": "gpt-5",  "model": { "id": "openai/gpt-5" }, "execution": { "runtime": { "id": "openrouter" } } },
//	    { "id": "grok-4", "model": { "id": "x-ai/grok-4" },  "execution": { "runtime": { "id": "openrouter" } } } ],
//	  "preferences": [
//	    { "measurementKey": "aider.polyglot.pass_rate_2", "aggregation": "mean", "transfer": ["execution"],
//	      "trials": { "measurementKey": "aider.polyglot.test_cases", "scale": 100 },
//	      "direction": "maximize", "weight": 1, "scale": { "low": 0, "high": 100 } },
//	    { "measurementKey": "livebench.agentic-coding.score", "aggregation": "mean", "transfer": ["execution"],
//	      "direction": "maximize", "weight": 1, "scale": { "low": 0, "high": 100 } } ],
//	  "tieBreakers": [
//	    { "id": "usd-per-task", "direction": "minimize", "sum": [
//	      { "measurementKey": "openrouter.pricing.prompt",     "aggregation": "fact", "factor": 20000 },
//	      { "measurementKey": "openrouter.pricing.completion", "aggregation": "fact", "factor": 3000 } ] } ] }
//
// On the leaderboards of examples/leaderboards gpt-5 scores 0.88 + 0.433 = 1.313 and
// grok-4 0.796 + 0.233 = 1.029. Aider ran 225 tasks with each, so that its rates have
// standard errors of 2.2 and 2.7 points; on LiveBench both ran the same three tasks, and
// the difference between them has one of 8.7 points. The difference of 0.284 has a margin of
// 0.317: the two are tied, and gpt-5 is first because its task costs 0.055 dollars
// instead of 0.105.
package v3
