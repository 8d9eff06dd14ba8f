package record

import (
	"slices"
	"testing"
)

// A runtime names its seller and its parts, whatever the order in which they were given.
func TestOfferRuntime(t *testing.T) {
	tests := []struct {
		seller, region string
		services       []string
		want           string
		parts          []string
	}{
		{"openrouter", "", nil, "openrouter", nil},
		{"openrouter", "", []string{"free"}, "openrouter:free", []string{"free"}},
		{"amazon-bedrock", "eu", nil, "amazon-bedrock:eu", []string{"eu"}},
		{"amazon-bedrock", "eu", []string{"flex", "batch"}, "amazon-bedrock:batch,eu,flex", []string{"batch", "eu", "flex"}},
	}
	for _, tt := range tests {
		got := OfferRuntime(tt.seller, tt.region, tt.services)
		seller, parts := Seller(got)
		if got != tt.want || seller != tt.seller || !slices.Equal(parts, tt.parts) {
			t.Errorf("%s: %q of %q with %q", tt.want, got, seller, parts)
		}
	}
}

func TestIsService(t *testing.T) {
	for part, want := range map[string]bool{"free": true, "batch": true, "commitment-1m": true, "eu": false, "us-east-1": false, "local": false, "": false, "standard": false} {
		if IsService(part) != want {
			t.Errorf("%q is a service: %v", part, !want)
		}
	}
}
