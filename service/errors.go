package service

import "github.com/model-catalog-service/svc/internal/problem"

// Error is one fault of one document.
type Error = problem.Error

// ErrorList is all faults of one document, the first fault first.
type ErrorList = problem.List

// ErrorCode names a class of failure.
type ErrorCode = problem.Code

// The codes of errors.
const (
	InvalidObservation       = problem.InvalidObservation
	UnsupportedSchema        = problem.UnsupportedSchema
	DuplicateObservation     = problem.DuplicateObservation
	InvalidCompileOptions    = problem.InvalidCompileOptions
	InvalidCatalog           = problem.InvalidCatalog
	UnsupportedCatalogSchema = problem.UnsupportedCatalogSchema
	InvalidRankRequest       = problem.InvalidRankRequest
	InvalidSourceSnapshot    = problem.InvalidSourceSnapshot
	InvalidSourceManifest    = problem.InvalidSourceManifest
	InvalidSourceDiscovery   = problem.InvalidSourceDiscovery
	InvalidTrustBundle       = problem.InvalidTrustBundle
	InvalidVerifyRequest     = problem.InvalidVerifyRequest
	InvalidJSON              = problem.InvalidJSON
)
