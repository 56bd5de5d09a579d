package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// verification checks all segments in the background, one run at a time.
type verification struct {
	mu     sync.Mutex
	state  verifyState
	stop   context.CancelFunc // of the run, nil before the first
	ended  chan struct{}      // closed when the run has ended
	places []place
}

// verifyState is what the page shows of it.
type verifyState struct {
	Level   int     `json:"level"` // 0 before the first run
	Running bool    `json:"running"`
	File    string  `json:"file"`
	Percent float64 `json:"percent"`
	Damaged int     `json:"damaged"` // places
	Error   string  `json:"error"`
	Took    string  `json:"took"`
}

// verifyPage is the page of a verification.
type verifyPage struct {
	verifyState
	Places []place
	More   int
	Levels []option
}

// place is a damaged place of a file.
type place struct {
	inspect.Place
	Link string
}

// maxPlaces is how many damaged places are kept.
const maxPlaces = 1000

func (s *shown) verification(*http.Request) (any, error) {
	v := s.verify
	v.mu.Lock()
	defer v.mu.Unlock()
	p := verifyPage{verifyState: v.state, Places: v.places[:len(v.places):len(v.places)], More: v.state.Damaged - len(v.places)}
	for i, text := range []string{"1: checksums", "2: and structure", "3: and every posting"} {
		p.Levels = append(p.Levels, option{text, i+1 == p.Level || p.Level == 0 && i == 2})
	}
	return p, nil
}

// verifyProgress answers with a verifyState.
func (s *Server) verifyProgress(w http.ResponseWriter, _ *http.Request) {
	s.verify.mu.Lock()
	state := s.verify.state
	s.verify.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	// An error means that the browser is gone.
	_ = json.NewEncoder(w).Encode(state)
}

// startVerify starts a run, or stops the one under way.
func (s *Server) startVerify(w http.ResponseWriter, r *http.Request) {
	v := &s.verify
	if r.FormValue("stop") != "" {
		v.cancel()
	} else {
		level := check.Postings
		switch r.FormValue("level")[:min(1, len(r.FormValue("level")))] {
		case "1":
			level = check.Checksums
		case "2":
			level = check.Structure
		}
		x, _ := s.main.use()
		if !v.start(x, level, func() { s.main.done(x) }) {
			s.main.done(x)
		}
	}
	http.Redirect(w, r, s.Path()+"verify", http.StatusSeeOther)
}

// cancel stops a run and waits for its end.
func (v *verification) cancel() {
	v.mu.Lock()
	stop, ended := v.stop, v.ended
	v.mu.Unlock()
	if stop != nil {
		stop()
		<-ended
	}
}

// start begins a run unless one is under way, and calls end when it is over.
func (v *verification) start(x *source, level check.Level, end func()) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.state.Running {
		return false
	}
	ctx, stop := context.WithCancel(context.Background())
	v.stop, v.ended, v.places = stop, make(chan struct{}), nil
	v.state = verifyState{Level: int(level), Running: true}
	go func() {
		defer close(v.ended)
		defer end()
		start := time.Now()
		err := v.run(ctx, x, level)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.state.Running, v.state.Took = false, cli.Seconds(time.Since(start))
		if errors.Is(err, context.Canceled) {
			v.state.Error = "stopped"
		} else if err != nil {
			v.state.Error = err.Error()
		}
	}()
	return true
}

// run checks every file.
func (v *verification) run(ctx context.Context, x *source, level check.Level) error {
	total, done := int64(0), int64(0)
	for _, g := range x.Segs {
		total += g.Header().FileLen
	}
	_, err := inspect.Verify(ctx, x.Index, inspect.VerifyOptions{Level: level, Threads: max(runtime.GOMAXPROCS(0)/2, 1), Report: v.damaged,
		Progress: func(file string, size int64) (func(part, whole int64), func()) {
			before := done
			done += size
			return func(part, whole int64) {
				v.progress(file, float64(before)+float64(part)/float64(max(whole, 1))*float64(size), total)
			}, func() {}
		}})
	v.progress("", 1, 1)
	return err
}

func (v *verification) progress(file string, done float64, total int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state.File, v.state.Percent = file, min(100*done/float64(max(total, 1)), 100)
}

func (v *verification) damaged(file string, p inspect.Place) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state.Damaged++
	if len(v.places) == maxPlaces {
		return
	}
	at := place{p, link("bytes", "file", file)}
	if p.Offset != nil {
		at.Link = link("bytes", "file", file, "off", *p.Offset)
	}
	v.places = append(v.places, at)
}
