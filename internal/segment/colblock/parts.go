package colblock

import "fmt"

// Part is a part of a block, for people to read.
type Part struct {
	Name, Value string
	Size        int
}

// Parts returns the parts of x in their order, the values last.
func (x *Block) Parts() (all []Part) {
	add := func(name string, size int, value string, args ...any) {
		if size > 0 {
			all = append(all, Part{name, fmt.Sprintf(value, args...), size})
		}
	}
	if x.Form >= Ascend {
		s := &x.sorted
		add("first offsets", len(s.widths)*s.size, "of %d rows", len(s.widths))
		add("widths", len(s.widths), "%d", s.widths)
		add("values", len(s.rows), "")
		return all
	}
	add("documents with a value", len(x.bitmap), "%d of %d", x.Docs, x.N)
	if x.several() {
		add("values before each 128 documents", len(x.before), "")
		add("width of counts", 1, "%d", x.counts.width)
		add("counts less one", len(x.counts.b), "of %d documents", x.Docs)
	}
	add("values", len(x.values.b), "")
	return all
}
