//go:build !unix

package proc

import (
	"errors"
	"os"
)

var errSystem = errors.New("running programs needs Linux or macOS: on Windows, use WSL")

// Supervise must be the first call of main, and of TestMain where a test starts
// programs. Here nothing can be started and it returns at once.
func Supervise(func(engine, owner string)) {}

// RegisterContainers does nothing on this system.
func RegisterContainers(string) (unregister func()) { return func() {} }

// KilledByFilter returns false: there is no signal filter on this system.
func (r Result) KilledByFilter() bool { return false }

func startTree(Spec, string) (tree, error) { return nil, errSystem }

func killGroup(int) {}

func isOurs(os.FileInfo) bool { return true }

func mayExecute(string) bool { return true }

func sweepCgroups() error { return nil }
