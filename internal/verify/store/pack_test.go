package store_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/store"
)

// What no program has written is refused, whatever it is.
func TestDamagedPacks(t *testing.T) {
	for _, whole := range []string{"", `c2,0,8:c1{"id":1}v2,3,2:v1ann{}`} {
		if err := store.ReadPack(whole); err != nil {
			t.Errorf("%q: %v", whole, err)
		}
		for n := range len(whole) {
			if part := whole[:n]; part != "" && part != `c2,0,8:c1{"id":1}` && store.ReadPack(part) == nil {
				t.Errorf("%q is read", part)
			}
		}
	}
	for _, text := range []string{
		"x1,0,2:x{}", "c,0,2:x{}", "c1,0,2;x{}", "c-1,0,2:x{}", "c1,0:x{}", "c1,0,3:x{}", "c1,0,0:x", "c99999999999999999999,0,2:x{}",
		"c1,0,2:x{}e", "c1,0,2:x{} ", "c73,0,2:\x01sha256:0000000000000000000000000000000000000000000000000000000000000000{}",
	} {
		if err := store.ReadPack(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
