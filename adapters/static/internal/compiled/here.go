//go:build !embedded

package compiled

import (
	"context"

	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

// Program returns the program with the analyzers of package analysis/languages or without.
func Program(ctx context.Context, languages bool) (p static.Program, err error) {
	if p.Glue, err = Glue(ctx); err != nil {
		return p, err
	}
	p.WASM, err = Compile(ctx, languages)
	return p, err
}
