//go:build !unix

package proc

import "errors"

var errSystem = errors.New("running programs needs Linux or macOS: on Windows, use WSL")

// Supervise must be the first call of main, and of TestMain where a test starts
// programs. Here nothing can be started and it returns at once.
func Supervise() {}

func startTree(Spec, string) (tree, error) { return nil, errSystem }

func killGroup(int) {}

func sweepCgroups() error { return nil }
