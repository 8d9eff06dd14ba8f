package build

import (
	"os"
	"path/filepath"

	"github.com/model-catalog-service/svc/internal/sources/recipe"
)

// Find returns the recipe of a folder: in it, or in the nearest folder above that has one. It
// returns "" if none has.
func Find(folder string) string {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	for {
		name := filepath.Join(folder, recipe.FileName)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}
