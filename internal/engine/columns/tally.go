package columns

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/internal/engine/figures"
	"github.com/pinion-index/pinion/schema"
)

// Measure asks for figures of the values in a column: how many there are, their sum, the least and the greatest, and of keywords how
// many alone.
type Measure struct {
	Name        string // of the field
	Column      int    // its number
	Keyword     bool
	Float       bool // numbers are those of schema.FloatKey
	Percentiles bool
	Distinct    bool
}

// MaxDistinct is how many distinct values a Measure counts at most, in all buckets together.
const MaxDistinct = 1 << 20

// tally adds up the values of a Measure by slot.
type tally struct {
	*Measure
	cells []cell
	// Sums that are not in cells, nor will be: of floats that are too small beside the greatest.
	wide map[uint32]*figures.Sum
	// base is the exponent, in figures.Unit, of the bit that sums in cells begin with. They take values of which none is above
	// 2^window times that, and 2^31 of them, added of late.
	base, added int
	bars        figures.Pairs // slots and intervals
	counts      []uint64      // of bars
	seen        figures.Pairs // slots and values
}

// window is how much greater than 2^base the last bit of a float in a cell may be: with the 53 bits of a float, and 2^31 floats, 128 bits
// are enough.
const window = 128 - 1 - 31 - 53

// infinite is the exponent that infinities and NaNs have.
const infinite = 0x7ff

// cell is what is known of the values of a slot.
type cell struct {
	n        uint64
	min, max int64
	lo, hi   uint64 // the sum, in two's complement
}

var noValues = cell{min: math.MaxInt64, max: math.MinInt64}

// begin makes t ready for a column.
func (t *tally) begin(c Column) {
	if !t.Float || c == nil {
		return
	}
	info := c.Info()
	_, least := figures.Split(schema.KeyFloat(info.Min))
	_, most := figures.Split(schema.KeyFloat(info.Max))
	base := max(0, max(least, most)-window)
	if max(least, most) >= infinite-1 { // which only damage has: nothing is in the window
		base = math.MaxInt32
	}
	if base != t.base {
		t.settle()
		t.base = base
	}
}

// settle moves the sums of floats out of the cells.
func (t *tally) settle() {
	t.added = 0
	for i := range t.cells {
		if c := &t.cells[i]; c.lo|c.hi != 0 {
			t.sum(uint32(i)).Add(c.lo, c.hi, t.base)
			c.lo, c.hi = 0, 0
		}
	}
}

// sum returns the sum of a slot beside its cell.
func (t *tally) sum(slot uint32) *figures.Sum {
	s := t.wide[slot]
	if s == nil {
		if t.wide == nil {
			t.wide = map[uint32]*figures.Sum{}
		}
		s = new(figures.Sum)
		t.wide[slot] = s
	}
	return s
}

// cover makes cells for slots before n.
func (t *tally) cover(n int) {
	if len(t.cells) >= n {
		return
	}
	t.cells = slices.Grow(t.cells, n-len(t.cells))
	for len(t.cells) < n {
		t.cells = append(t.cells, noValues)
	}
}

// add adds the values of documents.
func (t *tally) add(p *place, b *batch) error {
	v := p.view(t.Column)
	if bounds := v.bounds(p.block); bounds.Docs == 0 {
		return nil
	}
	if p.whole {
		if err := v.load(p.block); err != nil {
			return err
		}
	}
	x := &v.values
	if p.whole && x.Ends == nil && !t.Keyword {
		if t.room(len(b.docs)); !t.addOne(b, x.Numbers, &x.Present) {
			return v.Outside(p.block)
		}
		if t.Percentiles || t.Distinct {
			for i, d := range b.docs {
				if x.Present[d/64]>>(d%64)&1 == 1 {
					t.count(b.slot(i), x.Numbers[d])
				}
			}
		}
		return t.few()
	}
	for i, d := range b.docs {
		values, err := v.of(p.start + d)
		if err != nil {
			return err
		}
		slot := b.slot(i)
		c := &t.cells[slot]
		t.room(len(values))
		for _, n := range values {
			c.n++
			if !t.Keyword {
				c.min, c.max = min(c.min, n), max(c.max, n)
				if t.Float && !t.addFloat(c, slot, n) {
					return v.Outside(p.block)
				} else if !t.Float {
					c.addInteger(n)
				}
			}
			t.count(slot, n)
		}
	}
	return t.few()
}

// room makes room for n values in the sums of cells.
func (t *tally) room(n int) {
	if t.added += n; t.Float && t.added > 1<<31 {
		t.settle()
		t.added = n
	}
}

// addOne adds the values of documents that have one at most. It returns false for what is no float.
func (t *tally) addOne(b *batch, numbers []int64, present *[64]uint64) bool {
	if b.same {
		t.addSame(b, numbers, present)
		return !t.Float || t.addFloats(b, numbers, present)
	}
	if t.Float {
		return t.addFloats(b, numbers, present)
	}
	cells, slots := t.cells, b.slots
	for i, d := range b.docs {
		if present[d/64]>>(d%64)&1 == 0 {
			continue
		}
		n, c := numbers[d], &cells[slots[i]]
		c.n++
		c.min, c.max = min(c.min, n), max(c.max, n)
		c.addInteger(n)
	}
	return true
}

