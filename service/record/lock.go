package record

import "encoding/json"

// LockSchema is the schema version of a [Lock].
const LockSchema = "service.models.lock/v1"

// Lock is what an application relies on: the models that it uses, how they are run, and what a
// catalog knew of them when the lock was made.
type Lock struct {
	Catalog       CatalogReference `json:"catalog"` // that it was made from
	Policy        LockPolicy       `json:"policy"`
	SchemaVersion string           `json:"schemaVersion" is:"service.models.lock/v1"`
	Uses          List[LockedUse]  `json:"uses" least:"1"` // by id
}

// LockPolicy says what is a failure. The zero value has the defaults.
type LockPolicy struct {
	CatalogMaxAgeDays MaxAge `json:"catalogMaxAgeDays,omitzero"` // how old the catalog may be; the zero value is 7 days
	// Levels are those of codes that do not have their usual one: fail, warn or off.
	Levels map[FindingCode]string `json:"levels,omitzero"`
	// NoticeDays is how long before the end of a model there is a finding; nil is 30.
	NoticeDays     *uint64  `json:"noticeDays,omitzero"`
	PriceUpPercent *float64 `json:"priceUpPercent,omitzero"` // by how much a price may rise; nil is 0
}

// MaxAge is how old a catalog may be.
type MaxAge struct {
	Days   *uint64 // nil is 7
	AnyAge bool    // its age does not matter, whatever Days says
}

// MarshalJSON writes days, null for any age.
func (a MaxAge) MarshalJSON() ([]byte, error) {
	if a.AnyAge {
		return []byte("null"), nil
	}
	return json.Marshal(a.Days)
}

// UnmarshalJSON reads days or null.
func (a *MaxAge) UnmarshalJSON(text []byte) error {
	*a = MaxAge{AnyAge: string(text) == "null"}
	return json.Unmarshal(text, &a.Days)
}

// LockedUse is a model, how it is run, and what was known of that.
type LockedUse struct {
	Execution OpenProfile            `json:"execution"`
	Facts     map[string]StatedValue `json:"facts"` // by measurement key
	ID        string                 `json:"id"`
	Model     Model                  `json:"model"`
}

// ModelsCheckSchema is the schema version of a [ModelsCheck].
const ModelsCheckSchema = "service.models.check/v1"

// ModelsCheck says what of a lock is no longer so.
type ModelsCheck struct {
	SchemaVersion string           `json:"schemaVersion" is:"service.models.check/v1"`
	Catalog       CatalogReference `json:"catalog"`
	Lock          LockReference    `json:"lock"`
	Now           Timestamp        `json:"now"` // of the check
	OK            bool             `json:"ok"`  // no finding has level fail
	Uses          List[CheckedUse] `json:"uses"`
	Findings      List[Finding]    `json:"findings"` // failures first, then by use and key
}

// LockReference names a lock.
type LockReference struct {
	SHA256 string `json:"sha256" is:"hash"` // of its text
}

// CheckedUse is a use that was checked.
type CheckedUse struct {
	ID      string `json:"id"`
	Checked int    `json:"checked"` // how many facts
	OK      bool   `json:"ok"`      // no finding of it has level fail
}

// Finding is something that is no longer so.
type Finding struct {
	Code  FindingCode `json:"code" is:"CAPABILITY_GAINED CAPABILITY_LOST CATALOG_OLD EVIDENCE_CONFLICT EVIDENCE_EXPIRED EVIDENCE_MISSING FACT_CHANGED LIMIT_DOWN LIMIT_UP MODEL_DEPRECATED MODEL_GONE MODEL_RETIRED MODEL_RETIRES PRICE_DOWN PRICE_UP"`
	Level string      `json:"level" is:"fail warn"` // fail or warn
	Use   Text        `json:"use"`                  // the id of the use; null if it is about the catalog
	// the measurement key; null if it is about the whole use
	Key            Text               `json:"key"`
	Message        string             `json:"message"` // the same in words
	Locked         *StatedValue       `json:"locked"`
	Found          *StatedValue       `json:"found"`
	Date           Text               `json:"date"`           // when the model ends, as the source writes it
	ObservationIDs List[string]       `json:"observationIds"` // at most 64
	Evidence       List[EvidenceLink] `json:"evidence"`
}

// FindingCode says what is no longer so.
type FindingCode string

// The codes of findings, in the order in which they apply, with their usual level.
const (
	// ModelGone is a failure: the catalog lacks the model, its seller withdrew it, or nothing of the
	// use holds while others at its provider do.
	ModelGone    FindingCode = "MODEL_GONE"
	ModelRetired FindingCode = "MODEL_RETIRED" // fail: lifecycle.retires is today or past
	// warn: lifecycle.deprecated is today or past, or lifecycle.status says so
	ModelDeprecated  FindingCode = "MODEL_DEPRECATED"
	ModelRetires     FindingCode = "MODEL_RETIRES"     // warn: one of these dates lies within the notice
	PriceUp          FindingCode = "PRICE_UP"          // fail: a price rose by more than the policy allows
	PriceDown        FindingCode = "PRICE_DOWN"        // off: a price fell
	LimitDown        FindingCode = "LIMIT_DOWN"        // fail: a limit is lower
	LimitUp          FindingCode = "LIMIT_UP"          // off: a limit is higher
	CapabilityLost   FindingCode = "CAPABILITY_LOST"   // fail: a capability or modality went from true to false
	CapabilityGained FindingCode = "CAPABILITY_GAINED" // off: the reverse
	FactChanged      FindingCode = "FACT_CHANGED"      // warn: another fact differs, or a unit
	EvidenceConflict FindingCode = "EVIDENCE_CONFLICT" // fail: what holds contradicts itself, or cannot be compared
	EvidenceExpired  FindingCode = "EVIDENCE_EXPIRED"  // fail: nothing that was said holds
	EvidenceMissing  FindingCode = "EVIDENCE_MISSING"  // warn: nothing states it any more
	CatalogOld       FindingCode = "CATALOG_OLD"       // warn: the catalog is older than the policy allows
)
