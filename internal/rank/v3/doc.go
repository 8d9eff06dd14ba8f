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
// with a factor each. Requirements exclude, preferences score, tie breakers order equal
// scores and price the choice. [ReadRequest] reads a request strictly, fills in what it
// leaves out and puts it into its normal form.
//
// # Value of a criterion
//
// Of the measurements of a candidate's model id, those count that are of the key, unit,
// task and source classes that are asked for (scoped), differ from the candidate in no
// dimension that transfer does not cover (matching), and hold at the catalog's asOf
// (fresh). For each task those that differ in nothing go before those that are carried
// over. Facts must then have one value, samples be of one group: one model, scope, task
// family and suite, evaluator and source class. As long as they do not, the steps of
// resolve choose one after the other. What is left is the value or, if it is still several,
// a conflict of facts or an ambiguity of samples. A mean is that of the tasks: repeated
// runs of a task count once.
//
// # Estimates
//
// Each number has an estimate with an interval, at the confidence of the request. About
// the benchmark itself (target benchmark) it comes from the number of questions, which
// the dictionary of keys says; about other tasks of the kind (target tasks), and where
// nobody knows that number, from the spread between the tasks. The formulas are those of
// package statistics. An interval says nothing about what the source measured wrongly.
//
// # Order and choice
//
// Scores are sums of weight times position between the ends of a scale. The ends are the
// worst and the best of all candidates, or those that the preference has: then no other
// candidate moves the score. Order is by score alone, so that a candidate that leaves
// never turns two others around; equal scores are ordered by tie breakers, then by id.
// The evidence says where a rank lies: every two candidates are compared, in pairs where
// both ran the same tasks.
//
// The choice is the best by the choice's criterion, such as cost, of those whose score is
// within its tolerance of the best score. The result says which candidates no other beats
// in score and cost at once, what would flip the choice, and how many more questions
// would show the best to be better.
//
// # Result
//
// A result (service.rank.result/v3) begins with the answer in sentences, which are made
// here once for terminal, page and agents. It is a function of the catalog's content and
// the normal form of the request alone. The same bytes come out on every machine: texts
// are ordered by UTF-16 code units, numbers are added in one order, and no product is
// fused with a sum.
//
// # An example
//
// Which of two models codes better, by Aider's pass rate, and of good ones which costs
// least for a task of 20,000 tokens in and 3,000 out?
//
//	{ "schemaVersion": "service.rank.request/v3",
//	  "inventory": [
//	    { "id": "gpt-5",  "model": { "id": "openai/gpt-5" }, "execution": { "runtime": { "id": "openrouter" } } },
//	    { "id": "grok-4", "model": { "id": "x-ai/grok-4" },  "execution": { "runtime": { "id": "openrouter" } } } ],
//	  "preferences": [
//	    { "measurementKey": "aider.polyglot.pass_rate_2", "aggregation": "mean", "transfer": ["execution"],
//	      "direction": "maximize", "weight": 1, "scale": { "low": 0, "high": 100 } } ],
//	  "tieBreakers": [
//	    { "id": "usd-per-task", "direction": "minimize", "sum": [
//	      { "measurementKey": "price.input",     "aggregation": "fact", "factor": 20000 },
//	      { "measurementKey": "price.output", "aggregation": "fact", "factor": 3000 } ] } ],
//	  "choice": { "within": 0.03, "by": "usd-per-task" },
//	  "keys": [
//	    { "key": "aider.polyglot.pass_rate_2", "bounds": { "low": 0, "high": 100 },
//	      "size": { "trials": "aider.polyglot.test_cases" } } ] }
//
// On the leaderboards of examples/leaderboards gpt-5 has 88% and grok-4 79.6% of 225
// questions: 83.1% to 91.6%, and 73.9% to 84.3%. The difference of 8.4 points is shown
// (Newcombe's interval is 1.6 to 15.2 points), so gpt-5 is first and grok-4 second by the
// evidence, too. No other is within 3 points, so gpt-5 is chosen.
package v3
