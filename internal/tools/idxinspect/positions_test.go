package idxinspect

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// placed writes a segment with documents d0 to d299. In all of them "a" is at positions 3 and, in dN, at 5 to 5+N; "b" is
// at 4 of every other one, in a field without positions, too.
func placed(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	const docs = 300
	var a, b format.Postings
	var gaps, others []uint32
	var lens, plain []uint32
	for d := range uint32(docs) {
		a = a.AppendPosting(d, d+2)
		gaps = append(append(gaps, 3, 1), make([]uint32, d)...)
		if d%2 == 0 {
			b = b.AppendPosting(d, 1)
			others = append(others, 4)
		}
		plain = append(plain, (d+1)%2)
		lens = append(lens, d+2+(d+1)%2)
	}
	table := func(lens []uint32) []segment.LengthTable { return []segment.LengthTable{segment.NewLengthTable(lens)} }
	w, err := build.New(format.NewFileWriter(f, format.KindSegment, [16]byte{1}), build.Options{Docs: docs, DocsCodec: bp128.Codec{}, FreqsCodec: bp128.Codec{}, Fields: []build.Field{
		{Field: schema.Field{ID: 1, Name: "plain", Kind: schema.Text}, Lengths: table(plain)},
		{Field: schema.Field{ID: 2, Name: "text", Kind: schema.Text, Positions: true}, Lengths: table(lens)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.BeginField(0), w.AddList([]byte("b"), b), w.BeginField(1), w.AddPositions([]byte("a"), a, gaps), w.AddPositions([]byte("b"), b, others))
	for d := range docs {
		err = errors.Join(err, w.AddDoc(fmt.Appendf(nil, "d%d", d), nil))
	}
	_, finish := w.Finish()
	if err = errors.Join(err, finish, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestPositions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment.pin")
	placed(t, path)
	for _, tt := range []struct {
		args  string
		wants []string // in the output, or in the error
		code  int
	}{
		{"positions --field text INDEX a d2", []string{"document d2", "docID 2", "term a", "block 0 of 3 blocks", "4 positions 3 5 6 7"}, 0},
		{"positions --field text INDEX a d0", []string{"2 positions 3 5"}, 0},
		{"positions --field text INDEX a d299", []string{"block 2 of 3 blocks", "301 positions 3 5 6 ", " 303 304"}, 0},
		{"positions --field text INDEX b d200", []string{"1 position 4"}, 0},
		{"positions --json --field text INDEX a d1", []string{`"positions": [ 3, 5, 6 ]`, `"doc": 1,`, `"block": 0, "blocks": 3,`}, 0},
		{"positions --field text INDEX b d201", []string{"document d201 does not have the term b"}, cli.ExitFailed},
		{"positions --field text INDEX b d299", []string{"document d299 does not have the term b"}, cli.ExitFailed},
		{"positions --field text INDEX c d2", []string{"no term c"}, cli.ExitFailed},
		{"positions --field text INDEX a d300", []string{"no document d300"}, cli.ExitFailed},
		{"positions --field plain INDEX b d2", []string{"the field is indexed without positions"}, cli.ExitUsage},
		{"positions INDEX b d2", []string{"--field"}, cli.ExitFailed},
		{"sizes INDEX", []string{"positions ", "position-index "}, 0},
		{"sections INDEX", []string{"positions ", "position-index "}, 0},
		{"report --out - INDEX", []string{"where in documents terms are"}, 0},
	} {
		cmd := Command()
		cmd.SetArgs(strings.Fields(strings.ReplaceAll(tt.args, "INDEX", path)))
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		err := cmd.Execute()
		got := strings.Join(strings.Fields(out.String()), " ")
		if tt.code != 0 {
			got = fmt.Sprint(err)
		}
		for _, want := range tt.wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %.300s", tt.args, want, got)
			}
		}
		if code := cli.ExitCode(err); code != tt.code {
			t.Errorf("%s: code %d: %v", tt.args, code, err)
		}
	}
}
