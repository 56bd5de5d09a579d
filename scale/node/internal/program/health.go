package program

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/scale/node"
)

// health serves what a node says of itself. Nil serves nothing.
type health struct {
	status atomic.Pointer[node.Status]
	server http.Server
}

// newHealth begins to serve at an address, unless that is "".
func newHealth(address string) (*health, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--health: %w", err)
	}
	h := &health{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { h.answer(w, http.StatusOK) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s := h.status.Load(); s == nil || s.State != node.Serving {
			h.answer(w, http.StatusServiceUnavailable)
			return
		}
		h.answer(w, http.StatusOK)
	})
	h.server = http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second}
	go h.server.Serve(l) // until it is closed
	return h, nil
}

// answer writes the status.
func (h *health) answer(w http.ResponseWriter, code int) {
	s := h.status.Load()
	if s == nil {
		s = &node.Status{State: "starting"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(s) // who asks may be gone
}

func (h *health) set(s node.Status) {
	if h != nil {
		h.status.Store(&s)
	}
}

func (h *health) close() {
	if h != nil {
		h.server.Close()
	}
}
