package service

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Each line of testdata/transcript.txt is answered as redis-cli prints the
// answer: the real one, run on the same server as it was.
func TestTranscriptIsWhatRedisCliPrints(t *testing.T) {
	needRedis(t)
	cli, err := exec.LookPath("redis-cli")
	if err != nil {
		t.Skip("there is no redis-cli on PATH")
	}
	script, err := os.ReadFile("testdata/transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(t, Options{Kind: "process", Cache: t.TempDir()}).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	for line := range strings.Lines(string(script)) {
		commands = append(commands, cliWords(strings.TrimSpace(line)))
	}
	got, err := r.Transcript(t.Context(), commands, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	real := exec.Command(cli, "--no-raw", "-h", u.Hostname(), "-p", u.Port())
	real.Env = append(os.Environ(), "REDISCLI_AUTH="+password)
	real.Stdin = strings.NewReader(string(script))
	want, err := real.Output()
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("line %d differs; ours:\n%s\nredis-cli's:\n%s", i+1, got, want)
		}
	}
}

// cliWords splits as redis-cli does, for the lines of the test.
func cliWords(line string) []string {
	var words []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
			continue
		}
		end := 1
		for line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\a`, "\a", `\x00`, "\x00", `\xff`, "\xff", `\"`, `"`, `\\`, `\`).Replace(line[1:end])
		words, line = append(words, text), line[end+1:]
	}
	return words
}

// A command without an answer ends the transcript and is named.
func TestTranscriptWithoutAnswer(t *testing.T) {
	needRedis(t)
	r, err := open(t, Options{Kind: "process", Cache: t.TempDir()}).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ command, want string }{
		{"BLPOP nothing 0", "no answer within 1s for the whole transcript"},
		{"QUIT", ""},
	} {
		commands := [][]string{{"SET", "a", "1"}, strings.Fields(row.command), {"GET", "a"}}
		out, err := r.Transcript(t.Context(), commands, time.Second)
		var failed *TranscriptError
		if !errors.As(err, &failed) || failed.Index < 1 || !strings.HasPrefix(out, "OK\n") || !strings.Contains(failed.Error(), row.want) {
			t.Errorf("%s: %v after %q", row.command, err, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := r.Transcript(ctx, [][]string{{"BLPOP", "x", "0"}}, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
