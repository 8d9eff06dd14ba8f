package sources

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// File is a body and its envelope, as they were read.
type File struct{ Body, Envelope problem.Source }

// Snapshot is a body whose envelope holds: everything that it says was computed
// again, and the manifest approves of where it says the bytes came from. Only
// [Open] makes one.
type Snapshot struct {
	envelope Envelope
	resource Resource
	body     problem.Source
	index    int // among the snapshots of an import, -1 for one by itself
}

// Envelope returns what is said of the body.
func (s *Snapshot) Envelope() Envelope { return s.envelope }

// Resource returns which of the source's resources the body is.
func (s *Snapshot) Resource() Resource { return s.resource }

// Body returns the bytes.
func (s *Snapshot) Body() string { return s.body.Text }

// Open verifies a body and its envelope as a snapshot of a source. Faults have
// code INVALID_SOURCE_SNAPSHOT and paths from $: members of the envelope, and
// $.body.
func Open(f File, source string, m *Manifest) (*Snapshot, error) {
	envelope, resource, err := readEnvelope(f.Envelope, source, m, &f.Body)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{envelope: envelope, resource: resource, body: f.Body, index: -1}
	if err := s.checkText(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkText demands that the body is text as all sources publish it: UTF-8
// without byte order mark and NUL.
func (s *Snapshot) checkText() error {
	body := s.Body()
	switch nul := strings.IndexByte(body, 0); {
	case !utf8.ValidString(body):
		return s.Fault(ijson.FirstInvalid(body), "", "invalid UTF-8")
	case ijson.LenByteOrderMark(body) > 0:
		return s.Fault(0, "", "begins with a byte order mark")
	case nul >= 0:
		return s.Fault(nul, "", "holds a NUL")
	}
	return nil
}

// Fault returns a fault of the body at an offset; path is that inside the body.
func (s *Snapshot) Fault(offset int, path, format string, args ...any) *problem.Error {
	e := problem.New(problem.InvalidSourceSnapshot, s.path()+".body"+path, format, args...)
	e.Offset = offset
	problem.List{e}.Locate(s.body.Text, problem.Start(s.body.Name))
	return e
}

// Reader returns a reader of the body as JSON, whose faults [Snapshot.Refuse]
// makes those of the snapshot.
func (s *Snapshot) Reader() *ijson.Reader {
	return ijson.NewReader(s.body.Text, problem.InvalidSourceSnapshot)
}

// Refuse returns the faults of the body, whose paths begin with $ as yet, as an
// error: nil if there are none.
func (s *Snapshot) Refuse(faults problem.List) error {
	rebase(faults, s.path()+".body")
	return faults.Locate(s.body.Text, problem.Start(s.body.Name)).Err()
}

func (s *Snapshot) path() string {
	if s.index < 0 {
		return "$"
	}
	return snapshotPath(s.index)
}

func snapshotPath(i int) string { return "$.snapshots[" + strconv.Itoa(i) + "]" }

// rebase puts another beginning in the place of the $ of paths.
func rebase(faults problem.List, root string) {
	for _, e := range faults {
		e.Path = root + strings.TrimPrefix(e.Path, "$")
	}
}
