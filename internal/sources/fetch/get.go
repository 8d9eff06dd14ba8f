package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
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

// downloader downloads resources one after the other.
type downloader struct {
	transport *http.Transport
	world     World
	timeout   time.Duration // of each, 0 for the usual one
	progress  func(n int64)
	expect    func(n int64)
	retry     func(reason string)
}

func newDownloader(opts Options, w World) *downloader {
	w.MostRead, w.MostUnpacked = cmp.Or(w.MostRead, MostRead), cmp.Or(w.MostUnpacked, MostUnpacked)
	d := &downloader{newTransport(opts.Roots, w), w, opts.Timeout, opts.Progress, opts.Expect, opts.Retry}
	if d.progress == nil {
		d.progress = func(int64) {}
	}
	if d.expect == nil {
		d.expect = func(int64) {}
	}
	if d.retry == nil {
		d.retry = func(string) {}
	}
	return d
}

// get downloads a resource, unless it still has the entity tag, if there is one.
func (d *downloader) get(ctx context.Context, r sources.Resource, etag string) (*answer, error) {
	x := exchange{downloader: d, resource: r, etag: etag, most: int64(r.MaxBytes), into: &whole{most: r.MaxBytes}}
	timeout := cmp.Or(d.timeout, 2*time.Minute)
	if r.Folders != nil {
		timeout = cmp.Or(d.timeout, time.Hour)
		x.most, x.into = d.world.MostRead, &part{folders: r.Folders, most: d.world.MostUnpacked}
	}
	defer x.into.drop()
	ctx, stop := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("took longer than %v", timeout))
	defer stop()
	a, err := x.persist(ctx)
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

// How often a host is asked, and how long it may make us wait before each time.
const (
	mostAttempts = 4
	longestWait  = 30 * time.Second
)

// exchange is a resource that is asked for until it is there.
type exchange struct {
	*downloader
	resource sources.Resource
	etag     string
	most     int64 // bytes that may come

	into      sink
	got       int64  // bytes that are in it
	validator string // the strong entity tag of a body that broke off, "" if it has none
}

// persist asks for the resource, and again where that may help.
func (x *exchange) persist(ctx context.Context) (*answer, error) {
	pause := time.Second
	for attempt := 1; ; attempt++ {
		a, err := x.ask(ctx)
		if err == nil || attempt == mostAttempts || ctx.Err() != nil || !mayPass(err) {
			return a, err
		}
		delay := pause
		if s, ok := errors.AsType[*StatusError](err); ok && s.RetryAfter != "" {
			if delay = retryAfter(s.RetryAfter, x.world.Now()); delay > longestWait {
				return nil, err
			}
		}
		x.retry(err.Error())
		x.world.Wait(ctx, delay)
		pause *= 2
	}
}

// errBroken is the cause of what happened on the way.
var errBroken = errors.New("the answer breaks off")

// mayPass reports whether a failure may be gone when a host is asked again.
func mayPass(err error) bool {
	if s, ok := errors.AsType[*StatusError](err); ok {
		return slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout}, s.Status)
	}
	op, isNetwork := errors.AsType[*net.OpError](err)
	return errors.Is(err, errBroken) || isNetwork && op.Op == "read"
}

// retryAfter reads how long a host wants to be left alone: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return time.Second
}

// ask asks once.
func (x *exchange) ask(ctx context.Context) (*answer, error) {
	r := x.resource
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", strings.Join(accepted(r), ", "))
	req.Header.Set("User-Agent", "svc")
	if x.etag != "" {
		req.Header.Set("If-None-Match", x.etag)
	}
	if x.got > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", x.got))
		req.Header.Set("If-Range", x.validator)
		req.Header.Del("If-None-Match")
	}
	redirects := []string{}
	client := http.Client{Transport: x.transport, CheckRedirect: follow(r.Origin, &redirects)}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotModified && x.etag != "" && x.got == 0 {
		return &answer{unchanged: true}, nil
	}
	if err := x.begin(res); err != nil {
		return nil, err
	}
	idle := time.AfterFunc(x.world.Idle, func() { stop(fmt.Errorf("%w: nothing came for %v", errBroken, x.world.Idle)) })
	defer idle.Stop()
	raw := &counted{Reader: res.Body, progress: func(n int64) { idle.Reset(x.world.Idle); x.progress(n) }}
	if err := x.take(raw, res); err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, errBroken) {
			err = cause
		}
		return nil, err
	}
	return x.finish(res, redirects)
}

// begin looks at the head of an answer, and goes on with what there is if the host does.
func (x *exchange) begin(res *http.Response) error {
	isRest := x.got > 0 && res.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", x.got))
	if isRest {
		res.StatusCode = http.StatusOK
	} else {
		x.forget()
	}
	if err := x.checkHead(res); err != nil {
		return err
	}
	if !isRest {
		x.into.begin(isPacked(res.Header.Get("Content-Type"), x.resource))
	}
	if res.ContentLength > 0 {
		x.expect(x.got + res.ContentLength)
	}
	return nil
}

// forget takes back what came.
func (x *exchange) forget() {
	x.progress(-x.got)
	x.got = 0
	x.into.drop()
}

// take reads the bytes of an answer. Those of one that breaks off are kept if the host can be
// asked for the rest.
func (x *exchange) take(from *counted, res *http.Response) error {
	n, err := io.Copy(x.into, io.LimitReader(from, x.most-x.got+1))
	x.got += n
	if x.got > x.most {
		return fmt.Errorf("the answer has more than the %d bytes that are approved", x.most)
	}
	if from.err == nil { // what it has is refused, or all of it came
		return err
	}
	x.validator = res.Header.Get("ETag")
	if strings.HasPrefix(x.validator, "W/") || x.validator == "" || res.Header.Get("Accept-Ranges") != "bytes" {
		x.forget()
	}
	return fmt.Errorf("%w: %w", errBroken, from.err)
}

// finish makes an answer of the bytes that came.
func (x *exchange) finish(res *http.Response, redirects []string) (*answer, error) {
	body, err := x.into.end()
	if err != nil {
		return nil, err
	}
	mediaType := res.Header.Get("Content-Type")
	if isPacked(mediaType, x.resource) {
		mediaType = sources.MediaTar
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
func (x *exchange) checkHead(res *http.Response) error {
	r := x.resource
	if res.StatusCode != http.StatusOK {
		return &StatusError{URL: r.URL, Status: res.StatusCode, RetryAfter: res.Header.Get("Retry-After")}
	}
	if mediaType := res.Header.Get("Content-Type"); !r.Accepts(mediaType) && !isPacked(mediaType, r) {
		return fmt.Errorf("the answer is of media type %q, not %s", mediaType, strings.Join(r.MediaTypes, " or "))
	}
	if coding := res.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fmt.Errorf("the answer is encoded as %q, which was not asked for", coding)
	}
	if res.ContentLength > x.most {
		return fmt.Errorf("the answer has %d bytes, at most %d are approved", res.ContentLength, x.most)
	}
	return nil
}

// counted tells of what is read, and keeps why no more can be.
type counted struct {
	io.Reader
	progress func(int64)
	err      error
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress(int64(n))
	if err != nil && err != io.EOF {
		c.err = err
	}
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
