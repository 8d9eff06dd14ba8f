package v3_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Of two candidates one is shown to be better where R's interval for the difference of their shares leaves zero out.
func TestNewcombeOfR(t *testing.T) {
	f, err := os.Open("../statistics/testdata/intervals.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[bool]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "newcombe") {
			continue
		}
		var x, n [2]int
		var level, low, high float64
		if _, err := fmt.Sscan(lines.Text()[len("newcombe"):], &x[0], &n[0], &x[1], &n[1], &level, &low, &high); err != nil {
			t.Fatal(err)
		}
		if math.Abs(low) < 1e-9 || math.Abs(high) < 1e-9 {
			continue
		}
		var all []observed
		for i, model := range []string{"a", "b"} {
			share := strconv.FormatFloat(float64(x[i])/float64(n[i]), 'g', -1, 64)
			all = append(all, observed{model: model, evidence: model, task: "f/s", measurements: sample(share, "") + "," + measuredKey("n", "sample", strconv.Itoa(n[i]), "")})
		}
		w := &world{ranker: newRanker(t, all...), members: fmt.Sprintf(`"confidence":%v,"preferences":[{"id":"p","measurementKey":"k","aggregation":"mean",`+
			`"direction":"maximize","weight":1,"scale":{"low":0,"high":1},"transfer":["execution"]}],"keys":[{"key":"k","bounds":{"low":0,"high":1},"size":{"trials":"n"}}]`, level)}
		first := w.rank(t, []string{"a", "b"}, "").Ranked[0]
		isShown, want := first.RankInterval.High == 1, low > 0 || high < 0
		if isShown != want {
			t.Errorf("%s: shown %v", lines.Text(), isShown)
		}
		seen[want]++
	}
	if seen[true] < 30 || seen[false] < 30 {
		t.Errorf("too few of each: %v", seen)
	}
}
