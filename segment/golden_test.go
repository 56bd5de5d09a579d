package segment_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/check"
	"github.com/pinion-index/pinion/segment/internal/segtest"
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
