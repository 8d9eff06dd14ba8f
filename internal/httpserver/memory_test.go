package httpserver_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/verify/producer"
)

const mib = 1 << 20

// What the page about operations says of a connection, which bench/serve measures.
const (
	connectionBytes = 210 << 10        // in use
	unreadBytes     = 100 << 10        // in buffers of the system
	sqliteBytes     = (320 + 48) << 20 // kept answers, and pages
)

// The formula of the page about operations has the numbers of the code.
func TestMemoryFormula(t *testing.T) {
	const forRank = httpapi.DefaultMaxRankResponseBytes*3 + 8*mib
	fixed := httpserver.MaxConnections*connectionBytes + httpapi.DefaultMaxConcurrentRankRequests*forRank + httpserver.RoomTogether
	verification := httpserver.MaxConnections*connectionBytes + 8*4*producer.MaxAnswerBytes + httpserver.RoomTogether + sqliteBytes
	for name, want := range map[string][]string{
		"operations.md": {
			fmt.Sprintf("connections * %d KiB + max-concurrent-rank-requests * (max-rank-response-bytes * 3 + 8 MiB) + %d MiB\n", connectionBytes>>10, httpserver.RoomTogether/mib),
			fmt.Sprintf("that is %d MiB plus 4 times the catalog", fixed/mib),
			fmt.Sprintf("about %d KiB for a client", unreadBytes>>10),
			"| connections | 2,048 |",
		},
		"verification-producers.md": {
			fmt.Sprintf("connections * %d KiB + 8 * 4 * largest answer + %d MiB\n", connectionBytes>>10, httpserver.RoomTogether/mib),
			fmt.Sprintf("SQLite that is %d MiB", verification/mib),
			fmt.Sprintf("For more than %d MiB the client gets 422", producer.MaxAnswerBytes/mib),
		},
	} {
		page, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(page)), " ")
		for _, line := range want {
			if !strings.Contains(text, strings.TrimSpace(line)) {
				t.Errorf("%s lacks %q", name, line)
			}
		}
	}
	// Units and manifests give the program what it may take, and the system room for
	// its buffers.
	limits := regexp.MustCompile(`(?:GOMEMLIMIT=|name: GOMEMLIMIT\s+value: )(\d+)MiB[\s\S]*(?:MemoryMax=|limits:\s+cpu: "2"\s+memory: )(\d+)G`)
	for name, needed := range map[string]int{
		"systemd/svc-serve.service":        fixed + 4*25_000_000,
		"kubernetes/base/deployment.yaml":  fixed + 4*25_000_000,
		"systemd/svc-verify-serve.service": verification,
	} {
		text, err := os.ReadFile("../../packaging/" + name)
		if err != nil {
			t.Fatal(err)
		}
		found := limits.FindSubmatch(text)
		if found == nil {
			t.Errorf("%s sets no limits of memory", name)
			continue
		}
		soft, _ := strconv.Atoi(string(found[1]))
		hard, _ := strconv.Atoi(string(found[2]))
		if soft*mib < needed {
			t.Errorf("%s: GOMEMLIMIT is %d MiB, the formula gives %d", name, soft, needed/mib)
		}
		if buffers := httpserver.MaxConnections * unreadBytes; hard<<30 < soft*mib+buffers {
			t.Errorf("%s: %d GiB leave no %d MiB for buffers", name, hard, buffers/mib)
		}
	}
}
