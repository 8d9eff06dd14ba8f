package fetch

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources"
)

// StatusError is an answer with another status than 200.
type StatusError struct {
	URL        string
	Status     int
	RetryAfter string // what the answer says of when to ask again: seconds or a date
}

func (e *StatusError) Error() string {
	message := fmt.Sprintf("%s: the answer is %d", e.URL, e.Status)
	if text := http.StatusText(e.Status); text != "" {
		message += " " + text
	}
	if e.RetryAfter != "" {
		message += ", try again after " + e.RetryAfter
		if strings.Trim(e.RetryAfter, "0123456789") == "" {
			message += " seconds"
		}
	}
	return message
}

// answer is what came for a request.
type answer struct {
	unchanged bool // by the condition of the request; the rest is empty
	body      string
	mediaType string
	redirects []string
	etag      string
}

// downloader downloads resources one after the other.
type downloader struct {
	transport *http.Transport
	timeout   time.Duration // of each
	progress  func(n int64)
}

func newDownloader(opts Options, w world) *downloader {
	d := &downloader{newTransport(w), cmp.Or(opts.Timeout, 2*time.Minute), opts.Progress}
	if d.progress == nil {
		d.progress = func(int64) {}
	}
	return d
}

// get downloads a resource, unless it still has the entity tag, if there is one.
func (d *downloader) get(ctx context.Context, r sources.Resource, etag string) (*answer, error) {
	ctx, stop := context.WithTimeoutCause(ctx, d.timeout, fmt.Errorf("took longer than %v", d.timeout))
	defer stop()
	a, err := d.exchange(ctx, r, etag)
	if _, isStatus := errors.AsType[*StatusError](err); err == nil || isStatus {
		return a, err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // it names the method and the address; the latter begins all messages of ours
	}
	return nil, fmt.Errorf("%s: %w", r.URL, err)
}

// follow returns the rule of redirects that stay on an origin. Those that were
// followed are added to a list.
func follow(origin string, redirects *[]string) func(*http.Request, []*http.Request) error {
	return func(to *http.Request, via []*http.Request) error {
		switch u := to.URL; {
		case len(via) > sources.MaxRedirects:
			return fmt.Errorf("is redirected more than %d times", sources.MaxRedirects)
		case u.Scheme+"://"+u.Host != origin || u.User != nil || u.Fragment != "" || u.RawFragment != "":
			return fmt.Errorf("is redirected to %s, which is not on the origin %s", u.Redacted(), origin)
		}
		*redirects = append(*redirects, to.URL.String())
		return nil
	}
}

func (d *downloader) exchange(ctx context.Context, r sources.Resource, etag string) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", strings.Join(accepted(r), ", "))
	req.Header.Set("User-Agent", "svc")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	redirects := []string{}
	client := http.Client{Transport: d.transport, CheckRedirect: follow(r.Origin, &redirects)}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotModified && etag != "" {
		return &answer{unchanged: true}, nil
	}
	if err := checkHead(res, r); err != nil {
		return nil, err
	}
	mediaType := res.Header.Get("Content-Type")
	from := io.Reader(&counted{res.Body, d.progress})
	if isPacked(mediaType, r) {
		// The tree is the tar inside, which is always written the same way. Nobody
		// promises that of what packs it.
		if from, err = gzip.NewReader(from); err != nil {
			return nil, fmt.Errorf("the answer breaks off: %w", err)
		}
		mediaType = sources.MediaTar
	}
	body, err := read(from, r.MaxBytes)
	if err != nil {
		return nil, err
	}
	return &answer{body: body, mediaType: mediaType, redirects: redirects, etag: plainTag(res.Header.Get("ETag"))}, nil
}

// packings are the media types of a packed tar.
var packings = []string{"application/gzip", "application/x-gzip"}

// accepted are the media types that an answer may have.
func accepted(r sources.Resource) []string {
	if r.IsText() {
		return r.MediaTypes
	}
	return slices.Concat(r.MediaTypes, packings)
}

// isPacked reports whether an answer of the media type is a packed tar.
func isPacked(mediaType string, r sources.Resource) bool {
	essence, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	return !r.IsText() && slices.Contains(packings, strings.TrimSpace(essence))
}

// checkHead refuses an answer for what it says of itself.
func checkHead(res *http.Response, r sources.Resource) error {
	if res.StatusCode != http.StatusOK {
		return &StatusError{URL: r.URL, Status: res.StatusCode, RetryAfter: res.Header.Get("Retry-After")}
	}
	if mediaType := res.Header.Get("Content-Type"); !r.Accepts(mediaType) && !isPacked(mediaType, r) {
		return fmt.Errorf("the answer is of media type %q, not %s", mediaType, strings.Join(r.MediaTypes, " or "))
	}
	if coding := res.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fmt.Errorf("the answer is encoded as %q, which was not asked for", coding)
	}
	if res.ContentLength > int64(r.MaxBytes) {
		return fmt.Errorf("the answer has %d bytes, at most %d are approved", res.ContentLength, r.MaxBytes)
	}
	return nil
}

// read reads a body of so many bytes at most.
func read(from io.Reader, most uint64) (string, error) {
	body, err := files.ReadAll(from, int64(most), 0)
	if errors.Is(err, files.ErrTooLarge) {
		return "", fmt.Errorf("the answer has more than the %d bytes that are approved", most)
	}
	if err != nil {
		return "", fmt.Errorf("the answer breaks off: %w", err)
	}
	return body, nil
}

// counted tells of what is read.
type counted struct {
	io.Reader
	progress func(int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress(int64(n))
	return n, err
}

// plainTag is an entity tag that an envelope can hold, else none.
func plainTag(tag string) string {
	const longest = 1024
	if len(tag) > longest || !utf8.ValidString(tag) || strings.TrimSpace(tag) != tag {
		return ""
	}
	return tag
}
