package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// schedule makes parts of trials side by side, those first of which the least share is done,
// and fuzzing last.
type schedule struct {
	dir    string // of programs
	trials []*trial
	start  time.Time
	end    time.Time // if not zero

	mu     sync.Mutex
	failed bool
}

// partTime is about how long a part takes whose size is free.
const partTime = 20 * time.Second

// run makes the trials and prints their counts. It reports whether any failed.
func (s *schedule) run(ctx context.Context, workers int) (failed bool) {
	if !s.end.IsZero() {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, s.end)
		defer cancel()
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for t, seed, n := s.take(ctx); t != nil; t, seed, n = s.take(ctx) {
				s.part(ctx, t, seed, n)
			}
		})
	}
	group.Wait()
	fmt.Printf("%-28s %12s %8s %8s\n", "trial", "count", "parts", "failed")
	for _, t := range s.trials {
		fmt.Printf("%-28s %12d %8d %8d\n", t.name, t.made, t.parts, t.failed)
	}
	fmt.Printf("%d s on %d cores, seeds from %d\n", int(time.Since(s.start).Seconds()), workers, *first)
	return s.failed
}

// take returns the next part: a trial, the first of its seeds, and its size. It returns no
// trial if all counts are reached or no part would end in time.
func (s *schedule) take(ctx context.Context) (t *trial, seed uint64, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := 0.0
	for _, x := range s.trials {
		if x.failed >= 3 || !s.end.IsZero() && time.Until(s.end) < x.usual*5/4 {
			continue
		}
		share := float64(x.done+x.begun*x.part) / float64(x.want)
		if share < 1 && (t == nil || t.fuzzes && !x.fuzzes || t.fuzzes == x.fuzzes && share < least) {
			t, least = x, share
		}
	}
	if t == nil || ctx.Err() != nil {
		return nil, 0, 0
	}
	seed = *first + uint64(t.parts+t.begun+t.failed)*t.seeds
	n = min(t.part, max(1, t.want-t.done-t.begun*t.part))
	t.begun++
	return t, seed, n
}

// part runs a part of t and records how it ended.
func (s *schedule) part(ctx context.Context, t *trial, seed uint64, n int) {
	c := exec.CommandContext(ctx, filepath.Join(s.dir, t.program), t.args(seed, n)...)
	c.Dir = t.folder
	env := []string{"GOMAXPROCS=" + strconv.Itoa(max(t.procs, 1))}
	if t.env != nil {
		env = append(env, t.env(seed, n)...)
	}
	c.Env = append(os.Environ(), env...)
	c.WaitDelay = time.Second
	start := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(start)
	made := n
	if t.counted != nil && err == nil {
		if m := t.counted.FindSubmatch(out); m != nil {
			made, _ = strconv.Atoi(string(m[1]))
		} else {
			err = errors.New("it prints no count")
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	t.begun--
	switch {
	case ctx.Err() != nil: // killed, not failed
	case err != nil:
		t.failed++
		s.failed = true
		name := fmt.Sprintf("%s-%d.txt", strings.ReplaceAll(t.name, " ", "-"), seed)
		head := fmt.Sprintf("cd %s && %s %s %q\n%v\n", t.folder, strings.Join(env, " "), t.program, c.Args[1:], err)
		fmt.Printf("FAILED: %s: %s", t.name, head)
		if err := errors.Join(os.MkdirAll(*failures, 0o777), os.WriteFile(filepath.Join(*failures, name), append([]byte(head), out...), 0o666)); err != nil {
			fmt.Println(err)
		}
	default:
		t.parts++
		t.made += made
		t.done += n
		if !t.inParts {
			t.done += made - n
		}
		t.usual = max(took, t.usual*3/4)
		if t.fuzzes && took < partTime/2 {
			t.part = min(max(t.part, n*int(min(16, partTime/took))), t.want)
		}
	}
}
