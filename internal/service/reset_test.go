package service

import "testing"

// BenchmarkReset is the cost of a reset beside that of a new server.
func BenchmarkReset(b *testing.B) {
	s, err := Open(b.Context(), Options{Kind: "process", Cache: b.TempDir()})
	if err != nil {
		b.Skip(err)
	}
	defer s.Close()
	r, err := s.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("reset", func(b *testing.B) {
		for b.Loop() {
			if err := r.Reset(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new server", func(b *testing.B) {
		for b.Loop() {
			fresh, err := s.Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
