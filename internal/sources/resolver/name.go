package resolver

import (
	"regexp"
	"slices"
	"strings"
)

// parts are what a name was taken apart into.
type parts struct {
	name     string   // what is left, in normal form
	owners   []string // segments of a path before it that may be makers, the nearest last
	maker    string   // that the name begins with
	region   string
	services []string
	budget   bool // a number behind a colon
	alias    bool
}

func (p *parts) serve(service string) {
	if service != "" && !slices.Contains(p.services, service) {
		p.services = append(p.services, service)
	}
}

var (
	cloudRegion = regexp.MustCompile(`^(?:us|eu|ap|ca|sa|me|af|il|mx|cn)(?:-gov)?-(?:north|south|east|west|central|` +
		`northeast|northwest|southeast|southwest)-?\d$`)
	commitment  = regexp.MustCompile(`^(\d+)-month-commitment$`)
	hostVersion = regexp.MustCompile(`^(.+)-(v?)(\d+):(\d+)(?::[0-9a-z]+)?$`)
	minorEnd    = regexp.MustCompile(`-v\d$`)
	dateEnd     = regexp.MustCompile(`-\d{8}$`)
	budget      = regexp.MustCompile(`^\d{3,}$`)
	digits      = regexp.MustCompile(`^\d+$`)
	dotted      = regexp.MustCompile(`^([a-z0-9-]+)\.(.+)$`)
	regions     = []string{"us", "eu", "apac", "au", "jp", "ca", "global", "regional", "us-gov"}
	// what Azure calls regions
	fleets   = map[string]string{"global-standard": "global", "us-standard": "us", "eu-standard": "eu"}
	wrappers = []string{"@cf", "@hf", "workers-ai", "accounts", "models", "routers", "pro", "hf", "deployments",
		"endpoints", "publishers"}
	tagServices = []string{"free", "batch", "flex", "priority", "thinking", "online", "extended", "nitro", "floor",
		"exacto", "fast", "beta", "tee"}
	ignoredTags  = []string{"cloud", "latest", "default", "discounted", "minimal", "low", "medium", "high", "xhigh", "max"}
	formatSuffix = regexp.MustCompile(`^(.+?)[-.@](fp4|fp8|fp16|bf16|nvfp4|mxfp4?|int4|int8|awq|gptq|gguf|[2-8]bit|` +
		`q[2-8](?:-k)?(?:-[a-z])?|iq\d(?:-[a-z]+)*|w\d+a\d+)(?:-(?:dynamic|block|tput|throughput|latest|turbo|mtp|` +
		`mixed-ar))?$`)
)

// takeApart takes what does not name the model off a name: wrappers, regions, tags and
// the segments of a path.
func takeApart(id string) *parts {
	p := &parts{}
	text := strings.ToLower(strings.TrimSpace(id))
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		p.alias, text = true, rest
	}
	text = strings.TrimPrefix(text, "hf:")
	segments := strings.Split(text, "/")
	for _, s := range segments[:len(segments)-1] {
		switch m := commitment.FindStringSubmatch(s); {
		case m != nil:
			p.serve("commitment-" + m[1] + "m")
		case slices.Contains(regions, s) || cloudRegion.MatchString(s):
			p.region = s
		case fleets[s] != "":
			p.region = fleets[s]
		case s == "tee":
			p.serve("tee")
		case slices.Contains(wrappers, s) || s == "":
		default:
			p.owners = append(p.owners, hyphenated(s))
		}
	}
	p.name = p.untagged(segments[len(segments)-1])
	return p
}

// untagged takes what stands behind colons off the last segment.
func (p *parts) untagged(name string) string {
	if m := hostVersion.FindStringSubmatch(name); m != nil {
		return withoutHostVersion(m[1], m[2], m[3], m[4])
	}
	if strings.HasPrefix(name, "ft:") {
		return name
	}
	name, tags, _ := strings.Cut(name, ":")
	for tag := range strings.SplitSeq(tags, ":") {
		switch {
		case tag == "" || slices.Contains(ignoredTags, tag):
		case slices.Contains(tagServices, tag):
			p.serve(tag)
		case budget.MatchString(tag):
			p.budget = true
		case digits.MatchString(tag):
		default:
			name += "-" + tag
		}
	}
	return name
}

// withoutHostVersion returns a name without the version that Bedrock gives all its models,
// v1:0, and with the version of the model where that stands in its place: v2:1 is 2.1.
func withoutHostVersion(name, v, major, minor string) string {
	switch {
	case minor != "0":
		return name + "-v" + major + "." + minor
	case v == "" && minorEnd.MatchString(name): // rerank-v3-5:0
		return name + "." + major
	case major != "1" && !dateEnd.MatchString(name), strings.HasSuffix(name, "claude"):
		return name + "-v" + major
	}
	return name
}

