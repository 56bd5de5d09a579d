//go:build (emu && cgo) || cuda || gpu

package gpu

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// read returns n bytes of device memory.
func read(t *testing.T, dev cuda.Device, at kernels.Ptr, n int) []byte {
	t.Helper()
	host, err := dev.HostAlloc(n)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dev.HostFree(host) }()
	var b cuda.Batch
	b.CopyOut(host, at)
	if err := residency.Flush(dev, &b); err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(host)
}

// TestRecode loads lists of every codec twice and checks that the device then holds the
// bytes that the codec bp128 writes for their postings, with the other parts unchanged,
// and that queries get their answers.
func TestRecode(t *testing.T) {
	shapes := []gputrial.Shape{{Docs: 9000, Segments: 2, Terms: 30, MaxDF: 0.8, MinDF: 1, DocsCodec: gputrial.Mixed, Clustered: true, Seed: 4}}
	for _, name := range []string{"newpfd", "vbyte128", "rice", "pfordelta", "parapfor", "ef", "lrc", "lrcseg", "seglrc", "hslrc"} {
		s := gputrial.Shape{Docs: 6000, Segments: 1, Terms: 14, MaxDF: 0.9, MinDF: 100, DocsCodec: name, FreqsCodec: name, Seed: 7}
		if name == "newpfd" {
			s.Clustered, s.FreqsCodec = true, "bp128"
		}
		shapes = append(shapes, s)
	}
	for _, s := range shapes {
		t.Run(s.DocsCodec, func(t *testing.T) {
			c, err := gputrial.New(s, true)
			if err != nil {
				t.Fatal(err)
			}
			sc := mustScorer(t, c)
			dev := testDevice(t, 1)
			x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 8 << 20, apart: true})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 9))
			for range 2 {
				if err := x.LoadAll(context.Background()); err != nil {
					t.Fatal(err)
				}
				check(t, x, c, sc, c.Draw(r, 20, 5, 30, query.ModeAnd, query.ModeOr, query.ModeAndOr), nil)
				recoded, stored := 0, int64(0)
				for _, l := range x.lists.ByKey {
					stored += l.Stored
					if equalsBP128(t, x, l) {
						recoded++
					}
				}
				if s := x.Stats(); recoded == 0 || stored != s.Stored || x.lists.Arena.Free()+s.Bytes+s.Marked != x.lists.Arena.Size() {
					t.Errorf("%d lists recoded, %+v, %d bytes free", recoded, s, x.lists.Arena.Free())
				}
				x.lists.Forget() // the second time, blocks are not checked
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// equalsBP128 compares a recoded list with what the CPU makes of it. It reports whether
// the list is recoded.
func equalsBP128(t *testing.T, x *Executor, r *residency.List) bool {
	t.Helper()
	b := read(t, x.dev, x.lists.Table+kernels.Ptr(layout.DescSize*int(r.Slot)), layout.DescSize)
	d := *(*kernels.ListDesc)(unsafe.Pointer(unsafe.SliceData(b)))
	if got := kernels.CodecsOf(d.DocsCodec, d.FreqsCodec); got != r.Codecs {
		t.Errorf("the device has codecs %b, the host %b", got, r.Codecs)
	}
	v, err := x.docs.Segments[r.Key.Segment].Seg.Lists().List(segment.Entry{Kind: segment.KindExtent, DF: r.N, Offset: r.Key.Offset})
	if err != nil {
		t.Fatal(err)
	}
	want := layout.Describe(v, x.docs.Segments[r.Key.Segment].Seg.Meta().Docs)
	if !residency.Recodes(&want) {
		return false
	}
	docs, freqs := make([]uint32, 128*v.Blocks), make([]uint32, 128*v.Blocks)
	if _, err := v.DecodeDocs(docs, 0, v.Blocks); err != nil {
		t.Fatal(err)
	}
	if _, err := v.DecodeFreqs(freqs, 0, v.Blocks); err != nil {
		t.Fatal(err)
	}
	var c bp128.Codec
	docEnds, freqEnds := make([]uint32, v.Blocks+1), make([]uint32, v.Blocks+1)
	wantDocs, err := c.AppendDocs(nil, docEnds, docs[:v.N])
	if err != nil {
		t.Fatal(err)
	}
	wantFreqs, err := c.AppendFreqs(nil, freqEnds, freqs[:v.N])
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, x.dev, r.At, int(r.Size))
	part := func(at kernels.Ptr, n int) []byte { return got[at-r.At:][:n] }
	head := int(want.Docs)
	stored := bytes.Clone(v.Extent()[:head])
	copy(stored[want.DocEnds:], kernels.Slice(docEnds))
	copy(stored[want.FreqEnds:], kernels.Slice(freqEnds))
	if !bytes.Equal(got[:head], stored) {
		t.Errorf("%v: the parts before the payloads differ", r.Key)
	}
	if !bytes.Equal(part(d.Docs, len(wantDocs)), wantDocs) || !bytes.Equal(part(d.Freqs, len(wantFreqs)), wantFreqs) ||
		int(d.DocWords) != len(wantDocs)/4 || int(d.FreqWords) != len(wantFreqs)/4 {
		t.Errorf("%v: payloads differ from those of bp128", r.Key)
	}
	layout.Place(&want, r.At)
	want.Docs, want.Freqs, want.DocWords, want.FreqWords = d.Docs, d.Freqs, d.DocWords, d.FreqWords
	want.DocsCodec, want.FreqsCodec, want.Presence = kernels.BP128, kernels.BP128, d.Presence
	if d != want {
		t.Errorf("%v: descriptor %+v, want %+v", r.Key, d, want)
	}
	if size := int64(d.Freqs-r.At) + int64(len(wantFreqs)); r.Size != (size+63)&^63 {
		t.Errorf("%v: %d bytes for %d", r.Key, r.Size, size)
	}
	return true
}

// TestRecodeWithoutRoom checks that lists stay as they are where there is no room for
// their new form, and with AsStored.
func TestRecodeWithoutRoom(t *testing.T) {
	c, err := gputrial.New(gputrial.Shape{Docs: 9000, Segments: 1, Terms: 30, MaxDF: 0.8, MinDF: 200, DocsCodec: "newpfd", FreqsCodec: "newpfd"}, true)
	if err != nil {
		t.Fatal(err)
	}
	sc := mustScorer(t, c)
	for _, o := range []Options{{Memory: 8 << 20, AsStored: true}, {Memory: 40 << 10}, {Memory: 24 << 10, Threshold: 1}} {
		dev := testDevice(t, 1)
		o.Scorer, o.CPU = sc, nil
		x, err := newExecutor(dev, viewsIn(c), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.LoadAll(context.Background()); err != nil {
			t.Fatal(err)
		}
		stored := 0
		for _, l := range x.lists.ByKey {
			if l.Codecs == kernels.CodecsOf(kernels.NewPFD) {
				stored++
			}
		}
		if s := x.Stats(); stored == 0 || o.AsStored && (int64(stored) != s.Lists || s.Stored != s.Bytes) {
			t.Errorf("%+v: %d lists as stored, %+v", o, stored, s)
		}
		r := rand.New(rand.NewPCG(3, 9))
		for range 10 {
			q := c.Draw(r, 1, 2, 20, query.ModeAnd, query.ModeOr)
			got, err := x.Execute(context.Background(), []search.Query{q[0].Query()})
			if err == nil && !gputrial.Equal(got[0].Hits, c.Answer(sc, q[0], nil)) {
				t.Errorf("%+v: %v", q, got[0].Hits)
			}
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
