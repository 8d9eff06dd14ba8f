// Package durable writes files whole or not at all.
//
// Whoever reads a file while it is written, or after a run that failed, was
// killed or lost its power, finds the old file or the new one, each whole.
package durable

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// Write lets fill write the file at a path: into another beside it, which takes
// its place when all bytes are on the disk. If that fails, the other is gone.
// What a killed run leaves of it begins with a dot and has an ending that nobody
// takes for that of the file. The mode is 0644 less the umask.
func Write(path string, fill func(*os.File) error) error {
	temporary := beside(path)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // what went wrong before is what there is to say
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// beside returns a new name in the folder of a path.
func beside(path string) string {
	const longest = 200 // leaves room in the 255 bytes that file systems allow
	folder, base := filepath.Split(path)
	base = strings.ToValidUTF8(base[:min(len(base), longest)], "")
	return folder + "." + base + ".tmp-" + strconv.FormatUint(rand.Uint64(), 36)
}

// syncFolder makes sure that a renaming is on the disk. Some file systems know
// no such thing.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