// addSame is addOne for a single slot, without the sums of floats.
func (t *tally) addSame(b *batch, numbers []int64, present *[64]uint64) {
	c := t.cells[b.slots[0]]
	for _, d := range b.docs {
		if present[d/64]>>(d%64)&1 == 0 {
			continue
		}
		n := numbers[d]
		c.n++
		c.min, c.max = min(c.min, n), max(c.max, n)
		if !t.Float {
			c.addInteger(n)
		}
	}
	t.cells[b.slots[0]] = c
}

func (c *cell) addInteger(n int64) {
	var carry uint64
	c.lo, carry = bits.Add64(c.lo, uint64(n), 0)
	c.hi += uint64(n>>63) + carry
}

// addFloats is addOne for floats, of a single slot only the sum.
func (t *tally) addFloats(b *batch, numbers []int64, present *[64]uint64) bool {
	cells, base := t.cells, t.base+1
	for i, d := range b.docs {
		if present[d/64]>>(d%64)&1 == 0 {
			continue
		}
		n, slot := numbers[d], b.slot(i)
		c := &cells[slot]
		if !b.same {
			c.n++
			c.min, c.max = min(c.min, n), max(c.max, n)
		}
		sign := uint64(n >> 63)
		x := uint64(n) ^ sign
		if by := uint(int(x>>52) - base); by <= window { // addFloat of what most are
			m := x&(1<<52-1) | 1<<52
			lo, carry := bits.Add64(c.lo, m<<(by&63)^sign, sign&1)
			c.lo = lo
			c.hi, _ = bits.Add64(c.hi, m>>1>>(63-by&63)^sign, carry)
		} else if !t.addFloat(c, slot, n) {
			return false
		}
	}
	return true
}

// addFloat adds a float to the sum of a cell. It returns false for what is none.
func (t *tally) addFloat(c *cell, slot uint32, key int64) bool {
	sign := uint64(key >> 63)
	b := uint64(key) ^ sign // the bits of the absolute value: schema.KeyFloat
	exp := int(b >> 52)
	m := b & (1<<52 - 1)
	if exp > 0 {
		m |= 1 << 52
		exp--
	}
	if exp == infinite-1 {
		return false
	}
	by := uint(exp - t.base)
	if by > window {
		if m != 0 {
			t.sum(slot).Add((m^sign)-sign, sign, exp)
		}
		return true
	}
	lo, hi := m<<by, m>>(64-by)
	lo, carry := bits.Add64(c.lo, lo^sign, sign&1)
	c.lo = lo
	c.hi, _ = bits.Add64(c.hi, hi^sign, carry)
	return true
}

// count adds a value to what percentiles and distinct values are of.
func (t *tally) count(slot uint32, n int64) {
	if t.Percentiles {
		var interval int32
		if t.Float {
			interval = figures.Interval(n)
		} else {
			interval = figures.IntervalOf(n)
		}
		t.bar(slot, int64(interval), 1)
	}
	if t.Distinct && len(t.seen.All) <= MaxDistinct {
		t.seen.Add(slot, n)
	}
}

func (t *tally) bar(slot uint32, interval int64, n uint64) {
	at := int(t.bars.Add(slot, interval))
	if at == len(t.counts) {
		t.counts = append(t.counts, 0)
	}
	t.counts[at] += n
}

// few returns an error if there are too many distinct values.
func (t *tally) few() error {
	if len(t.seen.All) > MaxDistinct {
		return &LimitError{"distinct values of the field " + strconv.Quote(t.Name), MaxDistinct, "narrow the filter, or ask for fewer buckets"}
	}
	return nil
}

// merge adds what o has, whose slots are those of to here. Translate says which value here one of o is; nil is the same.
func (t *tally) merge(o *tally, to []uint32, translate func(column int, n int64) (int64, error)) error {
	if t.Float && t.base != o.base {
		o.settle()
	}
	t.room(o.added)
	for i := range o.cells {
		from, c := &o.cells[i], &t.cells[to[i]]
		c.n += from.n
		c.min, c.max = min(c.min, from.min), max(c.max, from.max)
		var carry uint64
		c.lo, carry = bits.Add64(c.lo, from.lo, 0)
		c.hi, _ = bits.Add64(c.hi, from.hi, carry)
	}
	for slot, s := range o.wide {
		t.sum(to[slot]).Merge(s)
	}
	for i, p := range o.bars.All {
		t.bar(to[p.Slot], p.Number, o.counts[i])
	}
	for i, p := range o.seen.All {
		if i%often == 0 {
			if err := t.few(); err != nil {
				return err
			}
		}
		n := p.Number
		if t.Keyword && translate != nil {
			var err error
			if n, err = translate(t.Column, n); err != nil {
				return err
			}
		}
		t.seen.Add(to[p.Slot], n)
	}
	return t.few()
}

// size returns how many bytes t takes.
func (t *tally) size() int {
	return 40*cap(t.cells) + 160*len(t.wide) + t.bars.Size() + 8*cap(t.counts) + t.seen.Size()
}
