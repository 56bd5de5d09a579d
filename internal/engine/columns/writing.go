package columns

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pinion-index/pinion/internal/engine/figures"
)

// naming returns the keyword that a number of a column stands for.
type naming func(column int, n int64) ([]byte, error)

// namesOf returns the keywords of columns by their ordinals.
func namesOf(of []Column) naming {
	var name []byte
	return func(column int, n int64) (_ []byte, err error) {
		name, err = of[column].Keyword(name[:0], n)
		return name, err
	}
}

// interned are keywords of several segments, numbered as they come, by column.
type interned struct {
	numbers []map[string]int64
	names   [][]string
	size    int // about how many bytes they take
}

func newInterned(columns int) *interned {
	return &interned{numbers: make([]map[string]int64, columns), names: make([][]string, columns)}
}

func (x *interned) number(column int, name []byte) int64 {
	if n, ok := x.numbers[column][string(name)]; ok {
		return n
	}
	if x.numbers[column] == nil {
		x.numbers[column] = map[string]int64{}
	}
	own, n := string(name), int64(len(x.names[column]))
	x.numbers[column][own], x.names[column] = n, append(x.names[column], own)
	x.size += len(own) + 2*bucketBytes
	return n
}

func (x *interned) name(column int, n int64) ([]byte, error) { return []byte(x.names[column][n]), nil }

// writing makes Counts of levels.
type writing struct {
	names   naming
	ordered bool // numbers of keywords are in their order
	take    func(bytes int) error
	size, n int // bytes, and counts, that take was not told of
}

// taken tells take of a count of so many bytes, now and then, or without any of what is left.
func (w *writing) taken(bytes int) error {
	w.size += bytes
	if w.n++; bytes > 0 && w.n < often {
		return nil
	}
	n := w.size
	w.size, w.n = 0, 0
	return w.take(n)
}

// inOrder is a level whose slots are grouped by the slot around them.
type inOrder struct {
	*level
	slots   []uint32
	from    []uint32 // where those of each slot around begin in slots
	tallies []tallied
	within  []inOrder
}

// order groups the slots of a level, and those within it.
func (w *writing) order(l *level) inOrder {
	x := inOrder{level: l}
	x.slots, x.from = grouped(l.slots.All)
	if l.All {
		x.slots, x.from = []uint32{0}, []uint32{0, 1}
		l.cover(1)
		for len(l.docs) == 0 {
			l.docs = append(l.docs, 0)
		}
	}
	for i := range l.tallies {
		l.tallies[i].cover(len(l.docs))
		x.tallies = append(x.tallies, tallied{tally: &l.tallies[i], keep: l.Keep}.grouped(len(l.docs)))
	}
	for i := range l.within {
		x.within = append(x.within, w.order(&l.within[i]))
	}
	return x
}

// grouped returns the numbers of pairs by slot, and where those of each slot begin.
func grouped(all []figures.Pair) (numbers, from []uint32) {
	most := uint32(0)
	for _, p := range all {
		most = max(most, p.Slot)
	}
	from = make([]uint32, most+2)
	for _, p := range all {
		from[p.Slot+1]++
	}
	for i := range from[1:] {
		from[i+1] += from[i]
	}
	next := slices.Clone(from)
	numbers = make([]uint32, len(all))
	for i, p := range all {
		numbers[next[p.Slot]] = uint32(i)
		next[p.Slot]++
	}
	return numbers, from
}

// of returns the part of numbers that grouped gives a slot.
func of(numbers, from []uint32, slot int) []uint32 {
	if slot < 0 || slot+1 >= len(from) {
		return nil
	}
	return numbers[from[slot]:from[slot+1]]
}

