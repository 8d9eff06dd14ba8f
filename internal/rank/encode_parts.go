package rank

// separateFrom writes a comma unless nothing was written since start.
func (w *writer) separateFrom(start int) {
	if len(w.Buf) > start {
		w.Raw(`,`)
	}
}

// item writes an item of a list that begins at start: a text without escapes.
func (w *writer) item(start int, text string) {
	if len(w.Buf) > start {
		w.Raw(`,"`)
	} else {
		w.Raw(`"`)
	}
	w.Raw(text)
	w.Raw(`"`)
}

// texts writes the list of those texts whose numbers are in the union. They are
// canonical JSON.
func (w *writer) texts(json []string, u *union) {
	w.Raw(`[`)
	start := len(w.Buf)
	for n := range u.each {
		if w.full() {
			return
		}
		w.separateFrom(start)
		w.Raw(json[n])
	}
	w.Raw(`]`)
}

// names writes the list of those names whose bits are in the set.
func (w *writer) names(names []string, set uint32) {
	w.Raw(`[`)
	start := len(w.Buf)
	for i, name := range names {
		if set>>i&1 == 1 {
			w.item(start, name)
		}
	}
	w.Raw(`]`)
}

// applicability writes one. As there are few different ones in a result, it is
// copied from where it was written before.
func (w *writer) applicability(a *applicability) {
	if at, known := w.written[*a]; known {
		w.Buf = append(w.Buf, w.Buf[at.start:at.end]...)
		return
	}
	start := len(w.Buf)
	w.Raw(`{"assertedDimensions":`)
	w.names(dimensionNames, uint32(a.asserted))
	w.Raw(`,"matchedKinds":`)
	w.names(scopeKindNames, uint32(a.matched))
	w.Raw(`,"mismatchedDimensions":`)
	w.names(dimensionNames, uint32(a.mismatched))
	w.Raw(`,"wildcardedDimensions":`)
	w.names(dimensionNames, uint32(a.wildcarded))
	w.Raw(`}`)
	w.written[*a] = span{start, len(w.Buf)}
}

// value writes a value.
func (w *writer) value(v *value) { w.Buf = v.appendJSON(w.Buf) }
