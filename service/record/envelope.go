package record

// DSSEEnvelope is a signed statement, DSSE v1.0.
type DSSEEnvelope struct {
	Payload     []byte              `json:"payload"`     // the statement
	PayloadType string              `json:"payloadType"` // application/vnd.in-toto+json
	Signatures  List[DSSESignature] `json:"signatures"`  // at most 16
}

// DSSESignature is a signature of an envelope's pre-authentication encoding.
type DSSESignature struct {
	KeyID string `json:"keyid,omitzero"` // a hint at the key, which nobody has signed
	Sig   []byte `json:"sig"`
}
