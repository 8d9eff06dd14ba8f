package sources

// The bounds of one import.
const (
	MaxBodyBytes    = 16 << 20 // of one body
	MaxImportBytes  = 64 << 20 // of all bodies together
	MaxRows         = 10_000
	MaxObservations = 50_000
	MaxMappingBytes = 16 << 20
	MaxRedirects    = 3 // that a body came by

	maxEnvelopeBytes = 64 << 10
)
