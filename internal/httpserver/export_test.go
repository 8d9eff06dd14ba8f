package httpserver

// For tests of other packages' numbers.
const (
	MaxConnections = maxConnections
	RoomTogether   = bodyRoom + answerRoom
)
