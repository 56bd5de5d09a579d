package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
)

// store holds one object. fault says what happens to its n-th request, from 0 on.
type store struct {
	content []byte
	fault   func(n int) fault

	mu    sync.Mutex
	asked [][2]int64 // offsets and lengths
}

// fault is what happens to a request. The zero fault is none.
type fault struct {
	err   error         // instead of an answer
	delay time.Duration // before it
	bytes int           // after so many, unless 0:
	end   error         // the body ends so, or
	pause time.Duration // waits so long
	each  time.Duration // between every two chunks
	flip  bool          // the first byte is another
}

const forever = 1000 * time.Hour

func (s *store) get(ctx context.Context, off, n int64) (io.ReadCloser, int64, error) {
	s.mu.Lock()
	f := fault{}
	if s.fault != nil {
		f = s.fault(len(s.asked))
	}
	s.asked = append(s.asked, [2]int64{off, n})
	s.mu.Unlock()
	if err := sleep(ctx, f.delay); err != nil {
		return nil, 0, err
	}
	b := bytes.Clone(s.content[off:])
	if n >= 0 {
		b = b[:n]
	}
	if f.flip {
		b[0] ^= 1
	}
	return &faulty{ctx: ctx, b: b, f: f}, int64(len(s.content)), f.err
}

func sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// faulty is the body of an answer.
type faulty struct {
	ctx context.Context
	b   []byte
	at  int
	f   fault
}

func (r *faulty) Read(p []byte) (int, error) {
	if err := sleep(r.ctx, r.f.each); err != nil {
		return 0, err
	}
	left := len(r.b) - r.at
	if n := r.f.bytes; n > 0 && r.at <= n && n < len(r.b) {
		if left = n - r.at; left == 0 {
			if r.f.end != nil {
				return 0, r.f.end
			}
			if err := sleep(r.ctx, r.f.pause); err != nil {
				return 0, err
			}
			r.f.bytes, left = 0, len(r.b)-r.at
		}
	}
	if left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), left)], r.b[r.at:])
	r.at += n
	return n, nil
}

func (r *faulty) Close() error { return nil }

func content(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7 >> 3)
	}
	return b
}

// faults returns faults in order, and none after them.
func faults(all ...fault) func(int) fault {
	return func(n int) fault {
		if n < len(all) {
			return all[n]
		}
		return fault{}
	}
}

var errBusy = errors.New("503")

