//go:build emu && cgo

package gpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// TestPresence checks that lists used twice get presence words, that these let all of a
// list's docIDs and few others pass, and that they are freed with their lists.
func TestPresence(t *testing.T) {
	for name, shape := range map[string]gputrial.Shape{
		"some":  someShape,
		"dense": {Docs: 4000, Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 600, DocsCodec: "bp128", FreqsCodec: "bp128"},
		"mixed": {Docs: 30000, Segments: 1, Terms: 30, MaxDF: 0.1, MinDF: 100, DocsCodec: gputrial.Mixed, Clustered: true},
	} {
		t.Run(name, func(t *testing.T) {
			c, sc := newCollection(t, shape)
			dev := testDevice(t, 1)
			x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, Presence: 1, apart: true})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 9))
			for range 3 {
				check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.ModeAnd, query.ModeOr), nil)
			}
			marked, outside, passed := 0, 0, 0
			for _, l := range x.lists.ByKey {
				if l.Marks == 0 {
					continue
				}
				marked++
				n, wrong := passes(t, dev, c, l)
				outside, passed = outside+n, passed+wrong
			}
			if marked == 0 || x.Stats().Marked == 0 {
				t.Error("no list has presence words")
			}
			if passed*10 > outside {
				t.Errorf("%d of %d docIDs that lists do not hold pass", passed, outside)
			}
			for _, l := range x.lists.ByKey {
				x.lists.Evict(l)
			}
			if n := x.Stats().Marked; n != 0 {
				t.Errorf("%d bytes of words without a list", n)
			}
			closeExecutor(t, x)
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// passes returns the number of docIDs that are not in list l, and how many of them its
// presence words let pass. They must let pass all docIDs of the list.
func passes(t *testing.T, dev cuda.Device, c *gputrial.Collection, l *residency.List) (outside, wrong int) {
	t.Helper()
	buf, err := dev.HostAlloc(int(l.Marked))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.HostFree(buf)
	var b cuda.Batch
	b.CopyOut(buf, l.Marks)
	if err := dev.Submit(&b); err != nil {
		t.Fatal(err)
	}
	if err := dev.Wait(0); err != nil {
		t.Fatal(err)
	}
	words := format.Uint32s(buf[layout.PresenceLead:])
	part := c.Parts[l.Key.Segment]
	docs := len(part.Lens)
	exact := (int(l.N)/4+1)*32 >= docs
	held := map[uint32]bool{}
	for i := range part.Lists {
		if e, ok, err := part.Segment.Lists().Lookup(gputrial.Term(i)); err != nil {
			t.Fatal(err)
		} else if ok && e.Offset == l.Key.Offset && e.DF == l.N {
			for _, d := range part.Lists[i].Docs {
				held[d] = true
			}
		}
	}
	if len(held) != int(l.N) {
		t.Fatalf("a list of %d postings, of which the collection knows %d", l.N, len(held))
	}
	for d := range uint32(docs) {
		w, bits := d/32, uint32(1)<<(d%32)
		if !exact {
			w = uint32(uint64(d) * (uint64(l.N/4+1) << 32 / uint64(docs)) >> 32)
			bits = 1<<(d*2654435761>>27) | 1<<(d*2654435761>>22&31) | 1<<(d*2654435761>>17&31)
		}
		pass := words[w]&bits == bits
		if held[d] && !pass {
			t.Fatalf("document %d is in a list of %d postings and does not pass", d, l.N)
		}
		if !held[d] {
			outside++
			if pass {
				wrong++
			}
		}
	}
	return outside, wrong
}

