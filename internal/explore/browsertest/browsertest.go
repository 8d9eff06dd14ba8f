// Package browsertest opens pages in Chromium, for tests of the page and for the pictures
// of it in the documentation. It promises to end what it starts, to reach no host but this
// one, and to remember what no good page does: errors on the console, exceptions, breaches
// of the content policy, and requests to elsewhere.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Find returns the program of the browser, or what to install.
func Find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no Chromium: install Debian's package chromium")
}

// Browser is a running browser.
type Browser struct {
	ctx context.Context
}

// Start starts a browser, which ends with the function that it returns.
func Start(ctx context.Context) (*Browser, func(), error) {
	path, err := Find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, // root has no sandbox
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("font-render-hinting", "none"),
	)
	allocator, endAllocator := chromedp.NewExecAllocator(ctx, options...)
	browser, endBrowser := chromedp.NewContext(allocator)
	end := func() { endBrowser(); endAllocator() }
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		end()
		return nil, nil, err
	}
	return &Browser{browser}, end, nil
}

// View is how a page is looked at.
type View struct {
	Width, Height int
	Dark          bool
	Forced        bool   // the colours of the system alone
	Offline       bool   // without any network, this host's neither
	Media         string // print, or empty for the screen
}

// Tab is an open page.
type Tab struct {
	ctx    context.Context
	Close  func()
	origin string // scheme, host and port of what it opened
	mu     sync.Mutex
	faults []string
}

// Open opens an address.
func (b *Browser) Open(view View, address string) (*Tab, error) {
	ctx, end := chromedp.NewContext(b.ctx)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t := &Tab{ctx: ctx, Close: func() { cancel(); end() }, origin: originOf(address)}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Close()
		return nil, err
	}
	err := chromedp.Listen(ctx, t.note)
	if err == nil {
		err = t.Look(view)
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.Navigate(address))
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// note remembers what no good page does.
func (t *Tab) note(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + fmt.Sprintf("%+v", e.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			for _, arg := range e.Args {
				fault += fmt.Sprint(string(e.Type), ": ", arg.Description, string(arg.Value))
			}
		}
	case *network.EventRequestWillBeSent:
		if origin := originOf(e.Request.URL); origin != "" && origin != t.origin {
			fault = "asked " + e.Request.URL
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			fault = fmt.Sprint(e.Entry.Source, ": ", e.Entry.Text, " ", e.Entry.URL)
		}
	}
	if fault != "" {
		t.mu.Lock()
		t.faults = append(t.faults, fault)
		t.mu.Unlock()
	}
}

// originOf returns the origin of an address of the network, "" of any other.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Faults returns what no good page does, and forgets it.
func (t *Tab) Faults() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	faults := t.faults
	t.faults = nil
	return faults
}

// Look changes how the page is looked at.
func (t *Tab) Look(view View) error {
	scheme, forced := "light", "none"
	if view.Dark {
		scheme = "dark"
	}
	if view.Forced {
		forced = "active"
	}
	return chromedp.Do(t.ctx, chromedp.EmulateViewport(int64(view.Width), int64(view.Height)),
		chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{{Offline: view.Offline, DownloadThroughput: -1,
					UploadThroughput: -1}},
			})
			if err != nil {
				return err
			}
			_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Media: view.Media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
					{Name: "forced-colors", Value: forced}},
			})
			return err
		}))
}

// Eval evaluates an expression, after what it promises.
func Eval[T any](t *Tab, expression string) (T, error) {
	return chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Wait waits until an expression is true.
func (t *Tab) Wait(expression string) error {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		done, err := Eval[bool](t, "Boolean("+expression+")")
		if err == nil && done {
			return nil
		}
		if time.Now().After(deadline) || t.ctx.Err() != nil {
			return fmt.Errorf("it did not come to pass: %s (%v) %s", expression, err, strings.Join(t.Faults(), "; "))
		}
	}
}

// Go goes to an address of the page, after #, and waits for its screen.
func (t *Tab) Go(hash, screen string) error {
	if _, err := Eval[string](t,
		fmt.Sprintf(`location.hash === %[1]q ? "" : (document.getElementById("main").dataset.ready = "", location.hash = `+
			`%[1]q)`, hash)); err != nil {
		return err
	}
	return t.Wait(fmt.Sprintf(`document.getElementById("main").dataset.ready === %q`, screen))
}

// Type sends keys, as from a keyboard.
func (t *Tab) Type(keys string) error { return chromedp.Do(t.ctx, chromedp.KeyEvent(keys)) }

// Picture returns the page as PNG: as much of it as the view shows.
func (t *Tab) Picture() ([]byte, error) { return chromedp.Run(t.ctx, chromedp.CaptureScreenshot()) }
