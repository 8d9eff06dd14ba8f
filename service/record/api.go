package record

// Schema versions of what the API answers.
const (
	APIModelsSchema = "service.api.models/v1"
	APIModelSchema  = "service.api.model/v1"
	APIErrorSchema  = "service.api.error/v1"
)

// APIModels is what GET /v1/models answers.
type APIModels struct {
	SchemaVersion string           `json:"schemaVersion" is:"service.api.models/v1"` // APIModelsSchema
	Catalog       CatalogReference `json:"catalog"`
	Models        List[APIEntry]   `json:"models"` // by key
}

// APIEntry is a model in a list.
type APIEntry struct {
	Key              string `json:"key" is:"hash"` // names the model in /v1/models/{key}
	Identity         Model  `json:"identity"`
	ObservationCount int    `json:"observationCount"`
	ConflictCount    int    `json:"conflictCount"`
}

// APIModel is what GET /v1/models/{key} answers.
type APIModel struct {
	SchemaVersion string           `json:"schemaVersion" is:"service.api.model/v1"` // APIModelSchema
	Catalog       CatalogReference `json:"catalog"`
	Model         CatalogModel     `json:"model"`
	Conflicts     List[Conflict]   `json:"conflicts"` // of the model, by key
}

// APIError is the body of every error of the API.
type APIError struct {
	SchemaVersion string           `json:"schemaVersion" is:"service.api.error/v1"` // APIErrorSchema
	Error         APIFault         `json:"error"`
	Catalog       CatalogReference `json:"catalog"`
}

// APIFault is what is wrong.
type APIFault struct {
	// Code is INVALID_RANK_REQUEST or one of HTTP: NOT_FOUND, MODEL_NOT_FOUND, METHOD_NOT_ALLOWED,
	// UNSUPPORTED_API_VERSION, PAYLOAD_TOO_LARGE, RANK_RESULT_TOO_LARGE, RANK_CAPACITY_EXCEEDED or
	// INTERNAL_ERROR.
	Code    string `json:"code"`
	Message string `json:"message"` // the same in words; it may begin with a JSON path
}
