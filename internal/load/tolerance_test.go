package load_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"verbatim/internal/load"
)

// TestTolerance reads what YAML takes for a number: a tolerance is from 0.01 to
// 50.
func TestTolerance(t *testing.T) {
	for percent, valid := range map[string]bool{
		"0.5": true, "25": true, "50": true, "5e1": true,
		"0.01": true, "1e-2": true, "1e-300": false, "0.009": false, "5e-324": false, "0.001": false, "1e-3": false, "0.00999": false, "1e-400": false,
		"0": false, "-0.0": false, "-1": false, "50.01": false, "1e9": false,
		".nan": false, ".NaN": false, ".inf": false, "-.inf": false,
	} {
		_, ps, err := load.Read(fstest.MapFS{
			"content/a.md":             {Data: []byte("# A\n")},
			"examples/ex/example.yaml": {Data: []byte("run: 'true'\nneeds: none\ntolerance: {n: " + percent + "}\n")},
		}, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		complains := false
		for _, p := range ps {
			complains = complains || strings.HasPrefix(p.Text, "tolerance of n")
		}
		if complains == valid {
			t.Errorf("tolerance %s: problems %v", percent, ps)
		}
	}
}
