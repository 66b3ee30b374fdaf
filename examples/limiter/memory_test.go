package limiter

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"
)

// memoryKeys is how many keys the memory is measured with: enough that Redis'
// own tables count as they do in production.
const memoryKeys = 100_000

// The bytes that a limit takes are a promise.
func TestBytesPerKey(t *testing.T) {
	if testing.Short() {
		t.Skip("fills Redis with 200,000 keys: not with -short")
	}
	hour := func(name string) Limit {
		return Limit{Name: name, Algorithm: FixedWindow, Quota: 1000, Window: time.Hour}
	}
	for _, row := range []struct {
		what   string
		packed bool
		limits []Limit
		most   float64 // bytes for each limit
	}{
		{"one fixed window", false, []Limit{hour("m")}, 140},
		{"three fixed windows packed", true, []Limit{hour("s"), hour("m"), hour("h")}, 60},
	} {
		t.Run(row.what, func(t *testing.T) {
			s := newServer(t)
			rdb := s.client(t)
			l := newLimiter(t, rdb, Options{Prefix: "rl:", Packed: row.packed})
			take(t, l, Charge{Subject: []string{"warm"}, Limit: row.limits[0], Cost: 1})
			before := usedMemory(t, rdb.Info(bg, "memory").Val())
			fill(t, l, row.limits)
			after := usedMemory(t, rdb.Info(bg, "memory").Val())
			each := float64(after-before) / memoryKeys / float64(len(row.limits))
			t.Logf("%s: %.0f bytes for each limit", row.what, each)
			if each > row.most {
				t.Errorf("%.0f bytes for each limit, the bound is %.0f", each, row.most)
			}
			r, err := l.Sweep(bg, SweepOptions{})
			if err != nil || r.Scanned < memoryKeys || len(r.Leaked) != 0 {
				t.Errorf("of %d keys %d never expire, %v", r.Scanned, len(r.Leaked), err)
			}
		})
	}
}

func fill(t *testing.T, l *Limiter, limits []Limit) {
	t.Helper()
	const callers = 100
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			for i := n; i < memoryKeys; i += callers {
				var charges []Charge
				for _, limit := range limits {
					charges = append(charges, Charge{Subject: []string{fmt.Sprintf("u%06d", i)}, Limit: limit, Cost: 1})
				}
				if _, err := l.Take(bg, charges...); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// usedMemory is what the data takes: without the buffers of clients, which come
// and go.
func usedMemory(t *testing.T, info string) int64 {
	t.Helper()
	fields := infoFields(info)
	all, err := strconv.ParseInt(fields["used_memory"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	buffers, err := strconv.ParseInt(fields["mem_clients_normal"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return all - buffers
}
