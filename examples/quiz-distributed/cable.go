package main

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/redis/go-redis/v9"
)

// A cable is the network between servers and Redis. It can be cut, while Redis
// runs on and keeps its keys.
type cable struct {
	mu     sync.Mutex
	broken bool
	conns  []net.Conn
}

// client returns a client that reaches the other's Redis over the cable.
func (c *cable) client(other *redis.Client) *redis.Client {
	options := *other.Options()
	options.Dialer = c.dial
	return redis.NewClient(&options)
}

func (c *cable) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return nil, errors.New("the network is cut")
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// cut breaks the connections that there are, and allows no new ones.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = false
}
