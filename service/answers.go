package service

// APIModels is what GET /v1/models answers.
type APIModels struct {
	SchemaVersion string           `json:"schemaVersion"` // APIModelsSchema
	Catalog       CatalogReference `json:"catalog"`
	Models        List[APIEntry]   `json:"models"` // by key
}

// APIEntry is a model in a list.
type APIEntry struct {
	Key              string        `json:"key"` // names the model in /v1/models/{key}
	Identity         ModelIdentity `json:"identity"`
	ObservationCount uint64        `json:"observationCount"`
	ConflictCount    uint64        `json:"conflictCount"`
}

// APIModel is what GET /v1/models/{key} answers.
type APIModel struct {
	SchemaVersion string           `json:"schemaVersion"` // APIModelSchema
	Catalog       CatalogReference `json:"catalog"`
	Model         CatalogModel     `json:"model"`
	Conflicts     List[Conflict]   `json:"conflicts"` // of the model, by key
}

// APIError is the body of every error of the API.
type APIError struct {
	SchemaVersion string           `json:"schemaVersion"` // APIErrorSchema
	Error         APIFault         `json:"error"`
	Catalog       CatalogReference `json:"catalog"`
}

// APIFault is what is wrong.
type APIFault struct {
	// Code is one of the library's or of HTTP: NOT_FOUND, MODEL_NOT_FOUND, METHOD_NOT_ALLOWED,
	// UNSUPPORTED_API_VERSION, PAYLOAD_TOO_LARGE, RANK_RESULT_TOO_LARGE, RANK_CAPACITY_EXCEEDED
	// or INTERNAL_ERROR.
	Code    ErrorCode `json:"code"`
	Message string    `json:"message"` // the same in words; it may begin with a JSON path
}
