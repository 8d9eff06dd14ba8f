package console

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Signals are SIGINT, SIGTERM and SIGHUP, which ask a program to end. The last comes when
// the terminal closes that the program was started from.
type Signals struct {
	sent    chan os.Signal
	hungUp  chan os.Signal // SIGHUP
	renamed chan struct{}  // closed when SIGHUP asks for something else
	taken   chan struct{}  // closed when a command takes care of the second signal
	ended   chan struct{}  // closed when nobody watches any more
	idle    chan struct{}  // closed when nothing happens any more
}

// Interrupt is the cause of a context that a signal has ended.
type Interrupt struct{ Signal os.Signal }

func (i Interrupt) Error() string { return i.Signal.String() }

// patience is how long a command may go on after a signal. It may be doing what
// nothing interrupts, like writing to a pipe that nobody reads.
const patience = 2 * time.Second

// Watch returns a context that ends with the first signal, the cause being an
// [Interrupt]. If the program then goes on for more than two seconds, or another
// signal comes, it ends like any program that does not catch signals. A signal that
// the program was started to ignore stays ignored.
func Watch(ctx context.Context) (context.Context, *Signals) {
	ctx, interrupt := context.WithCancelCause(ctx)
	s := &Signals{make(chan os.Signal, 2), make(chan os.Signal, 2), make(chan struct{}), make(chan struct{}),
		make(chan struct{}), make(chan struct{})}
	for asked, sent := range map[os.Signal]chan os.Signal{os.Interrupt: s.sent, syscall.SIGTERM: s.sent,
		syscall.SIGHUP: s.hungUp} {
		if !signal.Ignored(asked) {
			signal.Notify(sent, asked)
		}
	}
	go func() {
		defer close(s.idle)
		defer interrupt(nil)
		renamed, hungUp := s.renamed, s.hungUp
		for {
			var first os.Signal
			select {
			case <-renamed:
				renamed, hungUp = nil, nil
				continue
			case first = <-s.sent:
			case first = <-hungUp:
			case <-s.ended:
				return
			}
			interrupt(Interrupt{first})
			s.endUnlessDone(first)
			return
		}
	}()
	return ctx, s
}

// endUnlessDone ends the program unless it ends by itself or takes care of that.
func (s *Signals) endUnlessDone(first os.Signal) {
	select {
	case <-s.taken:
		return
	default:
	}
	select {
	case <-s.ended:
		return
	case <-s.sent:
	case <-s.hungUp:
	case <-time.After(patience):
	}
	End(first)
}

// Second returns a channel that gets the second signal, for a server, which takes its
// time to end. A server stops at SIGINT and SIGTERM even if it was started to ignore them,
// but not at SIGHUP, which nohup makes programs ignore.
func (s *Signals) Second() <-chan os.Signal {
	close(s.taken)
	signal.Notify(s.sent, os.Interrupt, syscall.SIGTERM)
	return s.sent
}

// Hangups returns a channel that gets SIGHUP from now on: it no longer asks the program to end.
func (s *Signals) Hangups() <-chan os.Signal {
	close(s.renamed)
	return s.hungUp
}

// Stop ends the watching.
func (s *Signals) Stop() {
	signal.Stop(s.sent)
	signal.Stop(s.hungUp)
	close(s.ended)
	<-s.idle
}

// Received returns the signal that has ended the context of [Watch]. It is nil if
// there was none, or if a command takes care of that.
func (s *Signals) Received(ctx context.Context) os.Signal {
	select {
	case <-s.taken:
		return nil
	default:
	}
	i, _ := errors.AsType[Interrupt](context.Cause(ctx))
	return i.Signal
}

// End ends the program as the signal does where nobody catches it. It returns where a
// program cannot send itself a signal: the exit code must say it there.
func End(s os.Signal) {
	signal.Reset(s)
	p, err := os.FindProcess(os.Getpid())
	if err != nil || p.Signal(s) != nil {
		return
	}
	time.Sleep(patience) // another thread may get the signal, a moment after it was sent
}
