package lab

import (
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestTraffic(t *testing.T) {
	l, ctx := open(t), t.Context()
	sent := &Traffic{}
	l.Redis().AddHook(sent)
	for _, test := range []struct {
		what string
		send func() error
		want Traffic
	}{
		{"a command", func() error { return l.Redis().Incr(ctx, "k").Err() }, Traffic{1, 1}},
		{"a pipeline", func() error {
			_, err := l.Redis().Pipelined(ctx, func(p redis.Pipeliner) error {
				p.Incr(ctx, "k")
				p.TTL(ctx, "k")
				return nil
			})
			return err
		}, Traffic{1, 2}},
		{"nothing", func() error { return nil }, Traffic{}},
	} {
		*sent = Traffic{}
		if err := test.send(); err != nil || *sent != test.want {
			t.Errorf("%s: %+v, %v; want %+v", test.what, *sent, err, test.want)
		}
	}
}
