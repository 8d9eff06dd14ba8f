package sources

import (
	"maps"
	"slices"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// Members says how the members of an object are read whose members come and go:
// by name, nil for a member that is known and not used. T is what reads.
//
//	var pricing = sources.Members[*answer]{
//		"prompt":  (*answer).price,
//		"request": nil,
//	}
type Members[T any] map[string]func(T)

// Read reads the object at which r is. Members that are not in the table are
// passed over, and their names added to unknown, under a prefix.
func (m Members[T]) Read(r *ijson.Reader, into T, prefix string, unknown map[string]bool) ijson.Names {
	o := r.Names()
	for o.Next() {
		read, known := m[o.Name()]
		if !known {
			unknown[prefix+o.Name()] = true
		}
		if read != nil {
			read(into)
		} else {
			r.Value()
		}
	}
	return o
}

// AddUnknown names members that an adapter does not know, all in one diagnostic.
func (n *Notes) AddUnknown(names map[string]bool, s *Snapshot) {
	if len(names) == 0 {
		return
	}
	n.Add(NewMembers, "", Where{Snapshot: s}, offer.NewMembersMessage(slices.Sorted(maps.Keys(names)), nil))
}
