package sources

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// This file takes of a tree the folders that are wanted. Trees may be far larger than a body, so
// that they are read once, from beginning to end, and only what is taken is kept. The URL of such a
// body says in its fragment which folders they are:
//
//	https://codeload.github.com/evaleval/every_eval_ever/tar.gz/<commit>#data/helm_capabilities,data/mmlu
//
// Its bytes are a tar of our own, which depends on the names and contents of those files alone: it
// has the same digest whoever makes it of that tree.

// Fragment returns what a URL says of the folders that are taken of its tree, "" for all of it.
func Fragment(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return "#" + strings.Join(slices.Compact(slices.Sorted(slices.Values(folders))), ",")
}

// foldersOf returns the folders that a fragment names, nil if it is none that [Fragment] gives.
func foldersOf(fragment string) []string {
	folders := strings.Split(fragment, ",")
	for _, folder := range folders {
		for step := range strings.SplitSeq(folder, "/") {
			if !isToken(step) {
				return nil
			}
		}
	}
	if Fragment(folders) != "#"+fragment {
		return nil
	}
	return folders
}

// IsFolder reports whether a text is the name of a folder that may be taken of a tree.
func IsFolder(name string) bool { return isToken(name) }

// errTaken says that there is too much in the folders that are taken.
var errTaken = fmt.Errorf("has more than %d MiB in the folders that are taken: name fewer", MaxBodyBytes>>20)

// TakeFolders reads a tar to its end and returns one of the files in its folders. What their names
// begin with, which is the name of the archive, does not count.
func TakeFolders(from io.Reader, folders []string) (body string, err error) {
	taken := map[string][]byte{}
	missing, kept := slices.Clone(folders), int64(0)
	for archive := tar.NewReader(from); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", fmt.Errorf("is not a tar, or not a whole one: %w", err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		isIn := func(folder string) bool { return strings.HasPrefix(name, folder+"/") }
		if h.Typeflag != tar.TypeReg || name != path.Clean(name) || !slices.ContainsFunc(folders, isIn) {
			continue
		}
		missing = slices.DeleteFunc(missing, isIn)
		if kept += h.Size; kept > MaxBodyBytes {
			return "", errTaken
		}
		text := make([]byte, h.Size)
		if _, err := io.ReadFull(archive, text); err != nil {
			return "", fmt.Errorf("is not a whole tar: %w", err)
		}
		taken[name] = text
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("has no file in %s", strings.Join(missing, ", "))
	}
	var out strings.Builder
	archive := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if err := AddFile(archive, "tree/"+name, taken[name]); err != nil {
			return "", err
		}
	}
	if err := archive.Close(); err != nil {
		return "", err
	}
	if out.Len() > MaxBodyBytes {
		return "", errTaken
	}
	return out.String(), nil
}

// AddFile writes a file of a tar whose bytes depend on names and contents alone.
func AddFile(archive *tar.Writer, name string, text []byte) error {
	const readable = 0o644
	h := tar.Header{Name: name, Size: int64(len(text)), Mode: readable, ModTime: time.Unix(0, 0)}
	if err := archive.WriteHeader(&h); err != nil {
		return err
	}
	_, err := archive.Write(text)
	return err
}
