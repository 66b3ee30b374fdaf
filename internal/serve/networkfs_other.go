//go:build !linux

package serve

// onNetworkFS reports false: the kind of a file system is known on Linux only.
func onNetworkFS(string) bool { return false }
