package record

// ExportReportSchema is the schema version of an [ExportReport].
const ExportReportSchema = "service.export.report/v1"

// ExportReport says what an export wrote, what it changed in its base, and what it left out.
type ExportReport struct {
	SchemaVersion string               `json:"schemaVersion" is:"service.export.report/v1"`
	Catalog       CatalogReference     `json:"catalog"`
	Format        ExportFormat         `json:"format" is:"litellm models.dev catwalk ndjson csv prices sqlite gateway"`
	Base          *ExportBase          `json:"base"` // nil if there was none
	Exported      ExportCounts         `json:"exported"`
	Changed       List[ExportedChange] `json:"changed"` // by row, then field
	LeftOut       List[ExportOmission] `json:"leftOut"` // by model
}

// ExportFormat is a format that a catalog can be exported in.
type ExportFormat string

// The formats.
const (
	FormatLiteLLM   ExportFormat = "litellm"    // LiteLLM's map of prices; continues a base or begins one
	FormatModelsDev ExportFormat = "models.dev" // models.dev's api.json; continues a base
	FormatCatwalk   ExportFormat = "catwalk"    // the providers of catwalk; continues a base
	FormatNDJSON    ExportFormat = "ndjson"     // every slot and sample group, one a line
	FormatCSV       ExportFormat = "csv"        // the same as a table (RFC 4180)
	FormatPrices    ExportFormat = "prices"     // a table: a row for each offer, a column for each key of a price
	FormatSQLite    ExportFormat = "sqlite"     // the whole catalog as a database
	FormatGateway   ExportFormat = "gateway"    // what a gateway reads to call whom a question chooses
)

// ExportBase names the file that was continued.
type ExportBase struct {
	SHA256 string `json:"sha256" is:"hash"` // of its text
}

// ExportCounts count what was written.
type ExportCounts struct {
	// with at least one fact of the catalog; without a base lines or, of a database, observations; of
	// a gateway those that it calls
	Rows        int `json:"rows"`
	Facts       int `json:"facts"`       // that the file has
	NewRows     int `json:"newRows"`     // that the base lacks
	ChangedRows int `json:"changedRows"` // of the base
}

// ExportedChange is a field of a row of the base that the catalog knows better.
type ExportedChange struct {
	Row    string `json:"row"`
	Member string `json:"member"`
	Old    JSON   `json:"old"` // null if the row had none
	New    JSON   `json:"new"`
}

// ExportOmission is a model, a model at a provider, or a fact of that which was left out, or
// written as something wider.
type ExportOmission struct {
	Model        string       `json:"model"` // its id
	Revision     Text         `json:"revision"`
	Quantization Text         `json:"quantization"`
	Runtime      Text         `json:"runtime"` // the provider
	Key          Text         `json:"key"`     // the measurement key; null if it is the whole row
	Reason       ExportReason `json:"reason" is:"conflict expired incomparable unit unknown same-name no-runtime no-provider not-representable widened ended"`
	Detail       Text         `json:"detail"`
}

// ExportReason says why something was left out.
type ExportReason string

// Why something was left out.
const (
	ExportConflict         ExportReason = "conflict"          // what holds contradicts itself
	ExportExpired          ExportReason = "expired"           // nothing that was said holds
	ExportIncomparable     ExportReason = "incomparable"      // it is about another execution, or in several units
	ExportWrongUnit        ExportReason = "unit"              // it is not in the unit of its key
	ExportUnknown          ExportReason = "unknown"           // a new row needs it, and nothing states it
	ExportSameName         ExportReason = "same-name"         // several models have the name
	ExportNoRuntime        ExportReason = "no-runtime"        // nothing says where the model runs
	ExportNoProvider       ExportReason = "no-provider"       // the base does not know the provider
	ExportNotRepresentable ExportReason = "not-representable" // the format cannot say it
	ExportWidened          ExportReason = "widened"           // a context limit was written as an input limit
	ExportEnded            ExportReason = "ended"             // the seller withdrew or retired it
)
