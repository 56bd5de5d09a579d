package exchange

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/pinion-index/pinion/writer"
)

// Values that nothing opened are closed, and arguments that are missing are named.
func TestMisuse(t *testing.T) {
	for name, x := range map[string]InvertedSource{"CIFF": new(CIFF), "DS2I": new(DS2I), "SnapshotLists": new(SnapshotLists)} {
		if x.Docs() != 0 || x.BytesRead() != 0 {
			t.Errorf("%s: %d documents, %d bytes", name, x.Docs(), x.BytesRead())
		}
		in := x.Inverted()
		for _, err := range in.Docs {
			if !errors.Is(err, ErrClosed) || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: documents: %v", name, err)
			}
		}
		for _, err := range in.Lists {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s: lists: %v", name, err)
			}
		}
		if err := WriteCIFF(io.Discard, in, 0, ""); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: written: %v", name, err)
		}
		if err := x.Close(); err != nil {
			t.Errorf("%s: closed: %v", name, err)
		}
	}
	if _, err := new(SnapshotLists).Lists(); !errors.Is(err, ErrClosed) {
		t.Errorf("lists of no snapshot: %v", err)
	}
	if h := new(CIFF).Header(); h != (CIFFHeader{}) {
		t.Errorf("header of nothing: %+v", h)
	}
	_, err := FromSnapshot(nil)
	_, exported := ExportJSONL(nil, io.Discard, nil) //lint:ignore SA1012 a nil context is part of this
	for what, err := range map[string]error{
		"FromSnapshot": err, "ExportJSONL": exported,
		"WriteCIFF":            WriteCIFF(io.Discard, writer.Inverted{}, 0, ""),
		"WriteCIFF to nothing": WriteCIFF(nil, invertedOf(new(CIFF)), 0, ""),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if Recoverable(nil) || Recoverable(ErrInvalid) {
		t.Error("nothing to recover from")
	}
}

func TestMisuseOfSources(t *testing.T) {
	for name, x := range map[string]struct{ zero, none Source }{
		"JSONL":  {new(JSONL), NewJSONL("none", nil)},
		"CSV":    {new(CSV), NewCSV("none", nil)},
		"TSV":    {new(TSV), NewTSV("none", nil)},
		"Plain":  {new(Plain), NewPlain("none", nil)},
		"TREC":   {new(TREC), NewTREC("none", nil)},
		"Topics": {new(Topics), NewTopics("none", nil)},
	} {
		if _, err := x.zero.Next(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: zero value: %v", name, err)
		}
		if _, err := x.none.Next(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: no reader: %v", name, err)
		}
		for _, s := range []Source{x.zero, x.none} {
			if s.BytesRead() != 0 || s.Close() != nil {
				t.Errorf("%s: %d bytes, closed %v", name, s.BytesRead(), s.Close())
			}
		}
	}
}
