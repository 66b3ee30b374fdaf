//go:build !linux

package proc

var ways = []string{"process group"}

func choose(string) (back func(), err error) { return func() {}, nil }
