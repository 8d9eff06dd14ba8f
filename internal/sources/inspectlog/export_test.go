package inspectlog

import "slices"

// Kept returns the paths of all members that are kept of a log, like eval.model or samples.*.id.
func Kept() []string {
	var paths []string
	var walk func(at string, keep shape)
	walk = func(at string, keep shape) {
		for name, below := range keep {
			if name != each {
				paths = append(paths, at+name)
			}
			walk(at+name+".", below)
		}
	}
	walk("", logShape)
	slices.Sort(paths)
	return paths
}
