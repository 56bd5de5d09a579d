package columns

import (
	"math"
	"slices"
	"strconv"

	"github.com/pinion-index/pinion/internal/engine/figures"
	"github.com/pinion-index/pinion/segment"
)

// MaxGroups is how many buckets, ranges and keywords of a Facet may have documents if it has Measures or Facets, or is within another.
const MaxGroups = 1 << 20

// level counts documents in the buckets of a Facet, within those of the one around it, with figures and facets within them. A
// bucket is a slot, numbered as it comes.
type level struct {
	*Facet
	top     bool
	slots   figures.Pairs // the slot around, and what stands for the bucket: an ordinal, or the number of a bucket or range
	docs    []uint64      // by slot
	missing []uint64      // by the slot around
	dense   []uint32      // slots + 1 by number of the bucket from first on, of the top alone; memory if there are few
	first   int64
	tallies []tally
	within  []level
	out     batch
}

func newLevel(f *Facet, top bool) level {
	l := level{Facet: f, top: top}
	for i := range f.Measures {
		l.tallies = append(l.tallies, tally{Measure: &f.Measures[i]})
	}
	for i := range f.Facets {
		l.within = append(l.within, newLevel(&f.Facets[i], false))
	}
	return l
}

// begin makes l ready for a segment with these columns.
func (l *level) begin(of []Column) {
	for i := range l.tallies {
		l.tallies[i].begin(of[l.tallies[i].Column])
	}
	for i := range l.within {
		l.within[i].begin(of)
	}
	l.dense = l.dense[:0]
	if !l.top || l.All || l.Ranges != nil || l.Width > 0 || of[l.Column] == nil {
		return
	}
	info := of[l.Column].Info()
	n := uint64(info.Keywords)
	if l.first = 0; l.Every > 0 {
		if info.Docs == 0 {
			return
		}
		l.first = l.bucketOf(info.Min)
		n = uint64(l.bucketOf(info.Max)-l.first) + 1
	}
	if n <= MaxGroups {
		l.dense = slices.Grow(l.dense, int(n))[:n]
		clear(l.dense)
	}
}

// slot returns the slot of a bucket within that of a slot around.
func (l *level) slot(around uint32, number int64) uint32 {
	n := l.slots.Add(around, number)
	if int(n) == len(l.docs) {
		l.docs = append(l.docs, 0)
	}
	return n
}

// at is slot for one whose number should be within the bounds of the column. It is false if it is not.
func (l *level) at(around uint32, number int64) (uint32, bool) {
	if len(l.dense) == 0 {
		return l.slot(around, number), true
	}
	i := uint64(number - l.first)
	if i >= uint64(len(l.dense)) {
		return 0, false
	}
	if l.dense[i] == 0 {
		l.dense[i] = l.slot(around, number) + 1
	}
	return l.dense[i] - 1, true
}

// add counts documents, whose slots are of so many around.
func (l *level) add(p *place, in *batch, around int) error {
	out := in
	if !l.All {
		out = &l.out
		l.cover(around)
		if err := l.assign(p, in); err != nil {
			return err
		}
		if err := l.few(); err != nil {
			return err
		}
	} else if len(l.docs) == 0 {
		l.docs = append(l.docs, 0)
	}
	if len(out.docs) == 0 {
		return nil
	}
	if out.same {
		l.docs[out.slots[0]] += uint64(len(out.docs))
	} else {
		for _, s := range out.slots {
			l.docs[s]++
		}
	}
	for i := range l.tallies {
		l.tallies[i].cover(len(l.docs))
		if err := l.tallies[i].add(p, out); err != nil {
			return err
		}
	}
	for i := range l.within {
		if err := l.within[i].add(p, out, len(l.docs)); err != nil {
			return err
		}
	}
	return nil
}

// few returns an error if there are too many buckets.
func (l *level) few() error {
	switch n := len(l.slots.All); {
	case n > MaxBuckets && l.top && l.buckets():
		return ErrBuckets
	case n > MaxGroups:
		return &LimitError{"buckets of the field " + strconv.Quote(l.Name) + " have documents", MaxGroups, "narrow the filter, or ask for wider ones"}
	}
	return nil
}

// cover makes l ready for so many slots around it.
func (l *level) cover(around int) {
	for len(l.missing) < around {
		l.missing = append(l.missing, 0)
	}
}

// assign sets l.out to the documents of in by the buckets that they are in.
func (l *level) assign(p *place, in *batch) error {
	v := p.view(l.Column)
	out := &l.out
	out.reset(out.docs)
	b := v.bounds(p.block)
	if b.Docs == 0 {
		for i := range in.docs {
			l.missing[in.slot(i)]++
		}
		return nil
	}
	if in.same && int(b.Docs) == p.docs {
		if number, ok := l.onlyOne(&b); ok {
			s, sound := l.at(in.slots[0], number)
			if !sound {
				return v.Outside(p.block)
			}
			out.docs, out.slots, out.same = append(out.docs, in.docs...), append(out.slots, s), true
			return nil
		}
	}
	if p.whole {
		if err := v.load(p.block); err != nil {
			return err
		}
	}
	sound, err := true, error(nil)
	switch {
	case l.Ranges != nil:
		return l.assignRanges(p, in)
	case p.whole && v.values.Ends == nil && in.same && len(l.dense) > 0 && l.keywords():
		sound = l.assignKeywords(in, &v.values)
	case p.whole && v.values.Ends == nil && in.same && len(l.dense) > 0:
		sound = l.assignBuckets(in, &v.values)
	default:
		sound, err = l.assignAny(p, in)
	}
	if err == nil && !sound {
		err = v.Outside(p.block)
	}
	return err
}

