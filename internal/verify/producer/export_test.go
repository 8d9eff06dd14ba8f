package producer

// NewSmallMemoryStore is NewMemoryStore for at most so many records of a kind.
var NewSmallMemoryStore = newMemoryStore
