package limiter

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// rows reads a table: one JSON object in each line.
func rows[T any](t *testing.T, name string) []T {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for line := range strings.Lines(string(text)) {
		var row T
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v in %s", name, err, line)
		}
		all = append(all, row)
	}
	if len(all) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return all
}

func TestClientIP(t *testing.T) {
	for _, row := range rows[struct {
		Case, Remote, Subject string
		Forwarded, Trusted    []string
	}](t, "testdata/client_ip.jsonl") {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = row.Remote
		r.Header["X-Forwarded-For"] = row.Forwarded
		var trusted []netip.Prefix
		for _, p := range row.Trusted {
			trusted = append(trusted, netip.MustParsePrefix(p))
		}
		got := strings.Join(ByIP(trusted...)(r), " ")
		if want := strings.TrimSuffix("ip "+row.Subject, "ip "); got != want {
			t.Errorf("%s: %q, want %q", row.Case, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	keys := map[string]string{}
	for _, row := range rows[struct {
		Case, Key   string
		Tag, Packed bool
		Subject     []string
	}](t, "testdata/keys.jsonl") {
		k := &keyspace{prefix: DefaultPrefix, packed: row.Packed}
		if row.Tag {
			k.tag = func(subject []string) string { return subject[0] }
		}
		got := k.place(Charge{Subject: row.Subject, Limit: Limit{Name: "calls", Algorithm: FixedWindow, Quota: 1, Window: time.Minute}}).key
		if got != row.Key {
			t.Errorf("%s: %s, want %s", row.Case, got, row.Key)
		}
		if other, twice := keys[got]; twice {
			t.Errorf("%s and %s share %s", row.Case, other, got)
		}
		keys[got] = row.Case
	}
}

// Two spellings of one name are two subjects unless the caller says otherwise.
func TestNormalize(t *testing.T) {
	k := &keyspace{normalize: func(part string) string { return strings.ReplaceAll(part, "e\u0301", "\u00e9") }}
	l := Limit{Name: "calls", Algorithm: FixedWindow, Quota: 1, Window: time.Minute}
	one := k.place(Charge{Subject: []string{"Ren\u00e9"}, Limit: l})
	two := k.place(Charge{Subject: []string{"Rene\u0301"}, Limit: l})
	if one != two {
		t.Errorf("%v and %v", one, two)
	}
}

func TestIdentities(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "203.0.113.9:4000"
	id := FirstOf(ByAPIKey("X-Api-Key"), ByUser(func(r *http.Request) string { return r.FormValue("user") }), ByIP())
	if got := id(r); !slices.Equal(got, []string{"ip", "203.0.113.9"}) {
		t.Errorf("nobody: %q", got)
	}
	r.Form = map[string][]string{"user": {"ada"}}
	if got := id(r); !slices.Equal(got, []string{"user", "ada"}) {
		t.Errorf("a user: %q", got)
	}
	r.Header.Set("X-Api-Key", "secret")
	if got := id(r); len(got) != 2 || got[0] != "key" || strings.Contains(got[1], "secret") || len(got[1]) != 22 {
		t.Errorf("an API key: %q", got)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, row := range []struct {
		wait time.Duration
		want string
	}{
		{0, "1"}, {time.Microsecond, "1"}, {time.Millisecond, "1"}, {time.Second, "1"},
		{time.Second + 1, "2"}, {59200 * time.Millisecond, "60"}, {time.Hour, "3600"},
	} {
		h := http.Header{}
		writeRetryAfter(h, MiddlewareOptions{}, row.wait)
		if got := h.Get("Retry-After"); got != row.want {
			t.Errorf("%v: %s, want %s", row.wait, got, row.want)
		}
		earliest := time.Now().Add(row.wait)
		writeRetryAfter(h, MiddlewareOptions{RetryDate: true}, row.wait)
		date := h.Get("Retry-After")
		at, err := http.ParseTime(date)
		if err != nil || !strings.HasSuffix(date, " GMT") || at.Before(earliest.Truncate(time.Second)) || at.Before(earliest.Add(-time.Millisecond)) {
			t.Errorf("%v: %q, %v; not before %v", row.wait, date, err, earliest)
		}
	}
}

func TestHeaderNames(t *testing.T) {
	for name, want := range map[string]string{
		"calls": `"calls"`, `a"b\c`: `"a\"b\\c"`, "é": `"%C3%A9"`, "line\r\nbreak": `"line%0D%0Abreak"`,
	} {
		if got := quoted(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func FuzzID(f *testing.F) {
	f.Add("")
	f.Add("a-b-c")
	f.Add("gx2k1-3w5e11264sgsf-1.abc-2.def.9")
	f.Add("gx2k1-3w5-r0123456789abcdef0123456789abcdef-1.abc")
	f.Fuzz(func(t *testing.T, id string) {
		r, err := parseID(id)
		if err != nil {
			return
		}
		for _, taken := range r.entries {
			if taken.at < 0 || taken.granted < 0 {
				t.Errorf("%q holds %+v", id, taken)
			}
		}
	})
}

func FuzzClientIP(f *testing.F) {
	f.Add("10.0.0.1:80", "1.2.3.4, 10.0.0.2")
	trusted := netip.MustParsePrefix("10.0.0.0/8")
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		r := &http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {forwarded}}}
		got := ClientIP(r, trusted)
		direct := parseAddr(remote)
		if !direct.IsValid() && got.IsValid() || direct.IsValid() && !trusted.Contains(direct) && got != direct {
			t.Errorf("%q saying %q is %v", remote, forwarded, got)
		}
	})
}

func FuzzKeys(f *testing.F) {
	f.Add("a_b", "c", "a", "b_c")
	f.Add("1:a,1:b", "", "a", "b")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		k := &keyspace{prefix: DefaultPrefix}
		l := Limit{Name: "x", Algorithm: FixedWindow, Window: time.Second}
		p, q := k.place(Charge{Subject: []string{a, b}, Limit: l}), k.place(Charge{Subject: []string{c, d}, Limit: l})
		one, two := p.key[:p.slot], q.key[:q.slot]
		if (one == two) != (a == c && b == d) {
			t.Errorf("%q, %q and %q, %q give %s and %s", a, b, c, d, one, two)
		}
		if n := strings.IndexByte(one, '}'); n != len(one)-1 {
			t.Errorf("%s closes its brace early", one)
		}
	})
}

func FuzzPlans(f *testing.F) {
	f.Add([]byte(`{"version": 1, "tiers": {"basic": [{"name": "calls", "algorithm": "fixed window", "quota": 1, "window": "1m"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parsePlans(text)
		if err != nil {
			return
		}
		for _, limits := range s.tiers {
			for _, l := range limits {
				if err := l.Validate(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
