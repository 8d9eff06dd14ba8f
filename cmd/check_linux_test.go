package cmd

import (
	"path/filepath"
	"strings"
	"testing"
)

// On a narrow terminal check says in paragraphs what a wide one has in a table, once for
// all keys of a use, and how many findings fail.
func TestCheckOnTerminal(t *testing.T) {
	dir := t.TempDir()
	catalog, err := filepath.Abs("../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	made := process(dir, "lock", "--catalog", catalog, "--use", "zai:zhipuai/glm-5.2", "--use", "deepseek:deepseek/deepseek-v4-pro", "-o", "models.lock.json")
	if out, err := made.CombinedOutput(); err != nil || !strings.Contains(string(out), "\nlocked: 6 facts of 2 uses\n") {
		t.Fatalf("%v: %s", err, out)
	}
	lock := filepath.Join(dir, "models.lock.json")
	writeFile(t, lock, []byte(strings.Replace(readSource(t, lock), "8.7e-7", "5e-7", 1)))
	for _, test := range []struct {
		columns   uint16
		now, want string
	}{
		{80, "2026-07-06", `
fail  PRICE_UP  deepseek:deepseek/deepseek-v4-pro
      price.output: rose from $0.50 to $0.87 per million tokens (+74%): accept
      it with svc check --update, or choose another model

1 failure.
`},
		{80, "2026-09-06", `
fail  EVIDENCE_EXPIRED  deepseek:deepseek/deepseek-v4-pro
      all evidence of the locked facts has expired: get a newer catalog

fail  PRICE_UP  deepseek:deepseek/deepseek-v4-pro
      price.output: rose from $0.50 to $0.87 per million tokens (+74%): accept
      it with svc check --update, or choose another model

fail  EVIDENCE_EXPIRED  zai:zhipuai/glm-5.2
      all evidence of the locked facts has expired: get a newer catalog

warn  CATALOG_OLD
      the catalog is of 2026-07-06, more than 7 days ago: get a newer one

3 failures and 1 warning.
`},
		{200, "2026-07-06", `
LEVEL  CODE      USE                                KEY           WHAT
fail   PRICE_UP  deepseek:deepseek/deepseek-v4-pro  price.output  rose from $0.50 to $0.87 per million tokens (+74%): accept it with svc check --update, or choose another model

1 failure.
`},
	} {
		seen, _ := onTerminalOf(t, test.columns, nil, true, false, "check", "--catalog", catalog, "--lock", lock, "--now", test.now, "--color", "never")
		if _, got, _ := strings.Cut(strings.ReplaceAll(seen, "\r\n", "\n"), "\n"); got != test.want {
			t.Errorf("%d columns: %s\nwant %s", test.columns, got, test.want)
		}
	}
}
