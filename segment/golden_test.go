package segment

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/format"
)

var update = flag.Bool("update", false, "rewrite the golden segment of the present version")

// golden returns the present version's golden file.
func golden() string {
	return filepath.Join("testdata", "segment-"+format.Current.String()+".pin")
}

func goldenBuild() buildWith {
	return buildWith{docs: codecNamed("bp128"), freqs: codecNamed("vbyte128"), stored: true}
}

// The golden of the present version is what is written today, byte for byte.
func TestGoldenIsWritten(t *testing.T) {
	got := smallModel().build(t, goldenBuild())
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

// The goldens of all versions are read for ever (from major version 1 on).
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
		s, err := Open(file, Aligned(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		smallModel().check(t, s, true)
	}
}
