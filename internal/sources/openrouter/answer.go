package openrouter

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
)

// arenaScores are the scores of a place in one of Design Arena's tables, in canonical order.
var arenaScores = [3]struct{ name, unit string }{{"elo", ""}, {"win_rate", "percent"}, {"rank", ""}}

// isRepeated reports whether a row is a variant, id:free or id:batch, of another of the ids.
func isRepeated(id string, ids map[string]bool) bool {
	i := strings.LastIndexByte(id, ':')
	return i >= 0 && ids[id[:i]]
}

// readAnswer reads { data } or { data, total_count, links: { next: null } }, of which
// readData reads the list and returns how many models it holds. Members of links that are
// not known are added to unknown.
func readAnswer(r *ijson.Reader, unknown map[string]bool, readData func() (models int)) {
	if r.Kind() == '[' {
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be the answer of the API, an object with data: a bare list is what a collector made of it")
		return
	}
	var total uint64
	models := 0
	o := r.Names()
	for o.Next() {
		switch o.Name() {
		case "data":
			models = readData()
		case "total_count":
			total = r.Count()
		case "links":
			links := sources.Members[*ijson.Reader]{"next": readNoNext}.Read(r, r, "links.", unknown)
			links.Demand("next")
		default:
			r.Value()
			r.Fail(o.At(), "", "is not a member of the API's answer: a collector's own envelope is not the answer")
		}
	}
	if r.Faulty() || !o.OK() {
		return
	}
	switch {
	case !o.Seen("data"):
		r.Fail(o.Start(), ".data", "missing field")
	case o.Seen("total_count") != o.Seen("links"):
		r.Fail(o.Start(), "", "must have both of total_count and links, or none")
	case o.Seen("total_count") && total != uint64(models):
		r.FailMember(o.Start(), "total_count", "is %d, but the answer holds %d models: it is not the whole list", total,
			models)
	}
}

func readNoNext(r *ijson.Reader) {
	if at := r.Offset(); !r.Null() {
		r.Value()
		r.Fail(at, "", "must be null: a further page follows, so that this is not the whole list")
	}
}

// The members of an answer that are known, used or not: others are named in a diagnostic.
var (
	modelMembers = names("id context_length top_provider pricing architecture supported_parameters reasoning benchmarks " +
		"alias_target " +
		"canonical_slug hugging_face_id name created description per_request_limits default_parameters supported_voices " +
		"knowledge_cutoff expiration_date links")
	topProviderMembers = names("context_length max_completion_tokens is_moderated")
	// Prices per request, picture or search are none per token, and of those of audio it is not told
	// per what they are.
	pricingMembers = names("prompt completion internal_reasoning input_cache_read input_cache_write " +
		"input_cache_write_1h overrides " +
		"request image audio web_search image_output audio_output input_audio_cache discount")
	architectureMembers = names("input_modalities output_modalities modality tokenizer instruct_type")
	reasoningMembers    = names("supported_efforts default_effort mandatory default_enabled supports_max_tokens")
	benchmarksMembers   = names("artificial_analysis design_arena")
	indexMembers        = names("intelligence_index coding_index agentic_index")
	arenaMembers        = names("arena category elo win_rate rank")
)

// names is a set of names.
func names(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}
