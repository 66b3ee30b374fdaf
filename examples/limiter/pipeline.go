package limiter

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxBatch is the most calls that share a round trip. Redis needs some 20
	// microseconds for a call, so a batch holds it up for a few milliseconds.
	maxBatch = 128
	// maxSenders is how many batches are on their way at once: while one is
	// answered, the next is written.
	maxSenders = 2
)

// errAbandoned is the cause where a caller left before its call was sent.
var errAbandoned = errors.New("the caller left before the call was sent")

// A pipeline sends calls one by one while few are in flight, which is fastest
// for each of them, and together while there are many, since round trips and
// system calls are what costs. It waits for nobody: a batch is what came while
// the one before was under way. It has no goroutine while nothing is in flight.
type pipeline struct {
	rdb    redis.UniversalClient
	above  int32         // calls in flight beyond which they share; negative: never
	budget time.Duration // of a batch

	inFlight atomic.Int32
	mu       sync.Mutex
	queue    []*call
	senders  int
}

// A call waits in a pipeline.
type call struct {
	cmd   command
	state atomic.Int32 // queued, then sent or abandoned
	done  chan struct{}
}

const (
	queued = iota
	sent
	abandoned
)

// process sends a command and waits for its reply, or until ctx ends. A caller
// who can leave earlier than ctx's deadline says so: it costs a goroutine, since
// go-redis does not hear of it while it waits for a reply.
func (p *pipeline) process(ctx context.Context, canLeave bool, cmd command) error {
	n := p.inFlight.Add(1)
	switch {
	case p.above >= 0 && n > p.above:
		defer p.inFlight.Add(-1)
		return p.share(ctx, cmd)
	case canLeave:
		return p.detach(ctx, cmd)
	}
	defer p.inFlight.Add(-1)
	return p.rdb.Process(ctx, cmd)
}

// detach sends a command whose caller may leave before the reply is there. The
// command, its connection and its place in flight then belong to the goroutine.
func (p *pipeline) detach(ctx context.Context, cmd command) error {
	done := make(chan error, 1)
	go func() {
		err := p.rdb.Process(ctx, cmd)
		p.inFlight.Add(-1)
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// share sends a command together with others.
func (p *pipeline) share(ctx context.Context, cmd command) error {
	c := &call{cmd: cmd, done: make(chan struct{})}
	p.enqueue(c)
	select {
	case <-c.done:
		return cmd.Err()
	case <-ctx.Done():
	}
	if c.state.CompareAndSwap(queued, abandoned) {
		return errors.Join(errAbandoned, ctx.Err())
	}
	return ctx.Err() // the command may run, and its reply belongs to the sender
}

func (p *pipeline) enqueue(c *call) {
	p.mu.Lock()
	p.queue = append(p.queue, c)
	start := p.senders < maxSenders
	if start {
		p.senders++
	}
	p.mu.Unlock()
	if start {
		go p.send()
	}
}

// send sends batches until none is waiting.
func (p *pipeline) send() {
	for {
		batch := p.batch()
		if batch == nil {
			return
		}
		p.exec(batch)
		for _, c := range batch {
			close(c.done)
		}
	}
}

// batch takes what waits, or ends this sender and gives nil.
func (p *pipeline) batch() []*call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var batch []*call
	for len(batch) == 0 && len(p.queue) > 0 {
		n := min(len(p.queue), maxBatch)
		for _, c := range p.queue[:n] {
			if c.state.CompareAndSwap(queued, sent) {
				batch = append(batch, c)
			}
		}
		p.queue = p.queue[n:]
	}
	if len(batch) == 0 {
		p.queue = nil
		p.senders--
		return nil
	}
	return batch
}

func (p *pipeline) exec(batch []*call) {
	ctx, cancel := context.WithTimeout(context.Background(), p.budget)
	defer cancel()
	if len(batch) == 1 {
		p.rdb.Process(ctx, batch[0].cmd) // each caller reads its command's error
		return
	}
	pipe := p.rdb.Pipeline()
	for _, c := range batch {
		pipe.Process(ctx, c.cmd)
	}
	pipe.Exec(ctx)
}