// cutDots takes regions and makers off the beginning that are followed by a dot:
// us.anthropic.claude.
func (p *parts) cutDots(makers map[string]string) {
	for {
		m := dotted.FindStringSubmatch(p.name)
		switch {
		case m == nil:
			return
		case slices.Contains(regions, m[1]):
			p.region = m[1]
		case makers[m[1]] != "":
			p.maker = makers[m[1]]
		default:
			return
		}
		p.name = m[2]
	}
}

// hyphenated is a text with one hyphen for what separates words.
func hyphenated(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("_ -()[]'+,", r) })
	return strings.Join(fields, "-")
}

var (
	pDecimal   = regexp.MustCompile(`(\d)p(\d)`)
	decimalB   = regexp.MustCompile(`(\d)_(\d+b)\b`) // 10_7b
	atRevision = regexp.MustCompile(`@(\d{8}|latest|default)$`)
	wordNumber = regexp.MustCompile(`^([a-z]{2,})(\d.*)$`)
	version    = regexp.MustCompile(`^(?:[a-z]?[1-9]\d?)$`)
	minor      = regexp.MustCompile(`^(?:0|[1-9]\d?)v?$`)
	zeroMinor  = regexp.MustCompile(`(^|[^\d.])(\d+)\.0($|[^\d.])`)
)

// normalForm spells a name as all are spelled: lower case, hyphens between words, a dot in
// versions, no hyphen within a word and its number where families join them.
func normalForm(s string) string {
	s = decimalB.ReplaceAllString(s, "$1.$2")
	s = hyphenated(strings.TrimSuffix(strings.ReplaceAll(atRevision.ReplaceAllString(s, "-$1"), "@", "-"), "-default"))
	s = pDecimal.ReplaceAllString(s, "$1.$2")
	var words []string
	for word := range strings.SplitSeq(s, "-") {
		if m := wordNumber.FindStringSubmatch(word); m != nil && !formatSuffix.MatchString("x-"+word) {
			words = append(words, m[1], m[2])
			continue
		}
		words = append(words, word)
	}
	for i := 0; i+1 < len(words); i++ { // 4-5 is 4.5
		if version.MatchString(words[i]) && minor.MatchString(words[i+1]) && !isDay(words[i], words[i+1]) {
			words[i] += "." + words[i+1]
			words = slices.Delete(words, i+1, i+2)
		}
	}
	s = strings.Join(words, "-")
	for zeroMinor.MatchString(s) {
		s = zeroMinor.ReplaceAllString(s, "$1$2$3")
	}
	return s
}

// isDay reports whether two numbers are a month and a day, with two digits each.
func isDay(month, day string) bool {
	return len(month) == 2 && len(day) == 2 && month <= "12"
}

// spelled writes a name as its maker does: qwen3.5 is joined with its number, and the
// version of gemini-2.0 has a point.
func (t *tables) spelled(name string) string {
	for _, family := range t.joined {
		if rest, ok := strings.CutPrefix(name, family+"-"); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return family + rest
		}
	}
	for _, family := range t.pointed {
		if rest, ok := strings.CutPrefix(name, family); ok && (rest == "" || rest[0] == '-') {
			return family + ".0" + rest
		}
	}
	return name
}

// revisions are how names end in dates and other numbers of snapshots, the longest first.
var revisions = []*regexp.Regexp{
	regexp.MustCompile(`^(.+)-(20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01]))$`),
	regexp.MustCompile(`^(.+)-((?:0[1-9]|1[0-2])-20\d\d)$`),
	regexp.MustCompile(`^(.+)-(20\d\d-(?:0[1-9]|1[0-2]))$`),
	regexp.MustCompile(`^(.+)-(2[3-9](?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$`),
	regexp.MustCompile(`^(.+)-((?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))$`),
	regexp.MustCompile(`^(.+)-((?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$`),
	regexp.MustCompile(`^(.+)-(2[3-9](?:0[1-9]|1[0-2]))$`),
	regexp.MustCompile(`^((?:gemini|mistral|codestral|jamba)-.+|(?:chat|text|code|codechat)-bison.*|(?:code|` +
		`textembedding)-gecko.*|text-unicorn|multimodalembedding)-(00\d)$`),
	regexp.MustCompile(`^(mi[sx]tral-.+)-(v0\.\d)$`),
}

// cutRevision takes a revision off the end of a name.
func cutRevision(name string) (rest, revision string) {
	if !strings.ContainsAny(name[len(name)-min(1, len(name)):], "0123456789") {
		return name, ""
	}
	for _, pattern := range revisions {
		if m := pattern.FindStringSubmatch(name); m != nil {
			return m[1], m[2]
		}
	}
	return name, ""
}
