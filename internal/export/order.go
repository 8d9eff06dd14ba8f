package export

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// inOrder calls work with each number below n, on all processors, and take with what it
// returns, by number. makers returns a work function for one processor to use alone. It
// returns when all of them have ended; results that wait for their turn are few.
func inOrder[T any](ctx context.Context, n int, makers func() func(i int) T, take func(T) error) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	ahead := 8 * workers
	ctx, stop := context.WithCancel(ctx)
	var (
		next    atomic.Int64
		running sync.WaitGroup
		turns   = make(chan struct{}, ahead) // one for each number between those taken and the next
		results = make([]chan T, ahead)      // by number, round and round
	)
	defer running.Wait()
	defer stop()
	for i := range results {
		results[i] = make(chan T, 1)
	}
	for range workers {
		work := makers()
		running.Go(func() {
			for {
				select {
				case turns <- struct{}{}:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				results[i%ahead] <- work(i)
			}
		})
	}
	for i := range n {
		if err := ctx.Err(); err != nil { // select would choose at random
			return err
		}
		select {
		case result := <-results[i%ahead]:
			if err := take(result); err != nil {
				return err
			}
			<-turns
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
