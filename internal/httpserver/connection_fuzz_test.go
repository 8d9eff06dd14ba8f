package httpserver_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// cut divides a text where the bytes of cuts say: into pieces of so many bytes, and the rest.
func cut(text, cuts []byte) (pieces [][]byte) {
	for _, size := range cuts {
		n := min(int(size), len(text))
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	return append(pieces, text)
}

// FuzzHead holds what is seen of the heads of HTTP/1 to a plain reading of all their lines,
// however their bytes come.
func FuzzHead(f *testing.F) {
	for _, head := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", "\r\n\nGET / HTTP/1.0\n\n", "GET / HTTP/1.1\r\ncontent-length:\r\n\r\n",
		"GET / HTTP/1.1\r\nContent-Lengt: 1\r\nh:\r\n\r\n", "A\r\n" + strings.Repeat("a:\n", 300), "\r", "",
	} {
		f.Add([]byte(head), []byte{1, 0, 2, 15, 40})
	}
	f.Fuzz(func(t *testing.T, text, cuts []byte) {
		taken, lines, isWhole, hasLength := httpserver.FollowHead(cut(text, cuts))
		wantTaken, wantLines, wantWhole, wantLength := 0, 0, false, false
		for line := range strings.SplitAfterSeq(string(text), "\n") {
			wantTaken += len(line)
			content, isEnded := strings.CutSuffix(line, "\n")
			if !isEnded {
				break
			}
			if content = strings.TrimSuffix(content, "\r"); content == "" {
				if wantLines > 0 {
					wantWhole = true
					break
				}
				continue
			}
			wantLines++
			const field = "content-length:"
			wantLength = wantLength || len(content) >= len(field) && strings.EqualFold(content[:len(field)], field)
			if wantLines > httpserver.MaxHeadLines {
				break
			}
		}
		if taken != wantTaken || lines != wantLines || isWhole != wantWhole || hasLength != wantLength {
			t.Errorf("%d bytes, %d lines, whole %v, length %v; want %d, %d, %v, %v",
				taken, lines, isWhole, hasLength, wantTaken, wantLines, wantWhole, wantLength)
		}
	})
}

// FuzzFrames holds what is seen of the frames of HTTP/2 to a plain reading of all of them,
// however their bytes come.
func FuzzFrames(f *testing.F) {
	const (
		headers, data, continuation = 0x1, 0x0, 0x9
		endHeaders                  = 0x4
	)
	frame := func(kind, flags byte, payload string) string {
		return string([]byte{0, 0, byte(len(payload)), kind, flags, 0, 0, 0, 1}) + payload
	}
	for _, frames := range []string{
		frame(headers, endHeaders, "abc") + frame(data, 0, "x"), frame(headers, 0, "a") + frame(continuation, 0, "") + frame(continuation, endHeaders, "b"),
		frame(headers, endHeaders, "abc")[:10], frame(headers, 0, "")[:4], frame(data, 0, "")[:9], "",
	} {
		f.Add([]byte(frames), []byte{1, 8, 9, 0, 3})
	}
	f.Fuzz(func(t *testing.T, text, cuts []byte) {
		begun, isHeadOpen := httpserver.FollowFrames(cut(text, cuts))
		wantBegun, wantOpen, isContinued := 0, false, false
		for rest := text; len(rest) > 0; {
			wantBegun++
			const header = 9
			if len(rest) < header {
				wantOpen = true // it may be that of a head
				break
			}
			size, kind := int(rest[0])<<16|int(rest[1])<<8|int(rest[2]), rest[3]
			isHead := kind == headers || kind == continuation
			if isHead {
				isContinued = rest[4]&endHeaders == 0
			}
			rest = rest[header:]
			wantOpen = isHead && len(rest) < size
			rest = rest[min(size, len(rest)):]
		}
		if wantOpen = wantOpen || isContinued; begun != wantBegun || isHeadOpen != wantOpen {
			t.Errorf("%d frames, head open %v; want %d, %v", begun, isHeadOpen, wantBegun, wantOpen)
		}
	})
}
