//go:build !unix

package storetest

import "os/exec"

func asPostgres(folder string) (func(*exec.Cmd), error) {
	return func(c *exec.Cmd) { c.Dir = folder }, nil
}
