//go:build unix

package run

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verbatim/internal/cputime"
	"verbatim/internal/lesson"
	"verbatim/internal/record"
)

// one is an example of the smallest kind: a connection, a command, a line.
const one = `package main

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
)

func main() {
	u, err := url.Parse(os.Getenv("REDIS_URL"))
	if err != nil {
		panic(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		panic(err)
	}
	password, _ := u.User.Password()
	fmt.Fprintf(c, "AUTH %s\r\nSET key %d\r\nDBSIZE\r\n", password, os.Getpid())
	for in := bufio.NewScanner(c); in.Scan(); {
		fmt.Println(in.Text())
		if in.Text()[0] == ':' {
			return
		}
	}
}
`

// BenchmarkExamples compares four ways to run 200 examples, one after the other,
// in interleaved rounds, and reports the median time per example of each way, by
// the clock and of the processor (the programs' and ours, not Redis'):
//
//	go test -run - -bench Examples -benchtime 5x ./internal/run
//
// exec is the program alone, on a Redis that it shares with all others; process
// and container give each example its own environment and a Redis as new, from
// one that is reset; fresh starts a container for each example, and stops at
// ten.
func BenchmarkExamples(b *testing.B) {
	bin := compileOne(b)
	var examples []lesson.Example
	var jobs []Job
	for i := range 200 {
		e := command(fmt.Sprintf("x%d", i), "redis", bin)
		examples = append(examples, e)
		// A record that fits, so that each runs once.
		jobs = append(jobs, Job{Example: e, Record: &record.Record{Evidence: record.Evidence{Output: []byte("+OK\n+OK\n:1\n")}}})
	}
	process := redisSource(b, "process", "")
	image := cmp.Or(os.Getenv("VERBATIM_REDIS_IMAGE"), "redis:7.0.15")
	container := redisSource(b, "container", image)
	shared, err := process.Start(b.Context())
	must(b, err)
	processes, containers := newPool(b, process, 1, examples...), newPool(b, container, 1, examples...)
	ways := []struct {
		name  string
		count int
		run   func([]Job)
	}{
		{"exec", len(jobs), func(jobs []Job) {
			for range jobs {
				cmd := exec.Command(bin)
				cmd.Env = []string{"REDIS_URL=" + shared.URL()}
				must(b, cmd.Run())
			}
		}},
		{"process", len(jobs), func(jobs []Job) { runJobs(b, processes, jobs) }},
		{"container", len(jobs), func(jobs []Job) { runJobs(b, containers, jobs) }},
		{"fresh", 10, func(jobs []Job) {
			for i := range jobs {
				runJobs(b, containers, jobs[i:i+1])
			}
		}},
	}
	took, worked := make([][]float64, len(ways)), make([][]float64, len(ways))
	for b.Loop() {
		for i, way := range ways {
			began, before := time.Now(), (cputime.Used() + cputime.UsedByChildren())
			way.run(jobs[:way.count])
			took[i] = append(took[i], perExample(time.Since(began), way.count))
			worked[i] = append(worked[i], perExample((cputime.Used()+cputime.UsedByChildren())-before, way.count))
		}
	}
	alone := median(took[0])
	for i, way := range ways {
		b.ReportMetric(median(took[i]), way.name+"-ms/example")
		b.ReportMetric(median(took[i])/alone, way.name+"/exec")
		b.ReportMetric(median(worked[i]), way.name+"-cpu-ms/example")
	}
}

// perExample is a time in milliseconds for each of n examples.
func perExample(d time.Duration, n int) float64 { return d.Seconds() * 1000 / float64(n) }

func runJobs(b *testing.B, p *Pool, jobs []Job) {
	b.Helper()
	outcomes, err := p.Run(b.Context(), jobs)
	must(b, err)
	for _, o := range outcomes {
		if o.Failure != nil || o.Second != nil {
			b.Fatalf("%s printed\n%s", o.Example.ID, printed(o))
		}
	}
}

func compileOne(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	source, bin := filepath.Join(dir, "main.go"), filepath.Join(dir, "one")
	must(b, os.WriteFile(source, []byte(one), 0o644))
	if out, err := exec.Command("go", "build", "-o", bin, source).CombinedOutput(); err != nil {
		b.Fatal(strings.TrimSpace(string(out)), err)
	}
	return bin
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
