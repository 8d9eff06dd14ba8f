package discovery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

const (
	indexURL  = "https://livebench.ai/"
	bundleURL = "https://livebench.ai/static/js/main.b0448181.js"
	fetchedAt = "2026-11-01T06:00:00.000Z"
)

// known are the releases of the sites that the tests make.
var known = []string{"2024-06-24", "2024-07-26", "2024-08-31", "2024-11-25", "2025-04-02", "2025-04-25", "2025-05-30", "2025-11-25", "2025-12-23", "2026-01-08"}

// page is an index page as a build writes it.
const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"/><title>LiveBench</title>` +
	`<script defer="defer" src="./static/js/main.b0448181.js"></script><link href="./static/css/main.0a1b2c3d.css" rel="stylesheet"></head>` +
	`<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`

// list is the releases as a list.
func list(dates ...string) string { return `["` + strings.Join(dates, `","`) + `"]` }

// chainOf is the releases as a chain over a variable.
func chainOf(name string, dates ...string) string {
	var b strings.Builder
	for i, d := range dates[:len(dates)-1] {
		fmt.Fprintf(&b, `"%d"===%s?"%s":`, i, name, d)
	}
	return b.String() + `"` + dates[len(dates)-1] + `"`
}

// inverse is the chain from a release to its index.
func inverse(name string, dates ...string) string {
	var b strings.Builder
	for i, d := range dates[:len(dates)-1] {
		fmt.Fprintf(&b, `"%s"===%s?"%d":`, d, name, i)
	}
	return b.String() + fmt.Sprintf(`"%d"`, len(dates)-1)
}

// slider is a component as builds since 2025-04 have it.
func slider(dates ...string) string {
	return `const ti=()=>{const[e,t]=(0,r.useState)("` + dates[len(dates)-1] + `"),n=e=>{const T=e.target.value;t(` + chainOf("T", dates...) +
		`)};return(0,ei.jsxs)("div",{children:[(0,ei.jsx)("input",{type:"range",min:"0",max:` + fmt.Sprint(len(dates)-1) + `,step:"1",value:` +
		inverse("e", dates...) + `,onChange:n}),(0,ei.jsx)(to,{dateStr:e})]})};`
}

// build puts code into a program like those that builds write.
func build(code string) string {
	return `/*! For license information please see main.b0448181.js.LICENSE.txt */
(()=>{"use strict";var e={730:(e,t,n)=>{var r=n(43);function a(e){for(var t="https://example.com/?v="+e,n=1;n<arguments.length;n++)t+="&args[]="+encodeURIComponent(arguments[n]);return t/2}e.exports=a}},t={};function n(r){var a=t[r];if(void 0!==a)return a.exports;var o=t[r]={exports:{}};return e[r](o,o.exports,n),o.exports}n.n=e=>{var t=e&&e.__esModule?()=>e.default:()=>e;return n.d(t,{a:t}),t};var r=n(43),ei=n(579);` +
		code + `ReactDOM.createRoot(document.getElementById("root")).render((0,ei.jsx)(r.StrictMode,{children:(0,ei.jsx)(ti,{})}))})();
//# sourceMappingURL=main.b0448181.js.map`
}

// otherCode is about so many bytes of minified code of all kinds, with ninety
// dates in it that are no releases. Its names count from first.
func otherCode(size, first int) string {
	var b strings.Builder
	for i := first; b.Len() < size; i++ {
		d := fmt.Sprintf("20%02d-%02d-%02d", 20+i%7, 1+i%12, 1+i%28)
		if i >= first+90 {
			d = "x"
		}
		fmt.Fprintf(&b, `const m%d={id:"model-%d-%s",released:"%s",link:e=>e?`+"`https://example.com/${e.id}/${`v${e.v/2}`}`"+`:null,re:/^(?:[a-z\/"']+)-\d{4}$/gi};`, i, i, d, d)
		fmt.Fprintf(&b, `function f%d(e,t){if(!e)return t/e.n/2;for(var n of[1,2,3]){if(/["'\/]/.test(n))continue;switch(n){case 1:t+=n;break;default:t-=n}}try{t=e.of/2}catch{t=void 0}finally{t??=0}return"%s"===e?.d?"%d":t}`, i, d, i)
		fmt.Fprintf(&b, `class C%d extends(m%d.base||Object){static#a=1;get b(){return C%d.#a}async*[Symbol.asyncIterator](){yield*this;await this.b}}`, i, i, i)
	}
	return b.String()
}

func file(t testing.TB, url, body string) sources.File {
	t.Helper()
	return sourcetest.Pin(t, "livebench", url, fetchedAt, body)
}

// discover proposes from a page and a bundle.
func discover(t testing.TB, index, bundle string) (*Proposal, error) {
	t.Helper()
	return Propose(Request{
		Manifest: sourcetest.Manifest(t), Source: "livebench",
		Index: file(t, indexURL, index), Bundle: file(t, bundleURL, bundle),
	})
}

// refused demands that discovery was refused at a path.
func refused(t *testing.T, err error, path, reason string) {
	t.Helper()
	faults := problem.All(err)
	if len(faults) == 0 {
		t.Errorf("not refused: %v", err)
		return
	}
	e := faults[0]
	if e.Code != problem.InvalidSourceDiscovery || e.Path != path || !strings.Contains(e.Reason, reason) {
		t.Errorf("refused with %s, %s\nwant %s: ...%s...", e.Code, e, path, reason)
	}
}