// A body that stalls is asked for once more from where it stopped, whichever of the two goes on is read, and only what brings
// nothing at all is given up.
func TestStall(t *testing.T) {
	const size, first = 300_000, 100_000
	for _, c := range []struct {
		name    string
		noHedge bool
		faults  []fault
		asked   [][2]int64 // by Read, but for the first one
		want    reader.Usage
		err     error
	}{
		{name: "none", want: reader.Usage{Requests: 1}},
		{name: "in the middle", faults: []fault{{bytes: first, pause: forever}}, asked: [][2]int64{{first, size - first}},
			want: reader.Usage{Requests: 2, Hedged: 1}},
		{name: "before the first byte", faults: []fault{{delay: forever}}, asked: [][2]int64{{0, size}}, want: reader.Usage{Requests: 2, Hedged: 1}},
		{name: "the first goes on", faults: []fault{{bytes: first, pause: 3 * stalled}, {delay: forever}}, asked: [][2]int64{{first, size - first}},
			want: reader.Usage{Requests: 2, Hedged: 1}},
		{name: "the second too", faults: []fault{{bytes: first, pause: forever}, {bytes: first, pause: forever}},
			asked: [][2]int64{{first, size - first}, {2 * first, size - 2*first}}, want: reader.Usage{Requests: 3, Hedged: 2}},
		{name: "the second fails", faults: []fault{{bytes: first, pause: 3 * stalled / 2}, {err: errBusy}}, asked: [][2]int64{{first, size - first}},
			want: reader.Usage{Requests: 2, Hedged: 1}},
		{name: "the first breaks then", faults: []fault{{bytes: first, pause: 2 * stalled}, {delay: stalled / 2}},
			asked: [][2]int64{{first, size - first}}, want: reader.Usage{Requests: 2, Hedged: 1}},
		{name: "broken", faults: []fault{{bytes: first, end: errBusy}}, asked: [][2]int64{{0, size}}, want: reader.Usage{Requests: 2, Repeated: 1}},
		{name: "cut", faults: []fault{{bytes: first, end: io.EOF}}, asked: [][2]int64{{0, size}}, want: reader.Usage{Requests: 2, Repeated: 1}},
		{name: "no hedges", noHedge: true, faults: []fault{{bytes: first, pause: forever}}, asked: [][2]int64{{0, size}},
			want: reader.Usage{Requests: 2, Repeated: 1}},
		{name: "nothing comes", noHedge: true, faults: slices.Repeat([]fault{{delay: forever}}, MostSilent),
			asked: [][2]int64{{0, size}, {0, size}}, want: reader.Usage{Requests: 3, Repeated: 2}, err: ErrNoAnswer},
		{name: "a byte now and then", noHedge: true, faults: slices.Repeat([]fault{{each: 4 * time.Second}}, MostSilent),
			asked: [][2]int64{{0, size}, {0, size}}, want: reader.Usage{Requests: 3, Repeated: 2}, err: ErrNoAnswer},
	} {
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", all ", all), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &store{content: content(size), fault: faults(c.faults...)}
					m := reader.NewMeter(reader.Budget{})
					ctx := reader.WithMeter(t.Context(), m)
					p := make([]byte, size)
					asked := [][2]int64{{0, size}}
					client := Client{NoHedge: c.noHedge}
					var err error
					if all {
						p, err = client.ReadAll(ctx, s.get, 0, size, reader.FirstRequest)
						asked[0][1] = -1
					} else {
						err = client.Read(ctx, s.get, p, 0, size, reader.FirstRequest)
					}
					if !errors.Is(err, c.err) || err == nil && !bytes.Equal(p, s.content) {
						t.Errorf("error %v", err)
					}
					for _, x := range c.asked {
						if all {
							x[1] = -1
						}
						asked = append(asked, x)
					}
					if !slices.Equal(s.asked, asked) {
						t.Errorf("asked for %d, want %d", s.asked, asked)
					}
					u := m.Usage()
					if u.Requests != c.want.Requests || u.Hedged != c.want.Hedged || u.Repeated != c.want.Repeated {
						t.Errorf("counted %+v, want %+v", u, c.want)
					}
				})
			})
		}
	}
}

// One that is slow but steady is neither hedged nor given up.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{content: content(32 << 20), fault: faults(fault{each: chunk * time.Second / (2 * slowest)})}
		p := make([]byte, len(s.content))
		c := Client{Timeout: time.Second}
		if err := c.Read(t.Context(), s.get, p, 0, int64(len(p)), reader.FirstRequest); err != nil || !bytes.Equal(p, s.content) || len(s.asked) != 1 {
			t.Errorf("%v after %d requests", err, len(s.asked))
		}
	})
}

// Of requests that are slow, but not for a second, one in eight is hedged, and the budget is kept.
func TestHedges(t *testing.T) {
	for _, budget := range []reader.Budget{{}, {Requests: enough + 80}} {
		synctest.Test(t, func(t *testing.T) {
			s := &store{content: content(1000)}
			s.fault = func(n int) fault {
				if n < enough {
					return fault{delay: time.Millisecond}
				}
				return fault{delay: stalled / 2}
			}
			m := reader.NewMeter(budget)
			c, p := Client{}, make([]byte, 1000)
			for range enough + 80 {
				if err := c.Read(reader.WithMeter(t.Context(), m), s.get, p, 0, 1000, reader.FirstRequest); err != nil {
					var over *reader.BudgetError
					if budget.Requests == 0 || !errors.As(err, &over) {
						t.Fatal(err)
					}
				}
			}
			u := m.Usage()
			if u.Hedged == 0 || u.Hedged > (enough+80)/oneIn || budget.Requests > 0 && u.Requests != budget.Requests {
				t.Errorf("counted %+v", u)
			}
		})
	}
}

