package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

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

// get downloads a resource, unless it still has the entity tag, if there is one.
func get(ctx context.Context, client *http.Client, r sources.Resource, etag string, opts Options) (*answer, error) {
	ctx, stop := context.WithTimeoutCause(ctx, opts.Timeout, fmt.Errorf("took longer than %v", opts.Timeout))
	defer stop()
	a, err := exchange(ctx, client, r, etag, opts.Progress)
	if _, isStatus := errors.AsType[*StatusError](err); err == nil || isStatus {
		return a, err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // it names the method and the address; the latter stands before all of ours
	}
	return nil, fmt.Errorf("%s: %w", r.URL, err)
}

// route is where redirects may lead and have led.
type route struct {
	origin    string
	redirects []string
}

type routeKey struct{}

func checkRedirect(to *http.Request, via []*http.Request) error {
	rt, ok := to.Context().Value(routeKey{}).(*route)
	if !ok {
		return errors.New("is redirected")
	}
	switch u := to.URL; {
	case len(via) > sources.MaxRedirects:
		return fmt.Errorf("is redirected more than %d times", sources.MaxRedirects)
	case u.Scheme+"://"+u.Host != rt.origin || u.User != nil || u.Fragment != "" || u.RawFragment != "":
		return fmt.Errorf("is redirected to %s, which is not on the origin %s", u.Redacted(), rt.origin)
	}
	rt.redirects = append(rt.redirects, to.URL.String())
	return nil
}

func exchange(ctx context.Context, client *http.Client, r sources.Resource, etag string, progress func(int64)) (*answer, error) {
	rt := &route{origin: r.Origin, redirects: []string{}}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, routeKey{}, rt), http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", strings.Join(r.MediaTypes, ", "))
	req.Header.Set("User-Agent", "svc")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
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
	body, err := read(res.Body, r.MaxBytes, progress)
	if err != nil {
		return nil, err
	}
	return &answer{body: body, mediaType: res.Header.Get("Content-Type"), redirects: rt.redirects, etag: plainTag(res.Header.Get("ETag"))}, nil
}

// checkHead refuses an answer for what it says of itself.
func checkHead(res *http.Response, r sources.Resource) error {
	if res.StatusCode != http.StatusOK {
		return &StatusError{URL: r.URL, Status: res.StatusCode, RetryAfter: res.Header.Get("Retry-After")}
	}
	if mediaType := res.Header.Get("Content-Type"); !r.Accepts(mediaType) {
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
func read(from io.Reader, most uint64, progress func(int64)) (string, error) {
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(&counted{from, progress}, int64(most)+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the answer breaks off: %w", err)
	case uint64(n) > most:
		return "", fmt.Errorf("the answer has more than the %d bytes that are approved", most)
	}
	return b.String(), nil
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
