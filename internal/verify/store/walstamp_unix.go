//go:build unix

package store

import (
	"encoding/binary"
	"os"
)

// walStamp tells whether anything was committed to an SQLite database in WAL mode, in a
// fraction of the time that asking SQLite takes. It is the header of the wal-index, the
// file that ends in -shm, which every process looks at before it reads and writes when it
// commits (https://sqlite.org/walformat.html, section 2.2). Whoever finds it unchanged
// would read what it read before.
//
// The file stays the same as long as a connection is open that has read from the
// database: whoever has a walStamp keeps one. It must be closed after the connections,
// for a process that closes a file loses the locks that SQLite has on it.
type walStamp struct{ file *os.File }

const (
	walHeaderBytes   = 48 // there are two of them, equal unless one is being written
	walHeaderVersion = 3007000
)

// stamp is what the header of a wal-index says.
type stamp [walHeaderBytes]byte

// openWALStamp opens the wal-index of a database. There is none in other modes.
func openWALStamp(path string) walStamp {
	f, err := os.Open(path + "-shm")
	if err != nil {
		return walStamp{}
	}
	return walStamp{f}
}

// read returns the header. It is of no use if ok is false: then only SQLite can tell.
func (s walStamp) read() (now stamp, ok bool) {
	if s.file == nil {
		return stamp{}, false
	}
	var both [2 * walHeaderBytes]byte
	if n, _ := s.file.ReadAt(both[:], 0); n < len(both) {
		return stamp{}, false
	}
	now = stamp(both[:walHeaderBytes])
	return now, now == stamp(both[walHeaderBytes:]) && binary.NativeEndian.Uint32(now[:]) == walHeaderVersion
}

func (s walStamp) close() {
	if s.file != nil {
		s.file.Close()
	}
}
