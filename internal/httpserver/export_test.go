package httpserver

// For tests of other packages' numbers.
const (
	RoomTogether = bodyRoom + answerRoom
	MaxHeadLines = maxHeadLines
)

// FollowHead lets a headReader follow a text that comes in pieces. It returns how many bytes
// it took for the head, how many lines that has, and whether it is whole and declares a
// length.
func FollowHead(pieces [][]byte) (taken, lines int, isWhole, hasLength bool) {
	h := headReader{}
	for _, p := range pieces {
		if h.isWhole || h.lines > maxHeadLines {
			break
		}
		taken += h.next(p)
	}
	return taken, h.lines, h.isWhole, h.hasLength
}

// FollowFrames lets a frameReader follow frames that come in pieces. It returns how many
// began, and whether a head has begun and is not complete.
func FollowFrames(pieces [][]byte) (begun int, isHeadOpen bool) {
	f := frameReader{}
	for _, p := range pieces {
		for len(p) > 0 {
			var begins bool
			if p, begins = f.next(p); begins {
				begun++
			}
		}
	}
	return begun, f.isHeadOpen()
}
