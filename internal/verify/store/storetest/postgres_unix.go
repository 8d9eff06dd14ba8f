//go:build unix

package storetest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// asPostgres returns how programs of PostgreSQL are made to run as somebody who
// may own a folder: they refuse root, for whom another user of the system takes
// the part. The folder becomes that user's.
func asPostgres(folder string) (func(*exec.Cmd), error) {
	if os.Getuid() != 0 {
		return func(c *exec.Cmd) { c.Dir = folder }, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		if err := os.Chown(folder, int(uid), int(gid)); err != nil {
			return nil, err
		}
		as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return func(c *exec.Cmd) {
			c.Dir = folder
			c.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no other user")
}
