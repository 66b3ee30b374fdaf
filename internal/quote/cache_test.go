package quote

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/pagecache"
	"verbatim/internal/problem"
)

// mustCheck returns the results of a check.
func mustCheck(t testing.TB, in Input) ([]Result, problem.List) {
	t.Helper()
	results, ps, err := Check(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return results, ps
}

// cacheFile returns the one file of a cache.
func cacheFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %q, want one file: %v", files, err)
	}
	return files[0]
}

// TestCacheAgrees holds that a check with a cache says what one without says,
// the first time, again, and after another site used the same folder.
func TestCacheAgrees(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	for _, file := range slices.Concat(files, files) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := archiveInput(t, archive)
		want, wantProblems := mustCheck(t, in)
		in.Cache = dir
		for range 2 {
			got, problems := mustCheck(t, in)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(problems, wantProblems) {
				t.Errorf("%s: with a cache\n%v\n%v\nwithout\n%v\n%v", file, got, problems, want, wantProblems)
			}
		}
	}
}

// TestCacheText holds that a page's text comes back as it was: the same
// quotations stand in it, under the same fold.
func TestCacheText(t *testing.T) {
	for _, file := range []string{"testdata/quotes.jsonl", "testdata/more.jsonl"} {
		for _, r := range rows(t, file) {
			page, err := ReadPage(r.File, bytes.NewReader(r.PageB64), strip)
			if err != nil {
				t.Fatal(err)
			}
			again, ok := decodeText(encodeText(page), page.Digest)
			if !ok || again.Text() != page.Text() {
				t.Fatalf("%s: got %q, want %q", r.ID, again.Text(), page.Text())
			}
			got, want := again.Find(r.Quote), page.Find(r.Quote)
			if got.Verdict != want.Verdict || want.Verdict != NoMatch && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v, want %+v", r.ID, got, want)
			}
		}
	}
}

// TestCacheIsNoProof holds that bytes decide: a page that changes, a quotation
// that changes, a cache that is cut, spoiled or gone never leave an old word.
func TestCacheIsNoProof(t *testing.T) {
	in := scaleSite(t, 3, 30)
	in.Cache = filepath.Join(t.TempDir(), "cache")
	want, _ := mustCheck(t, in)
	file := cacheFile(t, in.Cache)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(name string, data []byte) {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, _ := mustCheck(t, in); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the results differ", name)
		}
	}
	spoil("empty", nil)
	for n := range 40 {
		spoil("cut", whole[:len(whole)*n/40])
		bad := bytes.Clone(whole)
		bad[len(bad)*n/40] ^= 0x20
		spoil("spoiled", bad)
	}
	if err := os.RemoveAll(in.Cache); err != nil {
		t.Fatal(err)
	}
	if got, _ := mustCheck(t, in); !reflect.DeepEqual(got, want) {
		t.Error("gone: the results differ")
	}

	page := filepath.Join(in.Dir, filepath.Dir(in.Sources[1].File), "page.html")
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	quoted := in.Citations[1].Quotes[0].Text
	last := quoted[strings.LastIndexByte(quoted, ' ')+1:]
	changed := bytes.ReplaceAll(old, []byte(last), []byte(strings.Repeat("#", len(last))))
	if err := os.WriteFile(page, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	results, _ := mustCheck(t, in)
	i := slices.IndexFunc(results, func(r Result) bool { return r.Quote.Text == quoted })
	if results[i].State != Unverified {
		t.Errorf("%q is %s on a page that no longer says it", quoted, results[i].State)
	}
	in.Citations[0].Quotes[0].Text += " nowhere"
	results, _ = mustCheck(t, in)
	if results[0].State != Unverified {
		t.Errorf("%q is %s", results[0].Quote.Text, results[0].State)
	}
}

// TestCacheTwoAtOnce lets checks of one site share a cache at the same time.
func TestCacheTwoAtOnce(t *testing.T) {
	in := scaleSite(t, 20, 200)
	in.Cache = filepath.Join(t.TempDir(), "cache")
	want, _ := mustCheck(t, in)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			mine := in
			if i%2 == 1 { // and some with other quotations
				mine.Citations = slices.Clone(in.Citations)[:10]
			}
			for range 3 {
				got, _, err := Check(context.Background(), mine)
				if err != nil || !reflect.DeepEqual(got, want[:len(got)]) {
					t.Errorf("results differ: %v", err)
				}
			}
		})
	}
	all.Wait()
	if got, _ := mustCheck(t, in); !reflect.DeepEqual(got, want) {
		t.Error("afterwards: the results differ")
	}
	cacheFile(t, in.Cache)
}

// TestCacheCannotBeWritten holds that a check does its work without one.
func TestCacheCannotBeWritten(t *testing.T) {
	in := scaleSite(t, 2, 10)
	want, _ := mustCheck(t, in)
	in.Cache = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(in.Cache, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := mustCheck(t, in); !reflect.DeepEqual(got, want) {
		t.Error("the results differ")
	}
}

// FuzzCache holds that no bytes crash the reading of a cache, or pass for one
// by their lengths.
func FuzzCache(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 5, '.', 'h', 't', 'm', 'l', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(_ *testing.T, index []byte) {
		in := pagecache.NewDecoder(string(index))
		_ = decodeFinding(in, "a quotation")
		_, _ = decodeText(index, "")
	})
}
