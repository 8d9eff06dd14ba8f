package compare_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// object is any JSON object.
type object = comparetest.Object

// oracle compares two catalogs by the letter of the specification, with generic JSON,
// maps and no thought of time: every rule is written again, in another way.

type oracleSide struct {
	asOf string
	doc  object
	obs  map[string]object   // by id
	slot map[string][]string // slot hash to "observation id \x00 canonical value \x00 unit"
	name map[string]object   // slot hash to its scope
	grp  map[string][]sampled
	conf map[string]object
	of   map[string]string // the model of an id, a slot and a group, as canonical JSON
}

type sampled struct {
	id    string
	value any
	unit  any
}

func tree(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func text(v any) string { return string(canonical.MustMarshal(v)) }

func newOracleSide(t testing.TB, c *catalog.Catalog) *oracleSide {
	s := &oracleSide{asOf: c.AsOf(), doc: tree(t, c.Serialize()).(object), obs: map[string]object{}, slot: map[string][]string{}, name: map[string]object{}, grp: map[string][]sampled{}, conf: map[string]object{}, of: map[string]string{}}
	for _, m := range s.doc["models"].([]any) {
		for _, o := range m.(object)["observations"].([]any) {
			o := o.(object)
			id := o["id"].(string)
			s.obs[id] = o
			model := text(o["model"])
			s.of[id] = model
			for _, x := range o["measurements"].([]any) {
				x := x.(object)
				if x["kind"] == "fact" {
					scope := object{"model": o["model"], "execution": o["execution"], "task": o["task"], "measurementKey": x["key"]}
					hash := canonical.Sum([]byte(text(scope)))
					s.name[hash], s.of[hash] = scope, model
					s.slot[hash] = append(s.slot[hash], id+"\x00"+text(x["value"])+"\x00"+text(x["unit"]))
					continue
				}
				family, suite := any(nil), any(nil)
				if task, ok := o["task"].(object); ok {
					family, suite = task["family"], task["suite"]
				}
				group := text([]any{o["model"], x["key"], object{"execution": o["execution"], "family": family, "suite": suite}})
				s.of[group] = model
				s.grp[group] = append(s.grp[group], sampled{id, x["value"], x["unit"]})
			}
		}
	}
	for _, c := range s.doc["conflicts"].([]any) {
		s.conf[c.(object)["key"].(string)] = c.(object)
	}
	return s
}

func (s *oracleSide) holds(id string) bool {
	o, ok := s.obs[id]
	if !ok {
		return false
	}
	f := o["freshness"].(object)
	until, _ := f["validUntil"].(string)
	return f["observedAt"].(string) <= s.asOf && (until == "" || until > s.asOf)
}

func (s *oracleSide) used(id string) bool {
	if !s.holds(id) {
		return false
	}
	outcome, _ := s.obs[id]["outcome"].(object)
	return outcome["status"] != "invalid"
}

// state returns the state of a slot, what says so, and which observations.
func (s *oracleSide) state(hash string) (state string, pairs map[string]bool, ids []string) {
	latest := ""
	for _, f := range s.slot[hash] {
		latest = max(latest, s.obs[f[:64]]["freshness"].(object)["observedAt"].(string))
	}
	for _, expired := range []bool{false, true} {
		pairs, ids = map[string]bool{}, nil
		for _, f := range s.slot[hash] {
			id := f[:64]
			if s.holds(id) && !expired || expired && s.obs[id]["freshness"].(object)["observedAt"] == latest {
				pairs[f[65:]] = true
				ids = append(ids, id)
			}
		}
		switch {
		case expired && len(ids) > 0:
			return "expired", pairs, ids
		case len(pairs) > 1:
			return "conflict", pairs, ids
		case len(pairs) == 1:
			return "value", pairs, ids
		}
	}
	return "absent", nil, nil
}

// fact is a slot as the record has it.
func (s *oracleSide) fact(t testing.TB, hash string) any {
	state, pairs, ids := s.state(hash)
	if state == "absent" {
		return nil
	}
	var values []any
	for pair := range pairs {
		value, unit, _ := strings.Cut(pair, "\x00")
		values = append(values, object{"value": tree(t, value), "unit": tree(t, unit)})
	}
	rank := func(v any) string { // a text in the order of values
		value, unit := v.(object)["value"], text(v.(object)["unit"])
		if unit == "null" {
			unit = ""
		}
		switch x := value.(type) {
		case bool:
			return fmt.Sprint("0", x, unit)
		case json.Number:
			f, _ := x.Float64()
			bits := math.Float64bits(f)
			if f < 0 {
				bits = ^bits
			} else {
				bits |= 1 << 63
			}
			return fmt.Sprintf("1%016x%s", bits, unit)
		}
		return fmt.Sprintf("2%s\x01%s", value, unit)
	}
	sort.Slice(values, func(i, k int) bool { return rank(values[i]) < rank(values[k]) })
	sort.Slice(ids, func(i, k int) bool {
		a, b := s.obs[ids[i]]["freshness"].(object)["observedAt"].(string), s.obs[ids[k]]["freshness"].(object)["observedAt"].(string)
		return a > b || a == b && ids[i] < ids[k]
	})
	var witnesses []any
	for _, id := range ids[:min(4, len(ids))] {
		o := s.obs[id]
		var links []any
		for _, e := range o["evidence"].([]any)[:min(4, len(o["evidence"].([]any)))] {
			links = append(links, object{"id": e.(object)["id"], "uri": e.(object)["uri"]})
		}
		f := o["freshness"].(object)
		witnesses = append(witnesses, object{"id": id, "observedAt": f["observedAt"], "validUntil": f["validUntil"], "sourceClass": o["sourceClass"], "evidence": links})
	}
	return object{"state": state, "values": values[:min(16, len(values))], "valueCount": len(values), "observations": witnesses, "observationCount": len(ids)}
}

var factTable = map[string]string{
	"absent expired": "backfilled", "absent value": "added", "absent conflict": "contradicted",
	"expired absent": "removed", "expired value": "renewed", "expired conflict": "contradicted",
	"value absent": "removed", "value expired": "expired", "value conflict": "contradicted",
	"conflict absent": "removed", "conflict expired": "expired", "conflict value": "settled",
}

// aggregate is a group as the record has it.
func (s *oracleSide) aggregate(group string) (out any, used []string) {
	var values []any
	units := map[string]any{}
	for _, x := range s.grp[group] {
		if s.used(x.id) {
			used = append(used, x.id)
			values = append(values, x.value)
			units[text(x.unit)] = x.unit
		}
	}
	if len(s.grp[group]) == 0 {
		return nil, nil
	}
	a := object{"n": len(values), "unit": nil, "mean": nil, "min": nil, "max": nil, "successRate": nil}
	trues, numbers := 0, []float64{}
	booleans := len(values) > 0
	for _, v := range values {
		switch x := v.(type) {
		case bool:
			if x {
				trues++
			}
			continue
		case json.Number:
			f, _ := x.Float64()
			numbers = append(numbers, f)
		}
		booleans = false
	}
	if booleans {
		a["successRate"] = float64(trues) / float64(len(values))
	}
	if len(units) == 1 {
		for _, unit := range units {
			a["unit"] = unit
		}
		if len(numbers) == len(values) {
			a["min"], a["max"] = slices.Min(numbers), slices.Max(numbers)
			const exact = 4096 // bits
			total := new(big.Float).SetPrec(exact)
			for _, f := range numbers {
				total.Add(total, big.NewFloat(f))
			}
			if sum, _ := total.Float64(); !math.IsInf(sum, 0) {
				a["mean"] = sum / float64(len(numbers))
			}
		}
	}
	return a, used
}

func count(c any, name string, by int) { c.(object)[name] = c.(object)[name].(int) + by }

func zeros(names string) object {
	o := object{}
	for _, name := range strings.Fields(names) {
		o[name] = 0
	}
	return o
}

// oracleDiff is the record without a limit.
func oracleDiff(t testing.TB, before, after *catalog.Catalog) object {
	old, new := newOracleSide(t, before), newOracleSide(t, after)
	summary := object{
		"models": zeros("added removed silenced revived changed"), "observations": zeros("added removed agedOut"),
		"facts":   zeros("added backfilled changed contradicted expired reaffirmed removed renewed settled"),
		"samples": zeros("added changed expired reaffirmed removed"), "conflicts": zeros("arisen ended changed"), "rankings": 0,
	}
	models := map[string]object{} // identities by key
	in := [2]map[string]bool{{}, {}}
	for i, s := range []*oracleSide{old, new} {
		for _, m := range s.doc["models"].([]any) {
			key := m.(object)["key"].(string)
			models[key], in[i][key] = m.(object)["identity"].(object), true
		}
	}
	list := []any{}
	for key, identity := range models {
		both := in[0][key] && in[1][key]
		model := text(identity)
		n := object{"old": 0, "new": 0, "holdingOld": 0, "holdingNew": 0, "added": 0, "removed": 0, "agedOut": 0}
		ids := map[string]bool{}
		for i, s := range []*oracleSide{old, new} {
			for id := range s.obs {
				if s.of[id] != model {
					continue
				}
				ids[id] = true
				count(n, []string{"old", "new"}[i], 1)
				if s.holds(id) {
					count(n, []string{"holdingOld", "holdingNew"}[i], 1)
				}
			}
		}
		for id := range ids {
			switch {
			case old.obs[id] == nil:
				count(n, "added", 1)
			case new.obs[id] == nil:
				count(n, "removed", 1)
			case old.holds(id) && !new.holds(id):
				count(n, "agedOut", 1)
			}
		}
		for _, name := range []string{"added", "removed", "agedOut"} {
			count(summary["observations"], name, n[name].(int))
		}

		facts := []any{}
		slots := map[string]object{}
		for _, s := range []*oracleSide{old, new} {
			for hash, scope := range s.name {
				if s.of[hash] == model {
					slots[hash] = scope
				}
			}
		}
		for hash, scope := range slots {
			was, pairs, said := old.state(hash)
			is, pairsNow, says := new.state(hash)
			change := factTable[was+" "+is]
			ratio := any(nil)
			sort.Strings(said)
			sort.Strings(says)
			switch {
			case was == "value" && is == "value" && text(pairs) != text(pairsNow):
				change = "changed"
				for a := range pairs {
					for b := range pairsNow {
						x, unit, _ := strings.Cut(a, "\x00")
						y, unitNow, _ := strings.Cut(b, "\x00")
						fx, ok := tree(t, x).(json.Number)
						fy, okNow := tree(t, y).(json.Number)
						if ok && okNow && unit == unitNow && fx != "0" {
							p, _ := fx.Float64()
							q, _ := fy.Float64()
							switch {
							case math.Abs(q-p) <= 1e-9*max(math.Abs(p), math.Abs(q)):
								change = "reaffirmed"
							case !math.IsInf(q/p, 0):
								ratio = q / p
							}
						}
					}
				}
			case was == "value" && is == "value" && !slices.Equal(said, says):
				change = "reaffirmed"
			case was == "conflict" && is == "conflict" && text(pairs) != text(pairsNow):
				change = "contradicted"
			}
			holding := map[bool]string{true: is, false: was}[!in[0][key]]
			switch {
			case both && change != "":
				count(summary["facts"], change, 1)
			case !both && (holding == "value" || holding == "conflict"):
				change = map[bool]string{true: "added", false: "removed"}[!in[0][key]]
			case !both:
				change = ""
			}
			if change != "" && change != "reaffirmed" {
				facts = append(facts, object{"slot": hash, "measurementKey": scope["measurementKey"], "execution": scope["execution"], "task": scope["task"],
					"change": change, "ratio": ratio, "old": old.fact(t, hash), "new": new.fact(t, hash)})
			}
		}
		sortBy(facts, func(o object) []string { return []string{o["measurementKey"].(string), o["slot"].(string)} })

		samples := []any{}
		groups := map[string]bool{}
		for _, s := range []*oracleSide{old, new} {
			for group := range s.grp {
				if s.of[group] == model {
					groups[group] = true
				}
			}
		}
		for group := range groups {
			a, used := old.aggregate(group)
			b, uses := new.aggregate(group)
			sort.Strings(used)
			sort.Strings(uses)
			none := object{"n": 0, "unit": nil, "mean": nil, "min": nil, "max": nil, "successRate": nil}
			effective := func(v any) string {
				if v == nil {
					v = none
				}
				return text(v)
			}
			if effective(a) == effective(b) {
				if !slices.Equal(used, uses) && both {
					count(summary["samples"], "reaffirmed", 1)
				}
				continue
			}
			change := "changed"
			switch {
			case len(used) == 0:
				change = "added"
			case len(uses) == 0 && b == nil:
				change = "removed"
			case len(uses) == 0:
				change = "expired"
			}
			if both {
				count(summary["samples"], change, 1)
			}
			came, went, aged := 0, 0, 0
			for _, id := range uses {
				if old.obs[id] == nil {
					came++
				}
			}
			for _, id := range used {
				switch {
				case new.obs[id] == nil:
					went++
				case !new.holds(id):
					aged++
				}
			}
			name := tree(t, group).([]any)
			rest := name[2].(object)
			samples = append(samples, object{"measurementKey": name[1], "execution": rest["execution"], "family": rest["family"], "suite": rest["suite"],
				"came": came, "went": went, "agedOut": aged, "old": a, "new": b})
		}
		sortBy(samples, func(o object) []string {
			return []string{o["measurementKey"].(string), text(object{"execution": o["execution"], "family": o["family"], "suite": o["suite"]})}
		})

		conflicts := []any{}
		for _, hash := range sortedKeys(old.conf, new.conf) {
			a, b := old.conf[hash], new.conf[hash]
			entry := object{"key": hash, "old": nil, "new": nil}
			switch {
			case a != nil && a["modelKey"] != key || b != nil && b["modelKey"] != key:
				continue
			case a == nil:
				entry["change"], entry["measurementKey"], entry["new"] = "arisen", b["measurementKey"], b["values"]
			case b == nil:
				entry["change"], entry["measurementKey"], entry["old"] = "ended", a["measurementKey"], a["values"]
			case text(a["values"]) != text(b["values"]):
				entry["change"], entry["measurementKey"], entry["old"], entry["new"] = "changed", a["measurementKey"], a["values"], b["values"]
			default:
				continue
			}
			count(summary["conflicts"], entry["change"].(string), 1)
			conflicts = append(conflicts, entry)
		}

		change, alike := "", []any{}
		switch {
		case !in[0][key]:
			change = "added"
		case !in[1][key]:
			change = "removed"
		case n["holdingOld"].(int) > 0 && n["holdingNew"].(int) == 0:
			change = "silenced"
		case n["holdingOld"].(int) == 0 && n["holdingNew"].(int) > 0:
			change = "revived"
		case len(facts)+len(samples)+len(conflicts) > 0:
			change = "changed"
		}
		if change == "" {
			continue
		}
		if other := map[string]map[string]bool{"added": in[0], "removed": in[1]}[change]; other != nil {
			for _, k := range sortedKeys(models) {
				if other[k] && models[k]["id"] == identity["id"] && len(alike) < 16 {
					alike = append(alike, k)
				}
			}
		}
		count(summary["models"], change, 1)
		list = append(list, object{"key": key, "identity": identity, "change": change, "alike": alike, "observations": n, "facts": facts, "samples": samples, "conflicts": conflicts})
	}
	sortBy(list, func(o object) []string { return []string{o["identity"].(object)["id"].(string), o["key"].(string)} })
	content := func(c *catalog.Catalog, s *oracleSide) object {
		holding := 0
		for id := range s.obs {
			if s.holds(id) {
				holding++
			}
		}
		return object{"digest": c.Digest(), "asOf": s.asOf, "models": len(s.doc["models"].([]any)), "observations": len(s.obs), "holding": holding, "conflicts": len(s.conf)}
	}
	return object{"schemaVersion": "service.catalog.diff/v1", "old": content(before, old), "new": content(after, new),
		"only": []any{"conflicts", "facts", "models", "rankings", "samples"}, "limit": 10000, "summary": summary, "models": list, "rankings": []any{},
		"leftOut": zeros("models facts samples conflicts")}
}

func sortBy(list []any, key func(object) []string) {
	sort.Slice(list, func(i, k int) bool {
		a, b := key(list[i].(object)), key(list[k].(object))
		if a[0] != b[0] {
			return canonical.CompareText(a[0], b[0]) < 0
		}
		return canonical.CompareText(a[1], b[1]) < 0
	})
}

func sortedKeys[V any](maps ...map[string]V) (keys []string) {
	seen := map[string]bool{}
	for _, m := range maps {
		for key := range m {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	sort.Strings(keys)
	return keys
}
