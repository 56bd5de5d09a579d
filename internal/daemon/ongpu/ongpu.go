// Package ongpu is the flag --gpu of programs that serve an index: a GPU and the CPU answer its searches, whichever suits them,
// and programs say which do.
package ongpu

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/internal/cli"
)

// Add adds the flag.
func Add(fl *pflag.FlagSet, on *bool) {
	fl.BoolVar(on, "gpu", false, "answer searches on the GPUs of this machine and the CPU, whichever suits them")
}

// Open returns an Executor on all GPUs and the CPU. Without a GPU the CPU answers all.
func Open() (*gpuload.Executor, error) { return gpuload.Open(gpuload.Options{}) }

// answering is a gpuload.Executor.
type answering interface {
	Ready(context.Context) error
	Answers() string
}

// patience is how long a GPU may take to be ready before Say says that it is not yet.
const patience = time.Second

// looks is how often Say looks whether a GPU has been given up. Tests change it.
var looks = 10 * time.Second

// Say has x open devices by a search, in the background, and says on w which processors answer once that is known: a line, and one more
// before if it takes long. Later it says if a GPU is given up, and if one answers again. end ends it.
func Say(ctx context.Context, w io.Writer, x answering, search func(context.Context) error) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if search(ctx) != nil {
			return // searches of clients say it
		}
		saying{w, x}.say(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

type saying struct {
	w io.Writer
	x answering
}

// say says what Say says after the search.
func (s saying) say(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.x.Ready(soon); soon.Err() != nil {
		s.line(ctx, s.x.Answers())
		s.x.Ready(ctx)
	}
	for said := ""; ; {
		if text := s.x.Answers(); text != said && !strings.Contains(text, " until ") { // as after each commit, for a moment
			s.line(ctx, text)
			said = text
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(looks):
		}
	}
}

func (s saying) line(ctx context.Context, text string) {
	if ctx.Err() == nil {
		fmt.Fprintf(s.w, "--gpu: %s\n", cli.Printable(text))
	}
}
