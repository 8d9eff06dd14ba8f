package console

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Work of less than a second shows nothing.
func TestProgressOfShortWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		bar := newProgress(&b, "compiling", 100, Bytes)
		bar.Add(50)
		time.Sleep(999 * time.Millisecond)
		synctest.Wait()
		bar.End()
		if b.Len() > 0 {
			t.Errorf("shown: %q", b.String())
		}
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		bar := newProgress(&b, "compiling", 40e6, Bytes)
		bar.Add(10e6)
		time.Sleep(1010 * time.Millisecond)
		synctest.Wait()
		want := "\r\x1b[Kcompiling [=======" + strings.Repeat(" ", 23) + "]  25% of 40 MB, 1s"
		if got := b.String(); got != want {
			t.Errorf("after a second %q, want %q", got, want)
		}
		b.Reset()
		// What is printed stands on a line of its own.
		bar.HideWhile(func() { b.WriteString("a result\n") })
		if got := b.String(); got != "\r\x1b[Ka result\n" {
			t.Errorf("aside %q", got)
		}
		b.Reset()
		bar.HideWhile(func() { b.WriteString("another\n") })
		if got := b.String(); got != "another\n" {
			t.Errorf("aside of no bar %q", got)
		}
		b.Reset()
		bar.Add(40e6) // more than was expected
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := b.String(); !strings.Contains(got, "100% of 40 MB") {
			t.Errorf("then %q", got)
		}
		b.Reset()
		bar.End()
		if got := b.String(); got != "\r\x1b[K" {
			t.Errorf("in the end %q", got)
		}
	})
}

// Of an unknown amount of work it tells how much is done.
func TestProgressWithoutTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		bar := newProgress(&b, "validating", 0, Bytes)
		bar.Add(2_500_000_000)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		bar.End()
		if got := b.String(); !strings.Contains(got, "validating 2.5 GB, 2s") {
			t.Errorf("shown %q", got)
		}
	})
}

// Where the line cannot be cleared there is no bar.
func TestNoProgressOnDumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if bar := (&Console{errTerminal: true}).Progress("compiling", 1, Bytes); bar != nil {
		bar.End()
		t.Error("there is a bar")
	}
}

// Without a terminal there is no bar, and all its methods may be called.
func TestNoProgress(t *testing.T) {
	bar := (&Console{}).Progress("compiling", 1, Bytes)
	if bar != nil {
		t.Fatal("a bar without a terminal")
	}
	bar.Add(1)
	done := false
	bar.HideWhile(func() { done = true })
	bar.End()
	if !done {
		t.Error("what should be printed is not")
	}
}
