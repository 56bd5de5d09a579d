package httpapi

import (
	"time"

	"github.com/pinion-index/pinion/internal/pace"
)

// SetPatience sets how long clients may take. It returns what sets it back.
func SetPatience(d time.Duration) (restore func()) {
	was := pace.Patience
	pace.Patience = d
	return func() { pace.Patience = was }
}

// Held returns how many bytes the requests of s hold.
func (s *Server) Held() int64 { return s.pool.Held() }