// onlyOne returns the number of the bucket that all values of a block are in, and false if they are in several.
func (l *level) onlyOne(b *segment.ColumnBounds) (int64, bool) {
	switch {
	case l.keywords():
		return b.Min, b.Min == b.Max
	case l.buckets():
		n := l.bucketOf(b.Min)
		return n, n == l.bucketOf(b.Max)
	}
	return 0, false
}

// assignKeywords is assign for a single slot around, where documents have one value at most.
func (l *level) assignKeywords(in *batch, x *segment.ColumnValues) bool {
	around, missing := in.slots[0], uint64(0)
	docs, slots := l.out.room(len(in.docs))
	k := 0
	for _, d := range in.docs {
		if x.Present[d/64]>>(d%64)&1 == 0 {
			missing++
			continue
		}
		i := uint64(x.Numbers[d])
		if i >= uint64(len(l.dense)) {
			return false
		}
		s := l.dense[i]
		if s == 0 {
			s = l.slot(around, int64(i)) + 1
			l.dense[i] = s
		}
		docs[k], slots[k] = d, s-1
		k++
	}
	l.out.docs, l.out.slots = docs[:k], slots[:k]
	l.missing[around] += missing
	return true
}

// assignBuckets is assignKeywords for buckets of integers.
func (l *level) assignBuckets(in *batch, x *segment.ColumnValues) bool {
	around, missing := in.slots[0], uint64(0)
	every, turn, first := l.Every, l.Every-l.Shift, l.first
	docs, slots := l.out.room(len(in.docs))
	k := 0
	for _, d := range in.docs {
		if x.Present[d/64]>>(d%64)&1 == 0 {
			missing++
			continue
		}
		number := bucketAt(x.Numbers[d], every, turn)
		i := uint64(number - first)
		if i >= uint64(len(l.dense)) {
			return false
		}
		s := l.dense[i]
		if s == 0 {
			s = l.slot(around, number) + 1
			l.dense[i] = s
		}
		docs[k], slots[k] = d, s-1
		k++
	}
	l.out.docs, l.out.slots = docs[:k], slots[:k]
	l.missing[around] += missing
	return true
}

// assignAny is assign for keywords and buckets of any kind.
func (l *level) assignAny(p *place, in *batch) (sound bool, err error) {
	v, buckets := p.view(l.Column), l.buckets()
	for i, d := range in.docs {
		values, err := v.of(p.start + d)
		if err != nil {
			return true, err
		}
		around := in.slot(i)
		if len(values) == 0 {
			l.missing[around]++
		}
		last := int64(math.MinInt64)
		for k, n := range values {
			if buckets {
				if n = l.bucketOf(n); k > 0 && n == last {
					continue
				}
				last = n
			}
			s, sound := l.at(around, n)
			if !sound {
				return false, nil
			}
			l.out.add(d, s)
		}
	}
	return true, nil
}

// assignRanges is assign for ranges, of which a document is in each that it has a value in.
func (l *level) assignRanges(p *place, in *batch) error {
	v := p.view(l.Column)
	for i, d := range in.docs {
		values, err := v.of(p.start + d)
		if err != nil {
			return err
		}
		around := in.slot(i)
		if len(values) == 0 {
			l.missing[around]++
			continue
		}
		for k := range l.Ranges {
			if inRange(values, &l.Ranges[k]) {
				l.out.add(d, l.slot(around, int64(k)))
			}
		}
	}
	return nil
}

// inRange reports whether one of values, which ascend, is in a range.
func inRange(values []int64, r *[2]int64) bool {
	for _, n := range values {
		if n >= r[0] {
			return n <= r[1]
		}
	}
	return false
}

// merge adds what o has, in slots around it that are those of around here. Translate is that of tally.merge.
func (l *level) merge(o *level, around []uint32, translate func(column int, n int64) (int64, error)) error {
	for i, n := range o.missing {
		l.cover(int(around[i]) + 1)
		l.missing[around[i]] += n
	}
	to := make([]uint32, len(o.docs))
	if l.All {
		for len(l.docs) < len(o.docs) {
			l.docs = append(l.docs, 0)
		}
	}
	for i := range to {
		if !l.All {
			from := o.slots.All[i]
			n := from.Number
			if l.keywords() && translate != nil {
				var err error
				if n, err = translate(l.Column, n); err != nil {
					return err
				}
			}
			to[i] = l.slot(around[from.Slot], n)
		}
		l.docs[to[i]] += o.docs[i]
	}
	if err := l.few(); err != nil {
		return err
	}
	for i := range l.tallies {
		l.tallies[i].cover(len(l.docs))
		if err := l.tallies[i].merge(&o.tallies[i], to, translate); err != nil {
			return err
		}
	}
	for i := range l.within {
		if err := l.within[i].merge(&o.within[i], to, translate); err != nil {
			return err
		}
	}
	return nil
}

// size returns how many bytes l takes.
func (l *level) size() int {
	n := l.slots.Size() + 8*cap(l.docs) + 8*cap(l.missing) + 4*cap(l.dense) + 4*(cap(l.out.docs)+cap(l.out.slots))
	for i := range l.tallies {
		n += l.tallies[i].size()
	}
	for i := range l.within {
		n += l.within[i].size()
	}
	return n
}

// inJSON returns how many bytes its counts have in JSON, at least.
func (l *level) inJSON() int {
	n := 0
	if !l.keywords() {
		n = (least + leastFigures*len(l.tallies)) * len(l.docs)
	}
	for i := range l.within {
		n += l.within[i].inJSON()
	}
	return n
}
