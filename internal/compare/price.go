package compare

// PerMillion returns a price per token, as records write it, as one per million tokens.
// Only the decimal point moves, so that nothing is rounded:
//
//	6e-7         0.6
//	0.00000125   1.25
func PerMillion(perToken string) string {
	const decimals = 6
	return movePoint(perToken, decimals)
}
