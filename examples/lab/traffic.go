package lab

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Traffic counts what a client sends to Redis. It is a hook of go-redis:
//
//	sent := &lab.Traffic{}
//	l.Redis().AddHook(sent)
//
// The client is then for one goroutine at a time, and so is the count. HELLO is
// left out: the client greets Redis with it on each new connection, and when it
// makes one is its own affair.
type Traffic struct {
	Trips    int // how often the client waited for an answer
	Commands int // how many commands it sent
}

// DialHook leaves connecting as it is.
func (t *Traffic) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook counts a command, which is a round trip.
func (t *Traffic) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "hello" {
			t.Trips++
			t.Commands++
		}
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook counts a pipeline, which is a round trip for all its
// commands.
func (t *Traffic) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		t.Trips++
		t.Commands += len(cmds)
		return next(ctx, cmds)
	}
}
