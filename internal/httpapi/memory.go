package httpapi

import "github.com/model-catalog-service/svc/internal/httpserver"

// The parts of the memory of a server, as docs/operations.md explains them.
const (
	memoryOfCatalog    = 4         // times the serialized catalog
	memoryOfConnection = 210 << 10 // over HTTP/2, the dearer protocol
	memoryOfResult     = 3         // times the largest rank result
	memoryOfRequest    = 8 << 20   // a rank request that is being evaluated
	memoryOfServer     = 96 << 20  // bodies and answers that wait, and the program itself
)

// MemoryLimit returns how many bytes of memory a process needs that serves a catalog of so many
// bytes, whatever clients do: a limit for the garbage collector, which without one lets the heap
// grow to twice what is in use.
func MemoryLimit(catalogBytes int, options Options) int64 {
	options = options.withDefaults()
	slots, result := int64(options.MaxConcurrentRankRequests), int64(options.MaxRankResponseBytes)
	return memoryOfCatalog*int64(catalogBytes) + httpserver.MaxConnections*memoryOfConnection +
		slots*(result*memoryOfResult+memoryOfRequest) + memoryOfServer
}
