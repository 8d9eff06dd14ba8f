package workload

// The texts that records are made of, as JSON writes them.

var (
	vendors = []string{"northwind", "halcyon", "brightwater", "kestrel-ai", "orlo", "tandem", "meridian-labs", "quillon",
		"sable", "verdant",
		"lumen-research", "ostara", "pike-and-ridge", "juniper-systems", "cobaltworks", "fathom", "greyfriar", "isobar",
		"moorhen", "saltmarsh"}
	sizes         = []string{"1b", "3b", "7b", "8b", "13b", "14b", "27b", "32b", "34b", "70b"}
	quantizations = []string{"", "q4_k_m", "fp8-dynamic", "awq-int4", "q8_0"}
	licenses      = []string{"apache-2.0", "mit", "community-licence-3", "research-only"}

	runtimes     = []string{"llama.cpp", "vllm", "sglang", "hosted-inference"}
	adapters     = []string{"openai-chat", "anthropic-messages", "raw-completion", ""}
	tools        = []string{"shell", "edit", "search", "browser", "python", "read-file", "apply-patch"}
	machines     = []string{"workstation", "cloud-gpu", "laptop", ""}
	accelerators = []string{"nvidia-l40s", "nvidia-h100-80gb", "apple-m4-max", ""}
	workflows    = []string{"single-shot", "plan-then-edit", "agent-loop", ""}
	conditions   = []string{"two attempts, tests visible", "one attempt", "with retrieval", ""}

	reasons = []string{"", "", "all checks passed", "two of the hidden tests fail", "output cut off at the token limit",
		"answer is not in the required form"}
	// escapedReasons need escapes, one of them for a letter that could do without.
	escapedReasons = []string{`assertion failed:\n\texpected \"ok\", got \"none\"`, `path C:\\runs\\latest does not exist`,
		`r\u00e9ponse vide`}

	evidenceKinds = []string{"run-log", "structured-row", "leaderboard-export", "grader-transcript"}
	bases         = []string{"single run at temperature 0", "three runs with different seeds",
		"grader checked against a human panel",
		"published table, row read by hand", "hidden tests, not part of any public set", "half of the tasks read by hand",
		"evaluator pinned by version"}
	gaps = []string{"prompt template not published", "hardware of the first attempt unknown",
		"token counts estimated by the adapter",
		"no repetition with another seed", "contamination not examined", "one third of the tasks only",
		"評価環境の詳細は未公開"}
)

// family is a kind of task, with the suites that hold such tasks.
type family struct {
	name      string
	suites    []string
	evaluator string
}

var families = []family{
	{"code-repair", []string{"polyglot-edit", "issue-fix-verified", "bug-hunt-500", "merge-conflicts"},
		"hidden-test-runner"},
	{"code-generation", []string{"function-synthesis", "api-usage", "sql-from-text", "shell-tasks"}, "unit-test-runner"},
	{"mathematics", []string{"word-problems", "olympiad-short", "proof-steps", "numeric-estimates"}, "exact-match"},
	{"reading", []string{"long-documents", "table-questions", "contract-clauses", "multi-hop"}, "rubric-grader"},
	{"tool-use", []string{"calendar-agent", "retail-desk", "file-management", "web-forms"}, "state-checker"},
	{"translation", []string{"news-12-languages", "technical-manuals", "subtitles", "legal-de-en"}, "chrf-scorer"},
	{"safety", []string{"refusal-balance", "injection-resistance", "privacy-probes", "jailbreak-2026"}, "policy-grader"},
	{"extraction", []string{"invoices", "clinical-notes", "resumes", "log-events"}, "field-matcher"},
}

// The keys of measurements.
const (
	keyPass          = "quality.pass"   // sample, boolean
	keyScore         = "quality.score"  // sample, number from 0 to 1
	keyLatency       = "latency.total"  // sample, number
	keyCost          = "cost.total"     // sample, number
	keySuiteTasks    = "suite.tasks"    // fact of an evaluation, number
	keyContextWindow = "context.window" // fact of a declaration, number
	keyPriceInput    = "price.input"    // fact of a declaration, number
	keyTools         = "tools.supported"
	keyLicense       = "license"
)
