//go:build !unix

package store

// walStamp cannot be read where SQLite shares the file in another way.
type walStamp struct{}

type stamp [0]byte

func openWALStamp(string) walStamp          { return walStamp{} }
func (walStamp) read() (now stamp, ok bool) { return stamp{}, false }
func (walStamp) close()                     {}
