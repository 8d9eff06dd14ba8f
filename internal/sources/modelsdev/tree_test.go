package modelsdev_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// entry is what a tar holds: a file, a link if it has a target, a folder if its name
// ends in a slash.
type entry struct {
	name, text, target string
	kind               byte // of another type
}

const price = "[cost]\ninput = 0.8\noutput = 4\n"

// row is a file of a provider.
func row(id, text string) entry { return entry{name: "top/providers/" + id + ".toml", text: text} }

func archived(t testing.TB, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Linkname: e.target, Size: int64(len(e.text)), Mode: 0o644, ModTime: time.Unix(1_780_000_000, 0), Typeflag: e.kind}
		switch {
		case e.kind != 0:
		case e.target != "":
			h.Typeflag = tar.TypeSymlink
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		default:
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// listed returns the rows of a tar, as their ids with why they are skipped.
func listed(t *testing.T, entries ...entry) (rows []string, l *offer.Listing) {
	t.Helper()
	l, err := modelsdev.Read(archived(t, entries...))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range l.Rows {
		rows = append(rows, strings.TrimSpace(r.ID+" "+string(r.Skip)))
	}
	return rows, l
}

// Links are followed within the top folder. One that leads out of it, to nothing, to
// itself or through too many others makes a row that dangles.
func TestLinks(t *testing.T) {
	at := func(name, target string) entry { return entry{name: "top/providers/" + name, target: target} }
	entries := []entry{
		row("a/models/atlas", price),
		at("a/models/same.toml", "atlas.toml"),
		at("b/models/theirs.toml", "../../a/models/atlas.toml"),
		at("b/models/out.toml", "../../../../etc/passwd"),
		at("b/models/out-and-in.toml", "../../../../top/providers/a/models/atlas.toml"),
		at("b/models/past-top.toml", "../../../../providers/a/models/atlas.toml"),
		at("b/models/rooted.toml", "/theirs.toml"),
		at("b/models/rooted-at-top.toml", "/providers/a/models/atlas.toml"),
		at("b/models/rooted-outside.toml", "/top/providers/a/models/atlas.toml"),
		at("b/models/nothing.toml", "missing.toml"),
		at("b/models/itself.toml", "itself.toml"),
		at("b/models/through-file.toml", "theirs.toml/x"),
		at("c", "a"),
		at("d/models", "../a/models"),
		at("e/models/loop", "."),
		row("g/models/folder/atlas", price),
		at("f/models/folder.toml", "../../g/models/folder"),
	}
	for i := range 9 {
		target := fmt.Sprintf("hop%d.toml", i-1)
		if i == 0 {
			target = "atlas.toml"
		}
		entries = append(entries, at(fmt.Sprintf("a/models/hop%d.toml", i), target))
	}
	rows, _ := listed(t, entries...)
	want := []string{
		"a/atlas", "a/hop0", "a/hop1", "a/hop2", "a/hop3", "a/hop4", "a/hop5", "a/hop6", "a/hop7", "a/hop8 row-dangling", "a/same",
		"b/itself row-dangling", "b/nothing row-dangling", "b/out-and-in row-dangling", "b/out row-dangling", "b/past-top row-dangling",
		"b/rooted-at-top row-dangling", "b/rooted-outside row-dangling", "b/rooted row-dangling", "b/theirs", "b/through-file row-dangling",
		"c/atlas", "c/hop0", "c/hop1", "c/hop2", "c/hop3", "c/hop4", "c/hop5", "c/hop6", "c/hop7", "c/hop8 row-dangling", "c/same",
		"d/atlas", "d/hop0", "d/hop1", "d/hop2", "d/hop3", "d/hop4", "d/hop5", "d/hop6", "d/hop7", "d/hop8 row-dangling", "d/same",
		"e/loop row-dangling", "f/folder.toml/atlas", "g/folder/atlas",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q\nwant %q", rows, want)
	}
}

// A row takes over what it is built on; one that builds on nothing, on itself or on too
// many others gives nothing, and a file that is not TOML hinders no other.
func TestBases(t *testing.T) {
	base := entry{name: "top/models/lab/atlas.toml", text: "reasoning = true\n[limit]\ncontext = 1000\noutput = 10\n"}
	entries := []entry{
		base,
		row("a/models/whole", price),
		row("a/models/built", "base_model = \"lab/atlas\"\n"+price),
		row("a/models/less", "base_model = \"lab/atlas\"\nbase_model_omit = [\"limit.output\"]\n"),
		row("a/models/nowhere", "base_model = \"lab/basalt\"\n"),
		row("a/models/number", "base_model = 1\n"),
		row("a/models/extends", "[extends]\nfrom = \"a/built\"\nomit = [\"cost.input\"]\n"),
		row("a/models/itself", "[extends]\nfrom = \"a/itself\"\n"),
		row("a/models/circle1", "[extends]\nfrom = \"a/circle2\"\n"),
		row("a/models/circle2", "[extends]\nfrom = \"a/circle1\"\n"),
		row("a/models/broken", "[cost\n"),
		row("a/models/twice", "x = 1\nx = 2\n"),
		row("b/models/chain0", price),
	}
	for i := 1; i < 11; i++ {
		entries = append(entries, row(fmt.Sprintf("b/models/chain%d", i), fmt.Sprintf("[extends]\nfrom = \"b/chain%d\"\n", i-1)))
	}
	rows, l := listed(t, entries...)
	want := []string{
		"a/broken row-unreadable", "a/built", "a/circle1 row-without-base", "a/circle2 row-without-base", "a/extends", "a/itself row-without-base",
		"a/less", "a/nowhere row-without-base", "a/number row-without-base", "a/twice row-unreadable", "a/whole",
		"b/chain0", "b/chain1", "b/chain10 row-without-base", "b/chain2", "b/chain3", "b/chain4", "b/chain5", "b/chain6", "b/chain7", "b/chain8", "b/chain9 row-without-base",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q\nwant %q", rows, want)
	}
	keys := map[string]string{}
	for _, r := range l.Rows {
		for _, d := range r.Declarations {
			for _, f := range d.Facts {
				keys[r.ID] += f.Key + " "
			}
		}
	}
	for id, want := range map[string]string{
		"a/built":   "capability.reasoning limits.context limits.output price.input price.output ",
		"a/less":    "capability.reasoning limits.context ",
		"a/extends": "capability.reasoning limits.context limits.output price.output ",
		"b/chain8":  "price.input price.output ",
	} {
		if keys[id] != want {
			t.Errorf("%s states %q, want %q", id, keys[id], want)
		}
	}
	for _, r := range l.Rows {
		if r.ID == "a/twice" && (r.Place.File != "top/providers/a/models/twice.toml" || r.Place.Line != 2) {
			t.Errorf("the fault of %s is at %+v", r.ID, r.Place)
		}
	}
}

// Of what a row takes over its own values win, tables are merged member by member, lists
// are replaced whole, and what is omitted goes last. Of a file of models/ what is not about
// offers stays there.
func TestMerged(t *testing.T) {
	const base = "tool_call = true\nweights = [\"w\"]\nlicense = \"mit\"\nlinks = 1\nbenchmarks = [{ a = 1 }]\n" +
		"[modalities]\ninput = [\"text\", \"audio\"]\n[limit]\ncontext = 1000\noutput = 10\n"
	_, l := listed(t,
		entry{name: "top/models/lab/atlas.toml", text: base},
		row("a/models/built", "base_model = \"lab/atlas\"\ntool_call = false\nbase_model_omit = [\"limit.input\"]\n[limit]\noutput = 20\ninput = 5\n[modalities]\ninput = [\"image\"]\n[cost]\ninput = 1\noutput = 2\n"),
		row("b/models/extends", "tool_call = true\n[extends]\nfrom = \"a/built\"\nomit = [\"limit.output\", \"limit.context\", \"modalities\"]\n[cost]\noutput = 3\n"))
	want := [][]string{
		{"capability.tools false", "limits.context 1000", "limits.output 20", "modality.input.audio false", "modality.input.image true", "modality.input.pdf false",
			"modality.input.text false", "modality.input.video false", "price.input 0.000001", "price.output 0.000002"},
		{"capability.tools true", "price.input 0.000001", "price.output 0.000003"},
	}
	for i := range want {
		if got := offertest.Show(&l.Rows[i]); !slices.Equal(got, want[i]) {
			t.Errorf("%s gives %q, want %q", l.Rows[i].ID, got, want[i])
		}
	}
	if len(l.NewMembers) > 0 {
		t.Errorf("new members: %v", l.NewMembers)
	}
}

// What a row gives, member by member.
func TestRows(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"prices per million": {"[cost]\ninput = 0.8\noutput = 1_000.0\nreasoning = 4e0\ncache_read = 0.024999999999999998\ninput_audio = 5\n",
			[]string{"price.cache_read 2.5e-8", "price.input 8e-7", "price.output 0.001", "price.reasoning 0.000004"}},
		"0, less, text, another unit": {"[cost]\ninput = 0.0\noutput = -1\ncache_read = \"1\"\ncache_write = 2\n",
			[]string{"price.cache_write 0.000002", "unknown-price at .x.cost.input", "invalid-value at .x.cost.output", "invalid-value at .x.cost.cache_read"}},
		"another unit":                {"[cost]\ninput = 1001\noutput = 1\n", []string{"implausible-price at .x.cost.input", "implausible-price at .x.cost.output", "row-empty"}},
		"long prompts, the older way": {"[cost]\ninput = 1\n[cost.context_over_200k]\ninput = 2\n", []string{"price.input 0.000001", "price.input@context>200000 0.000002"}},
		"long prompts": {"[cost]\ninput = 1\n[[cost.tiers]]\ninput = 2\ntier = { size = 128_000 }\n[[cost.tiers]]\ninput = 3\ntier = { type = \"context\", size = 272_000 }\n",
			[]string{"price.input 0.000001", "price.input@context>128000 0.000002", "price.input@context>272000 0.000003"}},
		"both ways, and they differ": {"[cost.context_over_200k]\ninput = 2\noutput = 3\n[[cost.tiers]]\ninput = 4\noutput = 3\ntier = { size = 200_000 }\n",
			[]string{"price.output@context>200000 0.000003", "contradicts-itself at .x.cost.context_over_200k.input"}},
		"times of the day": {"[cost]\ninput = 1\noutput = 5\n[[cost.tiers]]\ninput = 2\ntier = { type = \"time\", windows = [] }\n", []string{"price.output 0.000005", "unknown-price at .x.cost.tiers[0]"}},
		"tiers that are none": {"[cost]\ninput = 1\n[[cost.tiers]]\ninput = 2\n[[cost.tiers]]\ninput = 3\ntier = { type = \"moon\", size = 1 }\n[[cost.tiers]]\ninput = 4\ntier = { size = 0 }\n",
			[]string{"price.input 0.000001", "invalid-value at .x.cost.tiers[0]", "invalid-value at .x.cost.tiers[1]", "invalid-value at .x.cost.tiers[2].tier.size"}},
		"limits":              {"[limit]\ncontext = 1_000\ninput = 900\noutput = 1000\n", []string{"limits.context 1000", "limits.input 900", "limit-not-separate at .x.limit.output"}},
		"dates":               {"release_date = 2026-05-01\nknowledge = \"2025-02-31\"\nstatus = \"beta\"\n", []string{"knowledge.cutoff \"2025-02\"", "lifecycle.released \"2026-05-01\"", "lifecycle.status \"beta\""}},
		"dates that are none": {"release_date = \"2025-25-11\"\nknowledge = \"2025\"\n", []string{"invalid-value at .x.release_date", "invalid-value at .x.knowledge", "row-empty"}},
		"modalities": {"[modalities]\ninput = [\"text\", \"smell\"]\n", []string{"modality.input.audio false", "modality.input.image false", "modality.input.pdf false",
			"modality.input.text true", "modality.input.video false"}},
		"flags":     {"tool_call = true\nstructured_output = false\nopen_weights = \"yes\"\n", []string{"capability.structured_outputs false", "capability.tools true", "invalid-value at .x.open_weights"}},
		"no tables": {"cost = 1\nlimit = []\nmodalities = \"text\"\n", []string{"invalid-value at .x.cost", "invalid-value at .x.limit", "invalid-value at .x.modalities", "row-empty"}},
	} {
		_, l := listed(t, row("a/models/x", tt.text))
		got := offertest.Show(&l.Rows[0])
		for i := range got {
			got[i] = strings.Replace(got[i], l.Rows[0].Path, ".x", 1)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s,\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// What is no tree is refused as a whole, by a reason and the name of the entry.
func TestRefusedTrees(t *testing.T) {
	good := row("a/models/atlas", price)
	whole := archived(t, good)
	big := strings.Repeat("#", 64<<10+1)
	for name, tt := range map[string]struct{ body, path, reason string }{
		"nothing":                  {"", "$", "lacks its end"},
		"no tar":                   {strings.Repeat("x", 2048), "$", "is not a tar"},
		"cut in a file":            {whole[:600], "$", "truncated"},
		"without its end":          {whole[:len(whole)-1024], "$", "truncated"},
		"with something after":     {whole + "x", "$", "after its end"},
		"two top folders":          {archived(t, good, entry{name: "other/x.toml"}), "$", "outside of the top folder"},
		"a name that leaves":       {archived(t, good, entry{name: "top/../../etc/passwd"}), "$", "has a name with .."},
		"an absolute name":         {archived(t, good, entry{name: "/etc/passwd"}), "$", "absolute"},
		"a file twice":             {archived(t, good, good), "$", "there twice"},
		"a file in a file":         {archived(t, good, entry{name: good.name + "/x.toml"}), "$", "not a folder"},
		"a device":                 {archived(t, good, entry{name: "top/dev", kind: tar.TypeChar}), "$", "is of type"},
		"a hard link":              {archived(t, good, entry{name: "top/hard", target: "top/x", kind: tar.TypeLink}), "$", "is of type"},
		"a huge file":              {archived(t, good, row("a/models/big", big)), "$", "TOML file has at most"},
		"a link of a long name":    {archived(t, good, entry{name: "top/long", target: strings.Repeat("x/", 600)}), "$", "is a symbolic link to a name of"},
		"a long name":              {archived(t, good, entry{name: "top/" + strings.Repeat("y", 1100)}), "$", "name of"},
		"deep folders":             {archived(t, good, entry{name: "top/" + strings.Repeat("d/", 40) + "x"}), "$", "folders"},
		"no providers":             {archived(t, entry{name: "top/models/lab/x.toml"}), "$", "no folder providers"},
		"lists within lists":       {archived(t, row("a/models/deep", "x = "+strings.Repeat("[", 60)+strings.Repeat("]", 60)+"\n")), "$", "nested deeper"},
		"tables within tables":     {archived(t, row("a/models/deep", "x = "+strings.Repeat("{a=", 60)+"1"+strings.Repeat("}", 60)+"\n")), "$", "nested deeper"},
		"a key of a thousand dots": {archived(t, row("a/models/deep", strings.Repeat("a.", 1000)+"a = 1\n")), "$", "nested deeper"},
	} {
		_, err := modelsdev.Read(tt.body)
		faults := problem.All(err)
		if len(faults) == 0 || faults[0].Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(faults[0].Path, tt.path) || !strings.Contains(faults[0].Reason, tt.reason) {
			t.Errorf("%s: %v, want a fault with %q", name, err, tt.reason)
		}
	}
}

// Hostile trees take memory in proportion to their size.
func TestHostileTrees(t *testing.T) {
	digits := strings.Repeat("1", 60_000)
	many := func(n int, e func(i int) entry) string {
		var entries []entry
		for i := range n {
			entries = append(entries, e(i))
		}
		return archived(t, entries...)
	}
	for name, body := range map[string]string{
		"a price of sixty thousand digits": archived(t, row("a/models/x", "[cost]\ninput = 0."+digits+"\n")),
		"a whole number of them":           archived(t, row("a/models/x", "[limit]\ncontext = "+digits+"\n")),
		"ten thousand tables":              archived(t, row("a/models/x", strings.Repeat("[[t]]\n", 10_000))),
		"twenty thousand keys":             archived(t, row("a/models/x", manyKeys(5_000))),
		"rows that all extend one":         many(2_000, func(i int) entry { return row(fmt.Sprintf("a/models/r%04d", i), "[extends]\nfrom = \"a/r0000\"\n") }),
		"folders that are one another": many(20, func(i int) entry {
			return entry{name: fmt.Sprintf("top/providers/p%02d/models/l%02d", i/4, i%4), target: "../.."}
		}),
		"more entries than are read": many(40_001, func(i int) entry { return entry{name: fmt.Sprintf("top/f%05d", i)} }),
	} {
		peak := sourcetest.PeakMemory(func() {
			l, err := modelsdev.Read(body)
			if err == nil {
				offertest.Hold(t, l)
			}
		})
		if limit := 16<<20 + 24*len(body); peak > uint64(limit) {
			t.Errorf("%s: %d bytes take %d bytes of memory", name, len(body), peak)
		}
	}
}

// A tree has as many entries as it may have, and not one more.
func TestMostEntries(t *testing.T) {
	entries := []entry{row("a/models/x", price)}
	for i := range 40_000 {
		entries = append(entries, entry{name: fmt.Sprintf("top/f%05d", i)})
	}
	if _, err := modelsdev.Read(archived(t, entries[:40_000]...)); err != nil {
		t.Error(err)
	}
	_, err := modelsdev.Read(archived(t, entries...))
	sourcetest.Refused(t, "one more", err, "$", "holds more than 40000 entries")
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d = %d\n", i, i)
	}
	return b.String()
}

// FuzzTar reads whatever calls itself a tree.
func FuzzTar(f *testing.F) {
	f.Add([]byte(archived(f, row("a/models/atlas", price), entry{name: "top/providers/a/models/l.toml", target: "atlas.toml"})))
	f.Add([]byte(archived(f, entry{name: "top/models/lab/atlas.toml", text: price}, row("a/models/x", "base_model = \"lab/atlas\"\n"))))
	f.Add([]byte(archived(f, entry{name: "top/providers/"}, entry{name: "top/providers/a", target: "."})))
	f.Fuzz(func(t *testing.T, body []byte) { hold(t, string(body)) })
}

// FuzzTOML reads whatever a row may be.
func FuzzTOML(f *testing.F) {
	f.Add(price)
	f.Add("base_model = \"lab/atlas\"\nbase_model_omit = [\"limit.input\"]\n[[cost.tiers]]\ninput = 1e-3\ntier = { size = 200_000 }\n")
	f.Add("a.b.c = 0x1F\n[a.b]\nd = 1979-05-27T07:32:00Z\n[extends]\nfrom = 'a/x'\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 64<<10 {
			hold(t, archived(t, row("a/models/x", text), entry{name: "top/models/lab/atlas.toml", text: price}))
		}
	})
}

// hold reads a body, which gives a listing that holds or faults with a code and path.
func hold(t *testing.T, body string) {
	l, err := modelsdev.Read(body)
	if err == nil {
		offertest.Hold(t, l)
		return
	}
	faults := problem.All(err)
	for _, e := range faults {
		if e.Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(e.Path, "$") || e.Reason == "" {
			t.Errorf("refused with %s at %s", e.Code, e.Path)
		}
	}
	if len(faults) == 0 {
		t.Errorf("refused without a fault: %v", err)
	}
}
