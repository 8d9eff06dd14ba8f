package local

import (
	"context"

	"github.com/model-catalog-service/svc/internal/verify/memory"
)

// verify.Memory is a [github.com/model-catalog-service/svc/verify.Memory] in a folder.
type AnswerMemory struct{ inner *memory.Folder }

// OpenAnswerMemory returns a memory of answers in a folder, which is made if it is not there. svc
// verify --keep uses the same files. While somebody else has the folder it waits. Whoever opens it
// closes it.
func OpenAnswerMemory(ctx context.Context, folder string) (*AnswerMemory, error) {
	f, err := memory.Open(ctx, folder)
	if err != nil {
		return nil, err
	}
	return &AnswerMemory{f}, nil
}

// Recall returns the answers that are kept of a source.
func (m *AnswerMemory) Recall(source string) ([]string, error) { return m.inner.Recall(source) }

// Keep replaces the answers that are kept of a source.
func (m *AnswerMemory) Keep(source string, answers []string) error {
	return m.inner.Keep(source, answers)
}

// Close lets others have the folder.
func (m *AnswerMemory) Close() { m.inner.Close() }
