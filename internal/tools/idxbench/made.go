package idxbench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/synth"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// madeFlags say how the index of a collection that is made is written.
type madeFlags struct {
	out      string
	segments int
	threads  int
	memory   cli.ByteSize
	codec    string
}

func (f *madeFlags) outFlag(fl *pflag.FlagSet) {
	fl.StringVar(&f.out, "out", "", "new index `DIR` (required)")
}

func (f *madeFlags) otherFlags(fl *pflag.FlagSet) {
	f.memory = 512 << 20
	cli.Int(fl, &f.segments, "segments", 1, 1, synth.Slabs, "write `N` segments, 1 to 16")
	cli.Threads(fl, &f.threads)
	fl.Var(&f.memory, "memory", "memory budget of the writer")
	fl.StringVar(&f.codec, "codec", "auto", "codec of docIDs and frequencies, by `NAME`; auto chooses for each list")
}

// check returns what is wrong with the flags, or with the specification of the collection.
func (f *madeFlags) check(spec error) error {
	switch {
	case f.out == "":
		return cli.Usage("--out is missing")
	case f.memory < writer.MinMemory:
		return cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	case f.unknown():
		return cli.Usage("--codec %s is not known", f.codec)
	case spec != nil:
		return cli.Usage("%w", spec)
	}
	if d, err := indexdir.Open(f.out); err == nil {
		defer d.Close()
		if g, err := d.Generation(); err == nil && g > 0 {
			return fmt.Errorf("%s holds an index already", f.out)
		}
	}
	return nil
}

// unknown reports whether there is no codec of --codec.
func (f *madeFlags) unknown() bool {
	_, ok := registry.ByName(f.codec)
	return !ok && f.codec != "auto"
}

// named returns the codec of --codec, "" for auto.
func (f *madeFlags) named() string {
	if f.codec == "auto" {
		return ""
	}
	return f.codec
}

// make writes the parts of a collection as a segment each, or leaves nothing. s is nil without fields.
func (f *madeFlags) make(ctx context.Context, stderr io.Writer, command string, s *schema.Schema, parts []synth.Part) error {
	fresh := cli.NewFresh(f.out)
	err := f.write(ctx, stderr, command, s, parts)
	if err != nil {
		fresh.Undo()
	}
	return err
}

func (f *madeFlags) write(ctx context.Context, stderr io.Writer, command string, s *schema.Schema, parts []synth.Part) error {
	named := f.named()
	w, err := writer.Open(ctx, f.out, writer.Options{Memory: int64(f.memory), Threads: f.threads, DocsCodec: named, FreqsCodec: named, Schema: s})
	if err != nil {
		return cli.Opening(err)
	}
	defer w.Close()
	p := cli.NewProgress(stderr, command, int64(len(parts))*1000, func(done int64, _ time.Duration) string {
		return fmt.Sprintf("segment %d of %d", min(done/1000+1, int64(len(parts))), len(parts))
	})
	defer p.Stop()
	for i, part := range parts {
		if part.Docs() == 0 {
			continue
		}
		in := part.Inverted(ctx, threads(f.threads), func(share float64) { p.Set(int64(1000 * (float64(i) + share))) })
		if err := w.AddInverted(ctx, in); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// size returns the bytes of the segments.
func (f *madeFlags) size() (n int64, err error) {
	files, err := filepath.Glob(filepath.Join(f.out, "segment-*"))
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		st, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		n += st.Size()
	}
	return n, nil
}

// threads returns n, or one for each CPU if n is 0.
func threads(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// madeRows adds what a table says of an index that was made.
func madeRows(t *cli.Table, bytes int64, segments int, peak int64, seconds float64) {
	t.Row("index", fmt.Sprintf("%s in %s", cli.Bytes(bytes), cli.Number(segments, "segment")))
	if peak > 0 {
		t.Row("peak memory", cli.Bytes(peak))
	}
	t.Row("time", cli.Seconds(time.Duration(seconds*float64(time.Second))))
}
