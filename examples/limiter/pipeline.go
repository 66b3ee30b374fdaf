package limiter

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxBatch is the most calls that share a round trip. Redis needs less than
	// ten microseconds for a call, so a batch holds it up for a millisecond.
	maxBatch = 128
	// maxSenders is how many batches are on their way at once: while one is
	// answered, the next is written.
	maxSenders = 2
)

// A pipeline sends calls one by one while few are in flight, which is fastest
// for each of them, and together while there are many, since round trips and
// system calls are what costs. It never waits: a batch holds the calls that came while
// the batch before was under way. It has no goroutine while nothing is in flight.
type pipeline struct {
	rdb       redis.UniversalClient
	above     int32 // calls in flight beyond which they share; negative: never
	budget    *budget
	attempted func(error) // called with how each round trip ended

	inFlight atomic.Int32
	calls    sync.Pool // of *call that nobody looks at any more
	mu       sync.Mutex
	queue    []*call
	senders  int
}

// A call waits in a pipeline.
type call struct {
	cmd   command
	state atomic.Int32  // queued, then sent or abandoned
	done  chan struct{} // has room for the one word that the reply is there
}

const (
	queued = iota
	sent
	abandoned
)

// process sends a command and waits for its reply, until the end, or until the
// caller leaves. One who can leave costs a goroutine, since go-redis does not hear
// of it while it waits for a reply.
func (p *pipeline) process(ctx context.Context, end *epoch, cmd command) error {
	n := p.inFlight.Add(1)
	switch {
	case p.above >= 0 && n > p.above:
		defer p.inFlight.Add(-1)
		return p.share(ctx, end, cmd)
	case ctx.Done() != nil:
		return p.detach(ctx, end, cmd)
	}
	defer p.inFlight.Add(-1)
	err := p.rdb.Process(bounded{ctx, end}, cmd)
	p.attempted(err)
	return err
}

// detach sends a command whose caller may leave before the reply is there. The
// command, its connection and its place in flight then belong to the goroutine.
func (p *pipeline) detach(ctx context.Context, end *epoch, cmd command) error {
	done := make(chan error, 1)
	go func() {
		err := p.rdb.Process(bounded{ctx, end}, cmd)
		p.attempted(err)
		p.inFlight.Add(-1)
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.Join(errLeft, ctx.Err())
	}
}

// share sends a command together with others.
func (p *pipeline) share(ctx context.Context, end *epoch, cmd command) error {
	c, ok := p.calls.Get().(*call)
	if !ok {
		c = &call{done: make(chan struct{}, 1)}
	}
	c.cmd = cmd
	c.state.Store(queued)
	p.enqueue(c)
	var err error
	select {
	case <-c.done:
		p.calls.Put(c)
		return cmd.Err()
	case <-ctx.Done():
		err = errors.Join(errLeft, ctx.Err())
	case <-end.done:
		err = context.DeadlineExceeded
	}
	if c.state.CompareAndSwap(queued, abandoned) {
		return errors.Join(errAbandoned, err)
	}
	return err // the command may run, and its reply belongs to the sender
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
	var batch []*call
	for {
		runtime.Gosched() // who is ready to call may join the batch
		if batch = p.batch(batch[:0]); len(batch) == 0 {
			return
		}
		p.exec(batch)
		for _, c := range batch {
			c.done <- struct{}{}
		}
	}
}

// batch adds what waits to an empty batch; where nothing does, this sender ends.
func (p *pipeline) batch(batch []*call) []*call {
	p.mu.Lock()
	defer p.mu.Unlock()
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
	}
	return batch
}

// exec sends a batch and notes the attempt: it succeeded where Redis answered any
// of its calls.
func (p *pipeline) exec(batch []*call) {
	ctx := bounded{context.Background(), p.budget.begin(time.Now())}
	if len(batch) == 1 {
		p.attempted(p.rdb.Process(ctx, batch[0].cmd)) // each caller reads its command's error
		return
	}
	pipe := p.rdb.Pipeline()
	for _, c := range batch {
		pipe.Process(ctx, c.cmd)
	}
	pipe.Exec(ctx)
	var err error
	for _, c := range batch {
		if err = c.cmd.Err(); err == nil || answered(err) {
			break
		}
	}
	p.attempted(err)
}
