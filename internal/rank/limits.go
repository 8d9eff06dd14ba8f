package rank

// Schema versions of requests and of the results that answer them.
const (
	RequestSchemaV1 = "service.rank.request/v1"
	RequestSchemaV2 = "service.rank.request/v2"
	ResultSchemaV1  = "service.rank.result/v1"
	ResultSchemaV2  = "service.rank.result/v2"
)

// The bounds of a request. All are checked before anything is evaluated, so
// that no request makes the evaluation dear.
const (
	MaxRequestBytes    = 1 << 20 // bytes of the document
	MaxCandidates      = 128     // candidates in the inventory
	MaxCriteria        = 128     // requirements, and separately preferences
	MaxCriterionCells  = 2048    // candidates times requirements and preferences
	MaxTextBytes       = 256     // bytes of UTF-8 in each text
	MaxV2Advisories    = 64      // advisories
	MaxV2AdvisoryCells = 1024    // candidates times advisories
)
