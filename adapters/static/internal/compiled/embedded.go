//go:build embedded

package compiled

import (
	"context"
	_ "embed"

	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

// Files that internal/release of the root module makes.
var (
	//go:embed program.bin
	program []byte
	//go:embed languages.bin
	withLanguages []byte
	//go:embed wasm_exec.js
	glue []byte
)

// Program returns the program with the analyzers of package analysis/languages or without.
func Program(_ context.Context, languages bool) (static.Program, error) {
	if languages {
		return static.Program{WASM: withLanguages, Glue: glue}, nil
	}
	return static.Program{WASM: program, Glue: glue}, nil
}
