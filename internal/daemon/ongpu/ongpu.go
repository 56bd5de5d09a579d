// Package ongpu is the flag --gpu of programs that serve an index: a GPU and the CPU answer its searches, whichever suits them,
// and programs say which do.
package ongpu

import (
	"context"
	"fmt"
	"io"
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

// patience is how long a GPU may take to be ready before Say says that it is not yet.
const patience = time.Second

// Say has x open devices by a search, in the background, and says on w which processors answer once that is known: a line, and one more
// before if it takes long. end waits for it, with whatever is known.
func Say(ctx context.Context, w io.Writer, x *gpuload.Executor, search func(context.Context) error) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if search(ctx) != nil {
			return // searches of clients say it
		}
		soon, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if x.Ready(soon); soon.Err() != nil && ctx.Err() == nil {
			say(w, x)
			x.Ready(ctx)
		}
		if ctx.Err() == nil {
			say(w, x)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func say(w io.Writer, x *gpuload.Executor) { fmt.Fprintf(w, "--gpu: %s\n", cli.Printable(x.Answers())) }
