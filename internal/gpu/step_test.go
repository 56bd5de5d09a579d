//go:build (emu || cuda) && cgo

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// stepIndex returns a snapshot of n documents in several segments, some deleted, over words w0 to
// w39 of falling frequency, with lists of a codec.
func stepIndex(t *testing.T, codec string, n, segments int) *reader.Snapshot {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(61, uint64(n)))
	fs := memfs.New()
	o := writer.Options{MergePolicy: writer.NoMerges}
	if codec != "" {
		c, ok := registry.ByName(codec)
		if !ok {
			t.Fatalf("no codec %q", codec)
		}
		o.DocsCodec = codec
		if bp128, _ := registry.ByName("bp128"); c.BlockLen() != bp128.BlockLen() {
			o.FreqsCodec = codec
		}
	}
	w, err := writer.OpenFS(t.Context(), fs, o)
	do(err)
	defer w.Close()
	for i := range n {
		if i > 0 && i%(n/segments+1) == 0 {
			do(w.Flush(t.Context()))
		}
		var text strings.Builder
		for j := range 40 {
			if rng.IntN(j/2+1) == 0 && rng.IntN(1+j/8) == 0 {
				text.WriteString(strings.Repeat(fmt.Sprintf("w%d ", j), 1+rng.IntN(3)))
			}
		}
		do(w.Add(t.Context(), writer.Text(fmt.Append(nil, i), []byte(text.String()))))
	}
	do(w.Commit(t.Context()))
	for range n / 20 {
		do(w.Delete(t.Context(), fmt.Append(nil, rng.IntN(n))))
	}
	do(w.Commit(t.Context()))
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	do(err)
	s, err := x.Snapshot()
	do(err)
	t.Cleanup(func() { s.Close(); x.Close() })
	return s
}

// stepper is a Stepper and the Searcher that it must equal.
type stepper struct {
	*Stepper
	cpu *search.Searcher
	x   *Executor
}

func newStepper(t *testing.T, snapshot *reader.Snapshot, eo Options, o StepOptions) stepper {
	t.Helper()
	cpu, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cpu.Close() })
	dev := newDevice(testDevice(t, 0))
	eo.CPU = cpu
	x, err := New(dev, snapshot, eo)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStepper(x, cpu, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{s, x, dev} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return stepper{s, cpu, x}
}

// check answers a query and compares with the Searcher.
func (s stepper) check(t *testing.T, q search.Query) *StepTrace {
	t.Helper()
	tr := &StepTrace{}
	got, err := s.Search(context.Background(), q, tr)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.cpu.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Hits, want.Hits) {
		t.Fatalf("%v %q k %d: got %v, want %v\n%+v", q.Mode, q.RawTerms, q.K, got.Hits, want.Hits, tr)
	}
	if tr.Failed != nil {
		t.Fatal(tr.Failed)
	}
	return tr
}

func drawQuery(rng *rand.Rand, modes ...query.Mode) search.Query {
	q := search.Query{K: 1 + rng.IntN(40), Mode: modes[rng.IntN(len(modes))]}
	for range 1 + rng.IntN(5) {
		q.RawTerms = append(q.RawTerms, fmt.Append(nil, "w", rng.IntN(1+rng.IntN(40))))
	}
	if rng.IntN(20) == 0 {
		q.RawTerms = append(q.RawTerms, q.RawTerms[0])
	}
	if rng.IntN(30) == 0 {
		q.RawTerms = append(q.RawTerms, []byte("unknown"))
	}
	return q
}

// Whatever moves when, and however lists are intersected, the answers are the Searcher's.
func TestStepsEqualSearcher(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 63))
	moved, ended := map[int]int{}, 0
	for i, codec := range []string{"", "bp128", "newpfd", "ef", "vbyte128", "seglrc", "rice", "bp256", "vbyte1024", "hslrc"}[:few(4, 10)] {
		snapshot := stepIndex(t, codec, few(1600, 3000), 1+i%3)
		for j := range few(3, 4) {
			// The query moves to the CPU after turn terms, or never.
			turn, each := 0, false
			s := newStepper(t, snapshot, Options{Memory: 8 << 20}, StepOptions{Load: true, sorted: []int{0, 20, 1}[j%3], Rule: StepRule{Sort: []int64{0, 500, 0, -1}[j%4]}, Choose: func(st StepState) StepChoice {
				switch {
				case st.Done >= turn:
					return StepCPU
				case each:
					return StepGPU
				}
				return []StepChoice{StepGPU, StepRest}[rng.IntN(2)]
			}})
			for range few(16, 40) {
				turn, each = rng.IntN(6), rng.IntN(3) > 0
				tr := s.check(t, drawQuery(rng, query.ModeAnd, query.ModeAnd, query.ModeAndOr, query.ModeOr))
				if _, ok := tr.Moved(); ok {
					moved[len(tr.Steps)]++
				} else if n := len(tr.Steps); n > 0 && tr.Steps[n-1].Choice == StepRest {
					ended++
				}
			}
		}
	}
	if moved[2] < 5 || moved[3] < 3 || moved[4] < 1 || ended < 10 {
		t.Errorf("queries moved by number of steps: %v; %d ended on the device", moved, ended)
	}
}
