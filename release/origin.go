package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// origin is where the sources are from. Every instant in a release is that of
// its commit, never the clock's.
type origin struct {
	commit string // marked if files differ from it, or are not in it
	date   time.Time
}

// findOrigin asks git, unless it is told the commit. SOURCE_DATE_EPOCH goes
// before the date of the commit.
func findOrigin(ctx context.Context, source, commit string) (o origin, err error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	switch {
	case commit == "":
		if commit, err = git(ctx, source, "rev-parse", "HEAD"); err != nil {
			return o, err
		}
		// A file that git does not know is built in, too, if it lies in a package.
		changed, err := git(ctx, source, "status", "--porcelain", "--untracked-files=normal")
		if err != nil {
			return o, err
		}
		if epoch == "" {
			if epoch, err = git(ctx, source, "show", "--no-patch", "--format=%ct", commit); err != nil {
				return o, err
			}
		}
		if changed != "" {
			commit += "-dirty"
		}
	case !regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?(-dirty)?$`).MatchString(commit):
		return o, fmt.Errorf("-commit: %q is not a commit", commit)
	case epoch == "":
		return o, errors.New("-commit: SOURCE_DATE_EPOCH must be set, the date of the commit in seconds since 1970")
	}
	seconds, err := strconv.ParseUint(epoch, 10, 32) // more than 32 bits no package can hold
	if err != nil || seconds < 315532800 {           // and no zip what is before 1980
		return o, fmt.Errorf("SOURCE_DATE_EPOCH: %q is not a number of seconds from 1980 to 2106", epoch)
	}
	return origin{commit, time.Unix(int64(seconds), 0).UTC()}, nil
}

func git(ctx context.Context, folder string, args ...string) (string, error) {
	return output(exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...))
}

// output returns what a command prints, without the end of its last line.
func output(c *exec.Cmd) (string, error) {
	var problems strings.Builder
	c.Stderr = &problems
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}