// counts returns the counts within a slot around, or if that is -1 those of no documents.
func (w *writing) counts(x inOrder, around int) (c Counts, err error) {
	if around >= 0 && around < len(x.missing) {
		c.Missing = x.missing[around]
	}
	slots := of(x.slots, x.from, around)
	number := func(slot uint32) int64 { return x.level.slots.All[slot].Number }
	switch {
	case x.All && around < 0:
		return c, nil
	case x.All:
		c.Figures, err = w.figures(&x, 0)
		return c, err
	case x.Ranges != nil:
		byRange := make([]int, len(x.Ranges))
		for i := range byRange {
			byRange[i] = -1
		}
		for _, s := range slots {
			byRange[number(s)] = int(s)
		}
		for _, s := range byRange {
			if err := w.count(&c, &x, Count{}, s); err != nil {
				return c, err
			}
		}
		return c, nil
	case x.keywords():
		slots, err = w.best(&x, slots)
	default:
		slices.SortFunc(slots, func(a, b uint32) int { return cmp.Compare(number(a), number(b)) })
	}
	if err != nil {
		return c, err
	}
	c.Counts = make([]Count, 0, len(slots))
	for _, s := range slots {
		var n Count
		if x.keywords() {
			name, err := w.names(x.Column, number(s))
			if err != nil {
				return c, err
			}
			n.Keyword = bytes.Clone(name)
		} else {
			n.Number = x.startOf(number(s))
		}
		if err := w.count(&c, &x, n, int(s)); err != nil {
			return c, err
		}
	}
	return c, nil
}

// best returns the slots of the most frequent keywords, in order.
func (w *writing) best(x *inOrder, slots []uint32) (_ []uint32, err error) {
	number := func(slot uint32) int64 { return x.level.slots.All[slot].Number }
	slices.SortFunc(slots, func(a, b uint32) int {
		switch c := cmp.Compare(x.docs[b], x.docs[a]); {
		case c != 0:
			return c
		case w.ordered:
			return cmp.Compare(number(a), number(b))
		}
		one, err1 := w.names(x.Column, number(a))
		other, err2 := w.names(x.Column, number(b))
		err = cmp.Or(err, err1, err2)
		return bytes.Compare(one, other)
	})
	return slots[:min(len(slots), x.K)], err
}

// count appends a count, of a slot or of -1 for none.
func (w *writing) count(to *Counts, x *inOrder, n Count, slot int) (err error) {
	if slot >= 0 {
		n.Docs = x.docs[slot]
	}
	if n.Figures, err = w.figures(x, slot); err != nil {
		return err
	}
	for i := range x.within {
		own, err := w.counts(x.within[i], slot)
		if err != nil {
			return err
		}
		n.Within = append(n.Within, own)
	}
	to.Counts = append(to.Counts, n)
	return w.taken(least + len(n.Keyword) + leastFigures*len(n.Figures))
}

// figures returns the figures of a slot, or of -1 for none.
func (w *writing) figures(x *inOrder, slot int) (all []figures.State, err error) {
	for i := range x.tallies {
		var s figures.State
		if slot >= 0 {
			if s, err = x.tallies[i].state(slot, w.names); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// tallied is a tally in order.
type tallied struct {
	*tally
	keep                 bool // distinct values too
	barNumbers, barFrom  []uint32
	seenNumbers, seenOff []uint32
}

func (t tallied) grouped(int) tallied {
	t.barNumbers, t.barFrom = grouped(t.bars.All)
	t.seenNumbers, t.seenOff = grouped(t.seen.All)
	return t
}

// state returns what is known of the values of a slot.
func (t *tallied) state(slot int, names naming) (s figures.State, err error) {
	c := &t.cells[slot]
	if s.N = c.n; s.N == 0 {
		return s, nil
	}
	if !t.Keyword {
		s.Min, s.Max = c.min, c.max
		s.Sum.Add(c.lo, c.hi, t.base)
		if wide := t.wide[uint32(slot)]; wide != nil {
			s.Sum.Merge(wide)
		}
	}
	for _, i := range of(t.barNumbers, t.barFrom, slot) {
		s.Bars = append(s.Bars, figures.Bar{Interval: int32(t.bars.All[i].Number), N: t.counts[i]})
	}
	figures.SortBars(s.Bars)
	seen := of(t.seenNumbers, t.seenOff, slot)
	if s.Distinct = uint64(len(seen)); !t.keep {
		return s, nil
	}
	for _, i := range seen {
		n := t.seen.All[i].Number
		if !t.Keyword {
			s.Numbers = append(s.Numbers, n)
			continue
		}
		name, err := names(t.Column, n)
		if err != nil {
			return s, err
		}
		s.Words = append(s.Words, string(name))
	}
	slices.Sort(s.Numbers)
	slices.Sort(s.Words)
	return s, nil
}
