//go:build unix

package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// usage is the resource usage of one process: wall and processor time in seconds,
// peak memory in MB.
type usage struct{ wall, cpu, megabytes float64 }

// BenchmarkBuild compares building a site with rendering its lessons by goldmark
// alone. Each round runs four programs, each in its own process: floor (goldmark
// alone), cold (neither cache nor public/ exists), warm (nothing changed) and edit
// (one lesson changed).
//
//	go test ./internal/corpus -run - -bench 'Build/pages=6000$' -benchtime 5x
//
// It reports cold as a ratio to floor, and warm and edit as ratios to cold of the
// same round: the median of all rounds, and with -min and -max the extremes.
func BenchmarkBuild(b *testing.B) {
	program := compile(b)
	for _, pages := range []int{1000, 6000, 10_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			site := generate(b, pages, 0)
			m := measurements{}
			for b.Loop() {
				m.runRound(b, program, site)
			}
			m.report(b)
			reportQuery(b, filepath.Join(site, "public", "search"))
		})
	}
}

// BenchmarkFresh measures a build of 1,000 lessons and 2,000 examples, none of them
// stale.
func BenchmarkFresh(b *testing.B) {
	program, site := compile(b), generate(b, 1000, 2000)
	build(b, program, site) // records the examples
	m := measurements{}
	for b.Loop() {
		m["fresh"] = append(m["fresh"], build(b, program, site))
	}
	wall, _ := m.times("fresh", "")
	reportSpread(b, "fresh-ms", wall)
	b.ReportMetric(slices.Max(m.megabytes("fresh")), "fresh-MB")
}

// measurements holds the usage of each program by name, one element a round.
type measurements map[string][]usage

// runRound runs each program once.
func (m measurements) runRound(b *testing.B, program, site string) {
	b.Helper()
	// The output of the last round is moved away and not deleted: a file system
	// creates files slowly after it has deleted many, for all programs alike, which
	// would hide the differences between them.
	old := b.TempDir()
	out := filepath.Join(old, "floor")
	for _, dir := range []string{"public", ".cache"} {
		err := os.Rename(filepath.Join(site, dir), filepath.Join(old, dir))
		if !errors.Is(err, fs.ErrNotExist) {
			must(b, err)
		}
	}
	m["floor"] = append(m["floor"], run(b, testBinary("floor", site, out)))
	m["cold"] = append(m["cold"], build(b, program, site))
	m["warm"] = append(m["warm"], build(b, program, site))
	edit(b, site, len(m["warm"]))
	m["edit"] = append(m["edit"], build(b, program, site))
}

// report reports the metrics of BenchmarkBuild.
func (m measurements) report(b *testing.B) {
	for _, ratio := range []struct{ what, to string }{{"cold", "floor"}, {"warm", "cold"}, {"edit", "cold"}} {
		wall, cpu := m.times(ratio.what, ratio.to)
		reportSpread(b, ratio.what+"-wall", wall)
		reportSpread(b, ratio.what+"-cpu", cpu)
	}
	for _, what := range []string{"floor", "cold", "warm", "edit"} {
		wall, _ := m.times(what, "")
		b.ReportMetric(median(wall), what+"-ms")
		b.ReportMetric(slices.Max(m.megabytes(what)), what+"-MB")
	}
}

// times returns the wall and processor times of a program in each round: as ratios
// to those of another program in the same round, or in milliseconds if to is "".
func (m measurements) times(what, to string) (wall, cpu []float64) {
	for i, u := range m[what] {
		base := usage{wall: 0.001, cpu: 0.001} // one millisecond
		if to != "" {
			base = m[to][i]
		}
		wall, cpu = append(wall, u.wall/base.wall), append(cpu, u.cpu/base.cpu)
	}
	return wall, cpu
}

// megabytes returns the peak memory of a program in each round.
func (m measurements) megabytes(what string) (all []float64) {
	for _, u := range m[what] {
		all = append(all, u.megabytes)
	}
	return all
}

// reportSpread reports the median, the minimum and the maximum of a metric.
func reportSpread(b *testing.B, name string, values []float64) {
	b.ReportMetric(median(values), name)
	b.ReportMetric(slices.Min(values), name+"-min")
	b.ReportMetric(slices.Max(values), name+"-max")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// reportQuery reports the size of a search index, and the most that one search
// loads: for two words, each a prefix found in two files, and ten results, each in
// a file of its own.
func reportQuery(b *testing.B, folder string) {
	largest := map[byte]int64{}
	total := int64(0)
	files, err := os.ReadDir(folder)
	must(b, err)
	for _, f := range files {
		info, err := f.Info()
		must(b, err)
		total += info.Size()
		largest[f.Name()[0]] = max(largest[f.Name()[0]], info.Size())
	}
	b.ReportMetric(float64(largest['i']+4*largest['t']+10*largest['p']+14*largest['d'])/1000, "query-kB")
	b.ReportMetric(float64(total)/1e6, "index-MB")
}

// edit appends a paragraph, which contains n, to the first lesson of a site.
func edit(b *testing.B, site string, n int) {
	b.Helper()
	lessons, err := filepath.Glob(filepath.Join(site, "content", "module-000", "*.md"))
	must(b, err)
	f, err := os.OpenFile(lessons[0], os.O_APPEND|os.O_WRONLY, 0)
	must(b, err)
	_, err = fmt.Fprintf(f, "\nEdited %d times.\n", n)
	must(b, err)
	must(b, f.Close())
}

// generate generates a site in another process, because the memory of this one
// counts as memory of each process that it starts.
func generate(b *testing.B, pages, examples int) string {
	b.Helper()
	site := filepath.Join(b.TempDir(), "site")
	run(b, testBinary("write", site, strconv.Itoa(pages), strconv.Itoa(examples)))
	return site
}

// compile returns the path of the compiled build command.
func compile(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "build")
	run(b, exec.Command("go", "build", "-o", program, "verbatim/cmd/build"))
	return program
}

// build builds a site.
func build(b *testing.B, program, site string) usage {
	b.Helper()
	return run(b, exec.Command(program, "-C", site))
}

// testBinary returns the command that runs this test binary as another program, with
// the arguments that TestMain describes.
func testBinary(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+strings.Join(args, " "))
	return cmd
}

// run runs a command and returns its resource usage.
func run(b *testing.B, cmd *exec.Cmd) usage {
	b.Helper()
	begin := time.Now()
	output, err := cmd.CombinedOutput()
	wall := time.Since(begin)
	if err != nil {
		b.Fatalf("%s: %v\n%s", cmd, err, output)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := float64(used.Maxrss) / 1e3
	if runtime.GOOS == "darwin" {
		peak /= 1e3 // macOS reports bytes, other systems kilobytes
	}
	state := cmd.ProcessState
	return usage{wall: wall.Seconds(), cpu: (state.UserTime() + state.SystemTime()).Seconds(), megabytes: peak}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
