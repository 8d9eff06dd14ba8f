package local

import (
	"github.com/model-catalog-service/svc/internal/verify/memory"
	"github.com/model-catalog-service/svc/service"
)

// OpenAnswerMemory returns a memory of answers in a folder, which is made if it is not there. svc
// verify --keep uses the same files.
func OpenAnswerMemory(folder string) (service.AnswerMemory, error) {
	f, err := memory.Open(folder)
	if err != nil {
		return nil, err
	}
	return f, nil
}
