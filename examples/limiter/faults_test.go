package limiter

import (
	"flag"
	"sync/atomic"
	"testing"
	"time"
)

var faultsFor = flag.Duration("faults", 8*time.Second, "how long TestFaultsUnderLoad takes")

// Sixty-four callers on three masters go through a stop, a stall and a takeover:
// no limit admits too much, calls for healthy nodes are decided all the while, and
// what was ill decides again within two seconds.
func TestFaultsUnderLoad(t *testing.T) {
	f := newFaultyCluster(t)
	l := newLimiter(t, f.client(t), Options{Split: true, Timeout: patience, DialTimeout: patience, Metrics: MetricsList{}})
	const quota = 2000
	var charges [3][]Charge
	var crowds [3]*crowd
	for i := range charges {
		for _, a := range all {
			for _, c := range f.on(t, l, i, 2, long(a, quota)) {
				warm(t, l, c)
				charges[i] = append(charges[i], c)
			}
		}
		crowds[i] = newCrowd(l, 21+i%2, charges[i]) // 21, 22 and 21
	}
	for _, c := range crowds { // until all limits are used up, however slow the machine is
		for allowed := c.allowed.Load(); allowed < quota*int64(2*len(all)); allowed = c.allowed.Load() {
			waitFor(t, "another call is admitted", func() bool { return c.allowed.Load() > allowed })
		}
	}
	for _, s := range f.masters {
		s.client(t).Wait(bg, 1, time.Second) // only the first has a replica
	}
	for _, fault := range []struct {
		name  string
		ill   int
		begin func()
		end   func()
	}{
		{"stopped", 2, f.masters[2].pause, f.masters[2].resume},
		{"stalled", 1, func() { f.masters[1].pause(); time.Sleep(100 * time.Millisecond) }, f.masters[1].resume},
		{"taken over", 0, f.masters[0].stop, func() { must(t, f.replica.client(t).Do(bg, "CLUSTER", "FAILOVER", "TAKEOVER").Err()) }},
	} {
		var before [3]int64
		for i, c := range crowds {
			before[i] = c.down.Load()
		}
		fault.begin()
		if fault.name != "stalled" {
			time.Sleep(*faultsFor / 8)
		}
		fault.end()
		decided, begin := crowds[fault.ill].decided.Load(), time.Now()
		waitFor(t, "the node decides again", func() bool { return crowds[fault.ill].decided.Load() > decided })
		back := time.Since(begin)
		time.Sleep(*faultsFor / 8)
		for i, c := range crowds {
			n := c.down.Load() - before[i]
			t.Logf("node %d %s: node %d had %d calls undecided", fault.ill, fault.name, i, n)
			if i != fault.ill && n > 0 {
				c.kinds.Range(func(kind, err any) bool { t.Logf("%v: %v", kind, err); return true })
				t.Errorf("node %d was %s, and %d calls of node %d went undecided", fault.ill, fault.name, n, i)
			}
		}
		t.Logf("node %d %s: decided again after %v", fault.ill, fault.name, back)
		if back > 2*time.Second {
			t.Errorf("node %d %s: decided again after %v", fault.ill, fault.name, back)
		}
	}
	var all atomic.Int64
	for i, c := range crowds {
		c.stop()
		all.Add(c.decided.Load())
		if n, most := c.allowed.Load(), quota*int64(len(charges[i])); n > most {
			t.Errorf("node %d admitted %d of %d", i, n, most)
		}
	}
	t.Logf("%d calls decided", all.Load())
}
