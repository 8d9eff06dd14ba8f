package agent

// This file is what clients are told of the tools. Their schemas are written by hand: strict
// clients refuse what is inferred from Go types. Answers are one text, so they have no schema.

// Pieces of schemas.
const (
	textPart    = `{"type":"string"}`
	textsPart   = `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`
	boundsPart  = `{"type":"object","additionalProperties":{"anyOf":[{"type":"number"},{"type":"string"}]}}`
	demandsPart = `{"type":"object","additionalProperties":{"anyOf":[{"type":"boolean"},{"type":"string"}]}}`

	pagePart = `"limit":{"type":"integer","minimum":1,"maximum":100},"cursor":` + textPart
	taskPart = `"tokens":{"type":"string","description":"Of a task: input/output, such as 3k/500"},"cached":` + textPart +
		`,"requests":{"type":"integer","minimum":1,"description":"How many tasks"}`
	runtimesPart = `"runtimes":` + textsPart
	wherePart    = `"atLeast":` + boundsPart + `,"atMost":` + boundsPart + `,"require":` + demandsPart
	askedPart    = `"maximize":` + textsPart + `,"minimize":` + textsPart + `,` + wherePart + `,"models":` + textsPart +
		`,` + runtimesPart + `,"cheapest":{"type":"boolean","description":"Take the cheapest of those near the best"},` +
		`"within":{"anyOf":[{"type":"number"},{"type":"string"}],"description":"How near, such as 5%"},"weights":` +
		`{"type":"object","additionalProperties":{"type":"number"}},"all":{"type":"boolean","description":` +
		`"Also models that lack some of the keys"},"services":` + textsPart + `,"sellerPolicy":{"type":"string","enum":` +
		`["first-party","major","any"]},"measuredCost":` + textPart + `,"trials":{"type":"object",` +
		`"additionalProperties":{"type":"string"}},"confidence":{"anyOf":[{"type":"number"},{"type":"string"}]},"target":` +
		`{"type":"string","enum":["benchmark","tasks"]},` + taskPart +
		`,"request":{"type":"object","description":"Instead of all these: a whole service.rank.request"}`
)

// object is the schema of an object.
func object(properties string, required string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`
}

func (a *Agent) tools() []tool {
	list := []tool{
		{
			name: "find", title: "Find models, values and keys",
			description: `Finds models by words of the id, provider, key and bounds, with counts by maker, provider and key. ` +
				`With model or key it gives the values, with "by":"key" the keys that there are. ` +
				`Example: {"query":"kimi","key":"limits.context","require":{"capability.tools":true}}`,
			input: object(`"query":`+textPart+`,"model":`+textPart+`,"key":{"type":"string","description":"A part of a key"},`+
				`"runtime":`+textPart+`,"by":{"type":"string","enum":["model","key"]},"state":{"type":"string","enum":`+
				`["any","expired","conflict"]},`+wherePart+`,"evidence":{"type":"boolean","description":"Give addresses"},`+
				pagePart, ``),
			call: a.find,
		},
		{
			name: "rank", title: "Rank candidates",
			description: `Says whom to take and why: models by what is preferred, of those that meet what is required. ` +
				`Example: {"maximize":"livebench.coding.score","atMost":{"price.output":"5/M"},"cheapest":true}`,
			input: object(askedPart+`,"excluded":{"type":"boolean","description":"List who is excluded, and why"},`+
				pagePart, ``),
			call: a.rank,
		},
		{
			name: "compare", title: "Compare a few models",
			description: `Holds 2 to 6 models against each other, key by key, and says who is shown to be better. ` +
				`Example: {"models":["acme/atlas","acme/nova"],"key":"coding"}`,
			input: object(`"models":`+textsPart+`,"key":`+textPart+`,`+runtimesPart+`,`+taskPart+`,`+pagePart, `"models"`),
			call:  a.compare,
		},
		{
			name: "price", title: "Compare prices of providers",
			description: `Says what a task costs at everybody who sells a model, the cheapest first, and how to call it ` +
				`there. Example: {"models":"acme/atlas","tokens":"3k/500","requests":1000000}`,
			input: object(`"models":`+textsPart+`,`+runtimesPart+`,`+taskPart+`,`+pagePart, `"models"`),
			call:  a.price,
		},
		{
			name: "explain", title: "Explain one candidate",
			description: `Says how one candidate of rank came out, by criterion, with its evidence: give the arguments of ` +
				`rank and the candidate. Example: {"maximize":"livebench.coding.score","candidate":"atlas"}`,
			input: object(askedPart+`,"candidate":`+textPart+`,"full":{"type":"boolean","description":"Give the whole record"}`,
				`"candidate"`),
			call: a.explain,
		},
	}
	return append(list, a.newsTools()...)
}

// newsTools are the tools about time.
func (a *Agent) newsTools() []tool {
	return []tool{
		{
			name: "what_changed", title: "Say what changed",
			description: `Lists what changed since a date: what ended, changed, expired, and then what is new. ` +
				`Example: {"since":"2026-07-01","key":"price","kind":"facts"}`,
			input: object(`"since":{"type":"string","description":"A date"},"key":`+textPart+`,"model":`+textPart+
				`,"kind":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string","enum":["models","facts",`+
				`"samples","conflicts"]}}]},`+pagePart, ``),
			call: a.whatChanged,
		},
		{
			name: "expiring", title: "Say what ends soon",
			description: `Lists offers that end until a date, and then values that expire unless they are stated again. ` +
				`Example: {"before":"2027-01-31","key":"lifecycle"}`,
			input: object(`"before":{"type":"string","description":"A date"},"key":`+textPart+`,"model":`+textPart+
				`,"runtime":`+textPart+`,`+pagePart, `"before"`),
			call: a.expiring,
		},
	}
}
