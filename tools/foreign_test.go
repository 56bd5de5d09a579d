package tools_test

import (
	"bytes"
	"context"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// lines is an analyzer that the commands do not know. Every line is a term.
type lines struct{}

func (lines) Name() string                  { return "lines" }
func (lines) Options() string               { return "" }
func (lines) Tokenizer() analysis.Tokenizer { return lines{} }

func (lines) Tokenize(dst *analysis.Tokens, text []byte) {
	for line := range bytes.Lines(text) {
		dst.Add(analysis.Token{Term: bytes.TrimSpace(line), Increment: 1})
	}
}

var registerLines = sync.OnceValue(func() error {
	return analysis.Register("lines", func(string) (analysis.Analyzer, error) { return lines{}, nil })
})

// foreign DIR builds an index with an analyzer that the commands do not know.
func foreign(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(registerLines())
	ctx := context.Background()
	w, err := writer.Open(ctx, ts.MkAbs(args[0]), writer.Options{Schema: schema.Implicit("lines", "", false)})
	ts.Check(err)
	defer w.Close()
	ts.Check(w.Add(ctx, writer.Text([]byte("1"), []byte("New York\nSan José\n"))))
	ts.Check(w.Commit(ctx))
}