// Whatever happens to requests, what is read is what is there, or there is an error; and few faults are no error.
func TestFaults(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 5*chunk).Draw(rt, "size")
		gen := rapid.Custom(func(rt *rapid.T) fault {
			f := fault{bytes: rapid.IntRange(0, size).Draw(rt, "bytes")}
			switch rapid.IntRange(0, 4).Draw(rt, "kind") {
			case 0:
				f.err = errBusy
			case 1:
				f.end = rapid.SampledFrom([]error{io.EOF, io.ErrUnexpectedEOF, errBusy}).Draw(rt, "end")
			case 2:
				f.pause = time.Duration(rapid.IntRange(1, 5000).Draw(rt, "pause")) * time.Millisecond
			case 3:
				f.delay = time.Duration(rapid.IntRange(1, 20000).Draw(rt, "delay")) * time.Millisecond
			case 4:
				f.pause = forever
			}
			return f
		})
		all := rapid.SliceOfN(gen, 0, 3).Draw(rt, "faults")
		off := rapid.IntRange(0, size-1).Draw(rt, "off")
		whole := rapid.Bool().Draw(rt, "whole")
		s := &store{content: content(size), fault: faults(all...)}
		var err error
		got, want := make([]byte, size-off), s.content[off:]
		synctest.Test(t, func(t *testing.T) {
			c := Client{}
			if whole {
				want = s.content
				got, err = c.ReadAll(t.Context(), s.get, int64(rapid.SampledFrom([]int{0, size}).Draw(rt, "known")), int64(size), reader.FirstRequest)
			} else {
				err = c.Read(t.Context(), s.get, got, int64(off), int64(size), reader.FirstRequest)
			}
		})
		if err != nil || !bytes.Equal(got, want) {
			rt.Fatalf("%v, after %d", err, s.asked)
		}
	})
}

// What will not pass is not sent again, and what the context ends ends.
func TestEnds(t *testing.T) {
	c := Client{Passes: func(err error) bool { return !errors.Is(err, errBusy) }}
	s := &store{content: content(10), fault: faults(fault{err: errBusy})}
	p := make([]byte, 10)
	if err := c.Read(t.Context(), s.get, p, 0, 10, reader.FirstRequest); !errors.Is(err, errBusy) || len(s.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
	s = &store{content: content(10)}
	if err := c.Read(t.Context(), s.get, nil, 5, 10, reader.FirstRequest); err != nil || len(s.asked) != 0 {
		t.Errorf("no bytes: %v after %d requests", err, len(s.asked)) // whose bodies would be read for ever
	}
	if err := c.Read(t.Context(), s.get, p, 0, 11, reader.FirstRequest); !errors.Is(err, format.ErrCorrupt) || len(s.asked) != 1 {
		t.Errorf("another size: %v after %d requests", err, len(s.asked))
	}
	if _, err := c.ReadAll(t.Context(), s.get, 0, 9, reader.FirstRequest); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("too long: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*stalled)
		defer cancel()
		s := &store{content: content(10), fault: faults(slices.Repeat([]fault{{delay: forever}}, 10)...)}
		if err := c.Read(ctx, s.get, p, 0, 10, reader.FirstRequest); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrNoAnswer) {
			t.Errorf("a context that ends: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		n, err := c.Number(t.Context(), func(ctx context.Context) (uint64, error) {
			if asked.Add(1) == 1 {
				return 0, sleep(ctx, forever)
			}
			return 1 << 63, nil
		})
		if n != 1<<63 || err != nil || asked.Load() != 2 {
			t.Errorf("%d, %v after %d requests", n, err, asked.Load())
		}
	})
}

// What comes damaged is read once more, which is counted.
func TestSound(t *testing.T) {
	for flips, want := range []int{0, 1, 1} {
		s := &store{content: content(10), fault: faults(slices.Repeat([]fault{{flip: true}}, flips)...)}
		m := reader.NewMeter(reader.Budget{})
		c := Client{}
		err := Sound(func(why reader.Reason) error {
			b, err := c.ReadAll(reader.WithMeter(t.Context(), m), s.get, 0, 10, why)
			if err == nil && !bytes.Equal(b, s.content) {
				err = format.Corrupt("another byte")
			}
			return err
		})
		if (flips == 2) != errors.Is(err, format.ErrCorrupt) || m.Usage().Damaged != want || len(s.asked) != 1+want {
			t.Errorf("%d flips: %v, counted %+v", flips, err, m.Usage())
		}
	}
	d := Damage{}
	d.Add(10, 10)
	for i, x := range []struct {
		off, n int64
		want   reader.Reason
	}{{0, 10, reader.FirstRequest}, {20, 5, reader.FirstRequest}, {15, 1, reader.DamagedRequest}, {15, 1, reader.FirstRequest}} {
		if why := d.Why(x.off, x.n); why != x.want {
			t.Errorf("%d: %d", i, why)
		}
	}
}
