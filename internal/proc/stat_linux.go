package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stat is what the kernel says of a process in /proc/PID/stat.
type stat struct {
	state  byte // 'Z' is a zombie: ended, but not yet waited for
	parent int
	start  string // clock ticks since boot, field 22
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

func parseStat(text string) (stat, error) {
	// The name in parentheses may itself hold blanks and parentheses.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("unexpected process status %q", text)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return stat{}, fmt.Errorf("unexpected process status %q", text)
	}
	return stat{state: fields[0][0], parent: parent, start: fields[19]}, nil
}
