package segment_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

var update = flag.Bool("update", false, "rewrite the golden segment of the current version")

// golden returns the current version's golden file.
func golden() string {
	return filepath.Join("testdata", "segment-"+format.Current().String()+".pin")
}

func goldenBuild() segtest.With {
	return segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}
}

// The golden of the current version is written today byte for byte.
func TestGoldenIsWritten(t *testing.T) {
	got := segtest.Small().Build(t, goldenBuild())
	if *update {
		if err := os.WriteFile(golden(), got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the segment written today is not %s; if the change is meant, run go test ./segment -update", golden())
	}
}

// The goldens of all versions can be read forever (from major version 1 on).
func TestGoldensAreRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "segment-*.pin"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden segments")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := segment.Open(file, segment.Aligned(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Fatal(err)
		}
		segtest.Small().Check(t, s, true)
	}
}

// Version 0.3 moved sections. The dictionary, the lists and the lengths of documents are what
// they were.
func TestContentIsThatOf02(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "segment-0.2.pin"))
	if err != nil {
		t.Fatal(err)
	}
	was := segtest.Open(t, b)
	is := segtest.Open(t, segtest.Small().Build(t, goldenBuild()))
	if was.Header().Version == is.Header().Version {
		t.Fatalf("both are of version %v", is.Header().Version)
	}
	for _, id := range []format.SectionID{format.SectionTerms, format.SectionTermIndex, format.SectionPostings, format.SectionDocLengths} {
		content := func(s *segment.Segment) []byte {
			sec, ok := s.Header().Section(id)
			if !ok || sec.Length == 0 {
				t.Fatalf("%s: no %v", s.Header().Version, id)
			}
			c, err := s.Raw().SectionBytes(id, 0, sec.Length)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		if !bytes.Equal(content(was), content(is)) {
			t.Errorf("%v differs", id)
		}
	}
}
