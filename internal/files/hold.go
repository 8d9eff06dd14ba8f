package files

import (
	"context"
	"errors"
	"os"
	"time"
)

// Hold takes a file, which it creates if needed, for this process until release is called or
// the process ends, however it does. While another process has it, Hold waits, after it has
// called waiting once. A file system without locks gives it to everybody.
func Hold(ctx context.Context, path string, waiting func()) (release func(), err error) {
	const every = 50 * time.Millisecond
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		if !errors.Is(lock(f), errTaken) {
			return func() { _ = f.Close() }, nil // which gives the lock back
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ErrInterrupt
		case <-time.After(every):
		}
	}
}
