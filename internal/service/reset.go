package service

import (
	"errors"
	"strings"
)

// snapshot is what a fresh server says of itself, as far as commands can change
// it.
type snapshot struct {
	config map[string]string
	rule   []string // the default user's, as ACL LIST writes it
}

var errNoSnapshot = errors.New("this server does not say how to be made as new")

// cleanup undoes what commands did, in this order: first whatever could keep
// the rest from being done. The default user's rule comes before.
var cleanup = [][]string{
	{"CLIENT", "UNPAUSE"},
	{"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"},
	{"CLIENT", "KILL", "TYPE", "pubsub"},
	{"CLIENT", "KILL", "TYPE", "replica"},
	{"REPLICAOF", "NO", "ONE"},
	{"FLUSHALL", "SYNC"},
	{"SCRIPT", "FLUSH", "SYNC"},
	{"FUNCTION", "FLUSH", "SYNC"},
	{"ACL", "LOG", "RESET"},
	{"SLOWLOG", "RESET"},
	{"LATENCY", "RESET"},
	{"CONFIG", "RESETSTAT"},
}

// takeSnapshot reads the settings of an unused server. One that cannot answer
// has an empty snapshot, with which restore fails: it is then replaced
// instead of washed.
func takeSnapshot(c *conn) snapshot {
	rule, err := defaultRule(c)
	if err != nil {
		return snapshot{}
	}
	config, err := readConfig(c)
	if err != nil {
		return snapshot{}
	}
	s := snapshot{config: config, rule: rule}
	// The rule reads differently after a reset though it means the same. Wash
	// once now, so that the first user sees what all others will.
	if s.restore(c) != nil {
		return snapshot{}
	}
	return s
}

// restore makes the server as it was at the snapshot.
func (s snapshot) restore(c *conn) error {
	if s.config == nil {
		return errNoSnapshot
	}
	users, err := c.do("ACL", "USERS")
	if err != nil {
		return err
	}
	config, err := readConfig(c)
	if err != nil {
		return err
	}
	// The whole rule in one command: after a bare reset nothing is allowed, this
	// connection included.
	commands := [][]string{append([]string{"ACL", "SETUSER", "default", "reset"}, s.rule...)}
	commands = append(commands, cleanup...)
	for _, user := range users.texts() {
		if user != "default" {
			commands = append(commands, []string{"ACL", "DELUSER", user})
		}
	}
	for name, value := range s.config {
		if config[name] != value {
			commands = append(commands, []string{"CONFIG", "SET", name, value})
		}
	}
	replies, err := c.pipeline(commands)
	if err != nil {
		return err
	}
	for i, r := range replies {
		if err := r.err(); err != nil && !lacks(commands[i], err) {
			return err
		}
	}
	return nil
}

// lacks reports whether there is nothing to undo: the server is too old to know
// functions, or is a node of a cluster, which can be no replica.
func lacks(command []string, err error) bool {
	return command[0] == "FUNCTION" && strings.Contains(err.Error(), "unknown command") ||
		command[0] == "REPLICAOF" && strings.Contains(err.Error(), "not allowed in cluster mode")
}

func readConfig(c *conn) (map[string]string, error) {
	answer, err := c.do("CONFIG", "GET", "*")
	if err != nil {
		return nil, err
	}
	pairs := answer.texts()
	config := make(map[string]string, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		config[pairs[i]] = pairs[i+1]
	}
	return config, nil
}

// defaultRule is what follows "user default" in ACL LIST.
func defaultRule(c *conn) ([]string, error) {
	answer, err := c.do("ACL", "LIST")
	if err != nil {
		return nil, err
	}
	for _, line := range answer.texts() {
		if rule, ok := strings.CutPrefix(line, "user default "); ok {
			return strings.Fields(rule), nil
		}
	}
	return nil, errNoSnapshot
}
