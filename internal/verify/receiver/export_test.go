package receiver

// InParts has [Verify] take a bundle in parts of so many claims.
func (o Options) InParts(claims int) Options {
	o.perPart = claims
	return o
}
