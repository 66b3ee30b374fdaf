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

// usage is what one program took.
type usage struct{ wall, cpu, megabytes float64 }

// BenchmarkBuild compares building a site with drawing its lessons by goldmark
// alone, in interleaved rounds: floor, cold (neither cache nor public/), warm
// (nothing changed) and edit (one lesson has another sentence). What counts are
// the medians of the ratios of a round, which stand between the least and the
// most:
//
//	go test ./internal/corpus -run - -bench 'Build/pages=6000$' -benchtime 5x
//
// cold is a ratio to floor, warm and edit are ratios to cold. Each program is
// a process of its own, which tells what processors and memory it took.
func BenchmarkBuild(b *testing.B) {
	program := compile(b)
	for _, pages := range []int{1000, 6000, 10_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			site := write(b, pages, 0)
			m := measured{}
			for b.Loop() {
				m.round(b, program, site)
			}
			m.report(b)
			reportQuery(b, filepath.Join(site, "public", "search"))
		})
	}
}

// BenchmarkFresh measures a build of 1,000 lessons and 2,000 examples none of
// which is stale.
func BenchmarkFresh(b *testing.B) {
	program, site := compile(b), write(b, 1000, 2000)
	build(b, program, site) // makes the records
	m := measured{}
	for b.Loop() {
		m["fresh"] = append(m["fresh"], build(b, program, site))
	}
	wall, _ := m.of("fresh", "")
	reportSpread(b, "fresh-ms", wall)
	b.ReportMetric(slices.Max(m.megabytes("fresh")), "fresh-MB")
}

// measured is what each kind of program took, round by round.
type measured map[string][]usage

func (m measured) round(b *testing.B, program, site string) {
	b.Helper()
	// What the last round made is put aside, not deleted: a file system that has
	// just deleted many files makes new ones slowly, in every program alike, which
	// would hide what is between them.
	attic := b.TempDir()
	out := filepath.Join(attic, "floor")
	for _, made := range []string{"public", ".cache"} {
		err := os.Rename(filepath.Join(site, made), filepath.Join(attic, made))
		if !errors.Is(err, fs.ErrNotExist) {
			must(b, err)
		}
	}
	m["floor"] = append(m["floor"], run(b, role("floor", site, out)))
	m["cold"] = append(m["cold"], build(b, program, site))
	m["warm"] = append(m["warm"], build(b, program, site))
	edit(b, site, len(m["warm"]))
	m["edit"] = append(m["edit"], build(b, program, site))
}

func (m measured) report(b *testing.B) {
	for _, ratio := range []struct{ what, to string }{{"cold", "floor"}, {"warm", "cold"}, {"edit", "cold"}} {
		wall, cpu := m.of(ratio.what, ratio.to)
		reportSpread(b, ratio.what+"-wall", wall)
		reportSpread(b, ratio.what+"-cpu", cpu)
	}
	for _, what := range []string{"floor", "cold", "warm", "edit"} {
		wall, _ := m.of(what, "")
		b.ReportMetric(median(wall), what+"-ms")
		b.ReportMetric(slices.Max(m.megabytes(what)), what+"-MB")
	}
}

// of gives the wall and processor times of what as ratios to another kind in
// the same round, or in milliseconds where there is no other.
func (m measured) of(what, to string) (wall, cpu []float64) {
	for i, u := range m[what] {
		base := usage{wall: 0.001, cpu: 0.001}
		if to != "" {
			base = m[to][i]
		}
		wall, cpu = append(wall, u.wall/base.wall), append(cpu, u.cpu/base.cpu)
	}
	return wall, cpu
}

func (m measured) megabytes(what string) (all []float64) {
	for _, u := range m[what] {
		all = append(all, u.megabytes)
	}
	return all
}

// reportSpread gives a median, and what the rounds lie between.
func reportSpread(b *testing.B, name string, values []float64) {
	b.ReportMetric(median(values), name)
	b.ReportMetric(slices.Min(values), name+"-min")
	b.ReportMetric(slices.Max(values), name+"-max")
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// reportQuery gives what a search loads at most: two words, each a prefix over
// two files, and ten pages in ten files.
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

// edit gives the site's first lesson another sentence.
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

// write makes a site, in a process of its own: what this one holds would be
// counted as memory of the programs that it starts.
func write(b *testing.B, pages, examples int) string {
	b.Helper()
	site := filepath.Join(b.TempDir(), "site")
	run(b, role("write", site, strconv.Itoa(pages), strconv.Itoa(examples)))
	return site
}

// compile gives the program under test.
func compile(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "build")
	run(b, exec.Command("go", "build", "-o", program, "verbatim/cmd/build"))
	return program
}

func build(b *testing.B, program, site string) usage {
	b.Helper()
	return run(b, exec.Command(program, "-C", site))
}

// role is this binary as another program.
func role(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+strings.Join(args, " "))
	return cmd
}

// run runs a program to its end.
func run(b *testing.B, cmd *exec.Cmd) usage {
	b.Helper()
	begin := time.Now()
	said, err := cmd.CombinedOutput()
	wall := time.Since(begin)
	if err != nil {
		b.Fatalf("%s: %v\n%s", cmd, err, said)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := float64(used.Maxrss) / 1e3
	if runtime.GOOS == "darwin" {
		peak /= 1e3 // bytes there, kilobytes elsewhere
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
