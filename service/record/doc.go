// Package record declares every document that svc reads or writes, once, as Go structs.
//
// The tags of a struct are the shape of its JSON. Readers and writers are driven by them, so a
// field is declared in one line, with its unit, its bounds and its source in the comment:
//
//	type Snapshot struct {
//		Digest  string          `json:"digest" is:"hash"`    // 64 lower-case hexadecimal digits
//		AsOf    Timestamp       `json:"asOf"`                // a Timestamp is never empty ...
//		Until   Timestamp       `json:"until" or:"null"`     // ... unless it may be null
//		Name    string          `json:"name"`                // a text: not empty, trimmed
//		Unit    Text            `json:"unit"`                // a text, or null
//		Note    string          `json:"note,omitzero"`       // a text; may be missing
//		Change  string          `json:"change" is:"new old"` // one of these words
//		Models  int             `json:"models"`              // a whole number up to 2^53-1
//		Tokens  Count           `json:"tokens"`              // such a number, or null
//		Ratio   float64         `json:"ratio"`               // any finite number
//		Known   bool            `json:"known"`               // true or false
//		Value   Scalar          `json:"value"`               // a string, a number or a bool
//		Seen    List[Timestamp] `json:"seen" least:"1" most:"4"` // one to four items
//		Tools   List[string]    `json:"tools" each:"once"`   // no text twice; read sorted
//		Task    Task            `json:"task" or:"null"`      // an object; null is the zero Task
//		Old     *Task           `json:"old"`                 // an object; null is nil
//		Changes map[string]int  `json:"changes" is:"new old"` // a number for each word
//		Keys    map[string]int  `json:"keys"`                // a number for each of any words
//	}
//
// A string type whose method Words returns a list is one of these words.
//
// Every field is required and no other may be there, but for those with omitzero. A pointer with
// omitzero is nil only where the field is missing. The fields of an
// embedded struct are fields of the struct around it. Readers report faults in the order in which
// the fields are declared; written JSON has them in the order of RFC 8785.
//
// A value proves nothing: whoever fills in a record has it validated by the functions of package
// service, which name each fault by its path.
package record
