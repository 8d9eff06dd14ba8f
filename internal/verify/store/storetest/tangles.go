package storetest

import "fmt"

// Tangles are bundles in which many records belong to many others, each of some n
// records. [TangleRefs] are the refs to ask for.
var Tangles = map[string]func(n int) Draft{
	"claims and traces of one actor": func(n int) (d Draft) {
		for i := range n {
			id := ManyID(i)
			d.Claims = append(d.Claims, Claim(id))
			d.Events = append(d.Events, Event("v"+id, id, "ann"))
			d.AuthorityTrace = append(d.AuthorityTrace, Trace("t"+id, "ann", nil))
		}
		return d
	},
	"traces that name all claims": func(n int) (d Draft) {
		var claims []string
		for i := range tangleRefs {
			claims = append(claims, ManyID(i))
			d.Claims = append(d.Claims, Claim(ManyID(i)))
		}
		for i := range n / 10 {
			d.AuthorityTrace = append(d.AuthorityTrace, Trace(fmt.Sprint("t", i), "ann", claims,
				integrityRef(ManyID(i%tangleRefs))))
		}
		return d
	},
	"claims, evidence and traces of one ref": func(n int) (d Draft) {
		for i := range n {
			id := ManyID(i)
			d.Claims = append(d.Claims, Claim(id, member("currentIntegrityRef", `"`+ManyID(0)+`"`)))
			d.Evidence = append(d.Evidence, Evidence("e"+id, id, integrityRef(ManyID(1))))
			d.Events = append(d.Events, Event("v"+id, id, "ann"), Event("w"+id, id, "by"+id))
			d.AuthorityTrace = append(d.AuthorityTrace, Trace("t"+id, "by"+id, []string{id}, integrityRef(ManyID(2))),
				Trace("u"+id, "ann", nil))
		}
		return d
	},
}

const tangleRefs = 256

// TangleRefs are the refs to ask of [Tangles].
func TangleRefs() []string {
	refs := make([]string, tangleRefs)
	for i := range refs {
		refs[i] = ManyID(i)
	}
	return refs
}
