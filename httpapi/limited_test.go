package httpapi_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// An answer says which parts of its query stand for too many terms to score each.
func TestLimited(t *testing.T) {
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fs := memfs.New()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{})
	do(err)
	defer w.Close()
	var text []byte
	for _, a := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		for _, b := range "abcdefghijklmnopqrstuvwxyz0123456789" {
			text = fmt.Appendf(text, " w%c%cd", a, b) // 1,296, all within two edits of word
		}
	}
	do(w.Add(t.Context(), writer.Text([]byte("d"), text)))
	do(w.Commit(t.Context()))
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	defer x.Close()
	snapshot, err := x.Snapshot()
	do(err)
	defer snapshot.Close()
	p, err := pinion.NewView(snapshot, nil)
	do(err)
	defer p.Close()
	for text, want := range map[string][]httpapi.Limited{"word~2": {{Name: `fuzzy "word"`}}, "word~": nil, "w*": nil} {
		a, err := httpapi.OfView(p).Search(t.Context(), &httpapi.Request{Query: text})
		do(err)
		if len(a.Hits) != 1 || !slices.Equal(a.Limited, want) {
			t.Errorf("%s: %d hits, limited is %v, want %v", text, len(a.Hits), a.Limited, want)
		}
	}
}
