package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

// What a workspace may send in a second: to all servers together, and to one
// that has lost Redis.
const (
	together = 40
	alone    = 10
)

// chatServer is one server of the chat service.
type chatServer struct {
	shared *limiter.Limiter

	mu    sync.Mutex
	now   time.Time        // on the model clock, which comes with every message
	local map[string]int64 // what was accepted without Redis, by workspace and second
}

// chat makes a chat server; four processes are one each. A message is accepted
// with 200 or refused with 429.
func chat(rdb *redis.Client, _ func(string)) http.Handler {
	s := &chatServer{local: map[string]int64{}}
	shared, err := limiter.New(rdb, limiter.Options{Clock: s.clock, Timeout: patient, DialTimeout: patient})
	if err != nil {
		log.Fatal(err)
	}
	s.shared = shared
	return s
}

func (s *chatServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	second, err := time.Parse(time.RFC3339, r.FormValue("second"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !s.accept(r.Context(), r.FormValue("workspace"), second) {
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// accept counts in Redis, and without it in the memory of this process.
func (s *chatServer) accept(ctx context.Context, workspace string, second time.Time) bool {
	s.mu.Lock()
	s.now = second
	s.mu.Unlock()
	d, err := s.shared.Take(ctx, limiter.Charge{
		Subject: []string{"workspace", workspace},
		Limit:   limiter.Limit{Name: "messages", Algorithm: limiter.FixedWindow, Quota: together, Window: time.Second},
		Cost:    1,
	})
	if err == nil {
		return d.Outcome == limiter.Allowed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(workspace, second.Unix())
	if s.local[key] >= alone {
		return false
	}
	s.local[key]++
	return true
}

func (s *chatServer) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}
