package proc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Owner names this process among all processes of all machines: machine, boot,
// pid and start time, joined by dots. It is fit for a label and for the name of
// a folder.
func Owner() string { return ownOwner() }

var ownOwner = sync.OnceValue(func() string {
	start, _ := life(os.Getpid())
	return strings.Join([]string{machine(), boot(), strconv.Itoa(os.Getpid()), start}, ".")
})

// OwnerGone reports whether owner, as Owner gave it, was a process of this machine
// that is certainly gone: it ended, or the machine was started anew. What other
// machines own, and what is no owner's name at all, is never gone.
func OwnerGone(owner string) bool {
	fields := strings.Split(owner, ".")
	if len(fields) != 4 || fields[0] != machine() {
		return false
	}
	pid, err := strconv.Atoi(fields[2])
	if err != nil || pid <= 0 {
		return false
	}
	if fields[1] != boot() {
		return true
	}
	start, state := life(pid)
	return state == ended || state == alive && start != fields[3]
}

// state is what can be told of a process.
type state int

const (
	unknown state = iota
	alive
	ended
)

// digest shortens what names a machine or a boot to twelve letters.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:6])
}
