//go:build !linux

package serve

// remote tells whether a folder may change unheard. Elsewhere than on Linux it
// cannot be told.
func remote(string) bool { return false }
