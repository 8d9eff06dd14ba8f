package compare

// Whether a candidate meets what a request demands.
const (
	Ranked   = "ranked"
	Excluded = "excluded"
)

// What a criterion is for, in the order in which requests have them.
const (
	Requirement = "requirement"
	Preference  = "preference"
	TieBreaker  = "tieBreaker"
	Advisory    = "advisory"
)

// Why a criterion differs for a candidate.
const (
	CauseValue       = "value"       // there is a value in both, and value or unit differ
	CauseStatus      = "status"      // the status differs
	CauseRequirement = "requirement" // it was met and is not, or the reverse
	CauseCame        = "came"        // an observation is used that OLD's catalog lacks
	CauseWent        = "went"        // one was used that NEW's catalog lacks
	CauseAgedOut     = "aged-out"    // one was used that no longer holds
	CauseScale       = "scale"       // the lowest or highest value of the preference differs
)

// What came of a criterion for a candidate.
const (
	StatusOK           = "ok"
	StatusMissing      = "missing"
	StatusStale        = "stale"
	StatusConflict     = "conflict"
	StatusIncomparable = "incomparable"
	StatusAmbiguous    = "ambiguous"
)

// MostObservationIDs is how many ids of observations a criterion names.
const MostObservationIDs = 16
