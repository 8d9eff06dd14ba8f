//go:build !unix || solaris || aix

package files

import (
	"io/fs"
	"os"
)

// lock always succeeds: Windows does not remove a file that somebody has open.
func lock(*os.File) error { return nil }

// keepOwner does nothing: here owners are inherited from the folder.
func keepOwner(*os.File, fs.FileInfo) {}