// TestPresenceInFreeMemory checks that presence words use only memory that lists leave
// free.
func TestPresenceInFreeMemory(t *testing.T) {
	c, sc := newCollection(t, someShape)
	dev := cuda.NewEmulator()
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 12 << 10, Threshold: 1, Presence: 1, CPU: &brute{c: c, sc: sc}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	for range 6 {
		check(t, x, c, sc, c.Draw(r, 8, 3, 20, query.ModeAnd, query.ModeOr), nil)
		if s := x.Stats(); s.Bytes+s.Marked > 12<<10 {
			t.Errorf("statistics are %+v", s)
		}
	}
	if s := x.Stats(); s.Evicted == 0 {
		t.Errorf("statistics are %+v", s)
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// hooked is a device that calls a function before it makes presence words.
type hooked struct {
	*cuda.Emulator
	hook func()
}

func (d *hooked) Submit(b *cuda.Batch) error {
	if b.Stream == residency.MarkStream && d.hook != nil {
		d.hook()
	}
	return d.Emulator.Submit(b)
}

// TestMarking asks for all the memory while lists get presence words, as a batch of a later epoch
// may: those lists stay, and may be evicted after that.
func TestMarking(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 4000, Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 600, DocsCodec: "bp128", FreqsCodec: "bp128"})
	dev := &hooked{Emulator: cuda.NewEmulator()}
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, Presence: 1, CPU: &brute{c: c, sc: sc}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 9))
	check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.ModeAnd), nil) // lists are loaded
	l := x.lists
	evictAll := func() {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		if at, ok := l.Room(l.Arena.Size(), math.MaxUint64); ok {
			l.Release(at, l.Arena.Size())
		}
	}
	calls, kept := 0, 0
	dev.hook = func() {
		calls++
		var marking []*residency.List
		for _, r := range l.ByKey {
			if r.Marking {
				marking = append(marking, r)
			}
		}
		evictAll()
		for _, r := range marking {
			if r.Gone.Load() || l.ByKey[r.Key] != r {
				t.Errorf("a list of %d postings was evicted", r.N)
			}
			kept++
		}
	}
	check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.ModeAnd), nil) // and get presence words
	if dev.hook = nil; calls == 0 || kept == 0 {
		t.Errorf("%d lists got presence words in %d calls", kept, calls)
	}
	check(t, x, c, sc, c.Draw(r, 25, 5, 30, query.ModeAnd, query.ModeOr), nil)
	if evictAll(); len(l.ByKey) != 0 {
		t.Errorf("%d lists cannot be evicted", len(l.ByKey))
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestPresenceAfterEvictions counts the uses after which lists get presence words: on the
// second as long as no list has been evicted, on the ninth of a list that is loaded after that, and
// once only.
func TestPresenceAfterEvictions(t *testing.T) {
	c, sc := newCollection(t, someShape)
	dev := testDevice(t, 1)
	x, err := newExecutor(dev, viewsIn(c), Options{Scorer: sc, Memory: 4 << 20, Presence: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := x.lists
	for _, most := range []int{residency.MarkUses, residency.MarkUsesScarce} {
		use := func() (bare int) {
			plans := x.resolve([]search.Query{{RawTerms: [][]byte{gputrial.Term(0)}, K: 10}})
			var wants []*residency.Want
			for i := range plans[0].lists {
				wants = append(wants, &plans[0].lists[i].want)
			}
			epoch := x.stages.Next()
			missing, found := l.Find(wants, epoch)
			if err := l.Mark(found); err != nil {
				t.Fatal(err)
			}
			if err := l.Load(t.Context(), missing, epoch, epoch); err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		uses := 0
		for use(); use() == 0; uses++ {
			if uses > 2*most {
				t.Fatalf("no presence words after %d uses", uses)
			}
		}
		if uses+1 != most {
			t.Errorf("presence words at use %d after the first, want %d", uses+1, most)
		}
		if n := use(); n != 0 {
			t.Errorf("%d lists get presence words again", n)
		}
		l.Forget()
	}
	if l.Counters().Evicted == 0 {
		t.Error("no list was evicted")
	}
	closeExecutor(t, x)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// TestFindTogether finds lists in several goroutines, as batches do: lists hold the highest epoch,
// and one of them is told to make presence words.
func TestFindTogether(t *testing.T) {
	l := &residency.Lists{ByKey: map[residency.ListKey]*residency.List{}}
	var wants []residency.Want
	for i := range 50 {
		r := &residency.List{Key: residency.ListKey{N: uint32(i)}, Size: 1}
		r.Bare.Store(int32(i%7 + 1))
		l.ByKey[r.Key] = r
		wants = append(wants, residency.Want{Key: r.Key})
	}
	const goroutines, rounds = 8, 200
	var wg sync.WaitGroup
	var bare atomic.Int64
	for g := range goroutines {
		wg.Go(func() {
			for n := range rounds {
				own := slices.Clone(wants)
				var ask []*residency.Want
				for i := range own {
					ask = append(ask, &own[i])
				}
				missing, found := l.Find(ask, uint64(n*goroutines+g+1))
				if len(missing) > 0 {
					t.Error("a list is missing")
				}
				bare.Add(int64(len(found)))
			}
		})
	}
	wg.Wait()
	if n := bare.Load(); n != 50 {
		t.Errorf("%d of 50 lists get presence words", n)
	}
	for _, r := range l.ByKey {
		if r.Pin.Load() != goroutines*rounds {
			t.Errorf("a list holds epoch %d of %d", r.Pin.Load(), goroutines*rounds)
		}
		if n := r.Uses.Load(); n == 0 || n > goroutines*rounds {
			t.Errorf("%d uses of %d", n, goroutines*rounds)
		}
	}
	if s := l.Counters(); s.Hits != 50*goroutines*rounds || s.HitBytes != s.Hits || s.Misses != 0 {
		t.Errorf("%+v", s)
	}
}
