package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// stat is what the kernel says of a process in /proc/PID/stat.
type stat struct {
	state   byte // 'Z' is a zombie: ended, but not yet waited for
	parent  int
	session int
	start   string // clock ticks since boot, field 22
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
	session, err2 := strconv.Atoi(fields[3])
	if err != nil || err2 != nil {
		return stat{}, fmt.Errorf("unexpected process status %q", text)
	}
	return stat{state: fields[0][0], parent: parent, session: session, start: fields[19]}, nil
}

// below finds the living processes that a process started, and which those
// started, as far as their parents live, and all of the session it leads.
func below(leader int) (pids []int) {
	all := map[int]stat{}
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil && s.state != 'Z' {
			all[pid] = s
		}
	}
	for pid, s := range all {
		if pid == leader {
			continue
		}
		found := s.session == leader
		for range all { // a number given away while we read could make a ring
			if found || s.parent == 0 {
				break
			}
			found = s.parent == leader
			s = all[s.parent]
		}
		if found {
			pids = append(pids, pid)
		}
	}
	return pids
}
