//go:build unix && !solaris && !aix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lock takes a file for this process, or fails at once. The system gives it back
// when the process ends, however it does. A file that was removed in between
// cannot be had.
func lock(f *os.File) error {
	const tries = 10 // a file system without locks may report each as interrupted
	var err error
	for range tries {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			break
		}
	}
	if err == syscall.EWOULDBLOCK {
		return errTaken
	} else if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, now) {
		return errTaken
	}
	return err
}

// keepOwner gives a file the owner of another, if the system allows it.
func keepOwner(f *os.File, old fs.FileInfo) {
	if owner, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(owner.Uid), int(owner.Gid))
	}
}
