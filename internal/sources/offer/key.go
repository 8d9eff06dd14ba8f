package offer

import (
	"slices"
	"strings"
)

// Keys returns the keys of the vocabulary without bands, sorted.
func Keys() []string {
	keys := []string{LimitContext, LimitInput, LimitOutput, Tools, StructuredOutputs, Reasons, OpenWeights,
		Released, Deprecated, Retires, Status, KnowledgeCutoff}
	for _, price := range []string{Input, Output, CacheRead, CacheWrite, Reasoning} {
		keys = append(keys, PriceKey(price, Band{}))
	}
	for _, name := range Modalities() {
		keys = append(keys, InputModality(name), OutputModality(name))
	}
	slices.Sort(keys)
	return keys
}

// IsShared reports whether a key is one of the vocabulary, perhaps with bands.
func IsShared(key string) bool {
	plain, _, hasBand := strings.Cut(key, "@")
	_, found := slices.BinarySearch(Keys(), plain)
	return found && (!hasBand || IsPrice(key))
}
