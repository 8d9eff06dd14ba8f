package sources

import (
	"crypto/sha1" // by which git names bytes
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
)

// This file says where the bytes of a row are, as evidence has it: an address that leads to the
// same bytes for good where the host keeps them.
//
//	https://github.com/BerriAI/litellm/blob/<commit>/model_prices_and_context_window.json#L8
//	https://github.com/anomalyco/models.dev/blob/<commit>/providers/openai/models/gpt-5.toml
//	https://openrouter.ai/api/v1/models
//
// No branch is ever named. Where a file was read of a branch, and nothing tells the commit, the
// address is that of the blob that git makes of the bytes.

// origin is where the bytes of a snapshot are.
type origin struct {
	address string // "" if nothing leads to the bytes
	isFile  bool   // of many lines
	isTree  bool   // of files
}

// uri returns the address of a row, in a file of a tree or on a line.
func (o origin) uri(file string, line int) string {
	switch {
	case o.isTree && o.address != "" && file != "":
		_, below, _ := strings.Cut(file, "/")
		return o.address + "/" + (&url.URL{Path: below}).EscapedPath()
	case o.isFile && line > 1:
		return o.address + "#L" + strconv.Itoa(line)
	}
	return o.address
}

// origin returns where the bytes of a snapshot are. The commit is what the body says that it is
// of, "" if it does not say.
func (s *Snapshot) origin(commit string) origin {
	u := s.envelope.URL
	isRaw := strings.HasPrefix(u, "https://raw.githubusercontent.com/")
	if !s.resource.IsCommit && !isRaw {
		return origin{address: u}
	}
	if s.resource.IsCommit && s.resource.Revision != "" {
		commit = s.resource.Revision
	}
	if rest, ok := strings.CutPrefix(u, "https://codeload.github.com/"); ok {
		repository, _, _ := strings.Cut(rest, "/tar.gz/")
		if commit == "" {
			return origin{}
		}
		return origin{address: "https://github.com/" + repository + "/blob/" + commit, isTree: true}
	}
	if rest, ok := strings.CutPrefix(u, "https://raw.githubusercontent.com/"); ok {
		const owner, name, file = 0, 1, 3 // after the name comes a commit or a branch
		if parts := strings.SplitN(rest, "/", file+1); len(parts) > file {
			repository := parts[owner] + "/" + parts[name]
			if commit == "" {
				return origin{address: "https://api.github.com/repos/" + repository + "/git/blobs/" + blobName(s.Body())}
			}
			return origin{address: "https://github.com/" + repository + "/blob/" + commit + "/" + parts[file], isFile: true}
		}
	}
	if s.resource.Revision == "" {
		return origin{}
	}
	return origin{address: u}
}

// URI returns the address of the bytes of the snapshot, "" if nothing leads to them.
func (s *Snapshot) URI() string {
	if s.from == nil {
		from := s.origin("")
		s.from = &from
	}
	return s.from.address
}

// blobName is how git calls bytes.
func blobName(body string) string {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(body)) + "\x00"))
	h.Write([]byte(body))
	return hex.EncodeToString(h.Sum(nil))
}
