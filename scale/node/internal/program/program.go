// Package program is the commands of module scale/node.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/node"
)

// pause is how long a program waits for NATS before it tries again.
const pause = 200 * time.Millisecond

// start calls f until it succeeds, ctx is done, or the error is one that waiting does not mend. It says once what it waits
// for.
func start(ctx context.Context, stderr io.Writer, f func(context.Context) error) error {
	for said := ""; ; {
		err := f(ctx) // NATS is waited for by its client, for 5 s
		for _, final := range []error{node.ErrInvalid, node.ErrForeign, node.ErrDifferent} {
			if errors.Is(err, final) {
				return err
			}
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		if text := err.Error(); text != said {
			said = text
			fmt.Fprintf(stderr, "waiting: %s\n", cli.Printable(text))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}
