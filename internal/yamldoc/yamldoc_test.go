package yamldoc

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/problem"
)

type sample struct {
	Title   string            `yaml:"title"`
	Summary string            `yaml:"summary"`
	Needs   []string          `yaml:"needs"`
	Draft   bool              `yaml:"draft"`
	Timeout int               `yaml:"timeout"`
	Env     map[string]string `yaml:"env"`
}

// testdata/decode.txtar holds pairs: a YAML file and, under the same name with
// .want, the struct and the problems it gives. Names that contain "lenient"
// are read leniently.
func TestDecode(t *testing.T) {
	data, err := os.ReadFile("testdata/decode.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse(data).Files {
		files[f.Name] = string(f.Data)
	}
	for name, src := range files {
		if strings.HasSuffix(name, ".want") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var got sample
			places, ps := Decode(name, 1, []byte(src), &got, Lenient(strings.Contains(name, "lenient")))
			var b strings.Builder
			fmt.Fprintf(&b, "%+v\n", got)
			for _, key := range []string{"title", "needs"} {
				if pos, ok := places[key]; ok {
					fmt.Fprintf(&b, "%s at %d:%d\n", key, pos.Line, pos.Col)
				}
			}
			ps.Print(&b)
			if want := files[name+".want"]; b.String() != want {
				t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("title: x\nneeds: [a, b]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		var out sample
		_, ps := Decode("f.yaml", 0, src, &out, false)
		for _, p := range ps {
			if p.Pos == (problem.Pos{}) || p.Line < 1 {
				t.Fatalf("a problem without a place: %+v", p)
			}
		}
	})
}
