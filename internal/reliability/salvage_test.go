package reliability

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/sim"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// TestMended damages segments: it flips bits, overwrites sectors, tears pages, cuts files
// and changes structures behind checksums that hold. What can be read becomes a new index,
// which must verify at level 3, and hold nothing that was not there unless checksums hold. One
// flipped bit, and damage within one page of first page, footer or a section that others imply, must
// lose nothing.
func TestMended(t *testing.T) {
	format.FlippedBit(0, 0) // makes its table
	all := subjects(t)
	all = all[:len(all)-1] // the largest is slow
	var wants []*index
	for _, s := range all {
		want, err := read(s.files)
		check(t, err)
		wants = append(wants, want)
	}
	whole, partly := 0, 0
	for i := range uint64(trials(2000)) {
		r := rand.New(rand.NewPCG(*seed+i, 11))
		k := r.IntN(len(all))
		s := all[k]
		segments := slices.DeleteFunc(slices.Clone(s.names), func(n string) bool { return !strings.HasPrefix(n, "segment-") })
		name := segments[r.IntN(len(segments))]
		b, what, loss := harm(r, s, name)
		if b == nil {
			continue
		}
		if what += " of " + name; bytes.Equal(b, s.files[name]) {
			continue
		}
		losses, err := save(t, s.files.with(name, b), wants[k], loss, sim.DrawOptions(r, sim.Past{Stored: true}))
		if err != nil {
			t.Fatalf("-seed %d: %s: %v", *seed+i, what, err)
		}
		if losses == 0 {
			whole++
		} else {
			partly++
		}
	}
	t.Logf("%d trials: %d without a loss, %d with", whole+partly, whole, partly)
}

// index is what an index holds: stored values, and frequencies in fields, by field, term and id.
type index struct {
	docs  map[string]string
	freqs map[string]uint32
}

// read verifies and reads an index.
func read(f store.ReadFS) (*index, error) {
	docs, err := contents(f)
	if err != nil {
		return nil, err
	}
	all := &index{docs, map[string]uint32{}}
	x, err := reader.Open(context.Background(), reader.FromStore(f), reader.Options{})
	if err != nil {
		return all, err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return all, err
	}
	defer s.Close()
	if s.Schema().IsImplicit() {
		return all, nil
	}
	for i := range s.Schema().Fields {
		field, _ := s.Field(s.Schema().Fields[i].Name)
		if err := all.field(s, field); err != nil {
			return all, err
		}
	}
	return all, nil
}

// field reads the frequencies in a field.
func (x *index) field(s *reader.Snapshot, f *reader.SnapshotField) error {
	terms := f.Terms(nil)
	for terms.Next() {
		for p, err := range f.Postings(terms.Term()) {
			if err != nil {
				return err
			}
			deleted, err := s.Deleted(p.Doc)
			if err != nil {
				return err
			}
			if deleted {
				continue
			}
			id, err := s.AppendID(nil, p.Doc)
			if err != nil {
				return err
			}
			x.freqs[fmt.Sprintf("%s:%s in %s", f.Description().Name, terms.Term(), id)] = p.Freq
		}
	}
	return terms.Err()
}

// compare returns why got, which was saved from x with a damage, is not what it must be.
func (x *index) compare(got *index, most loss) error {
	for key, n := range got.freqs {
		if x.freqs[key] != n {
			return fmt.Errorf("%s has frequency %d, want %d", key, n, x.freqs[key])
		}
	}
	if most == nothing && len(got.freqs) < len(x.freqs) {
		return fmt.Errorf("%d of %d postings in fields", len(got.freqs), len(x.freqs))
	}
	return nil
}

// inverted returns what can be read of a segment, with all fields if that has some. It counts postings.
func inverted(s *segment.Segment, src *salvage.Source, postings *int) writer.Inverted {
	in := writer.Inverted{ForeignLengths: true}
	if s.Meta().Fields > 0 {
		in = writer.Inverted{}
		for _, f := range s.Fields() {
			in.Fields = append(in.Fields, f.Name)
		}
	}
	in.Docs = func(yield func(writer.InvertedDoc, error) bool) {
		for d := range src.Docs() {
			if !yield(writer.InvertedDoc(d), nil) {
				return
			}
		}
	}
	in.Lists = func(yield func(writer.InvertedList, error) bool) {
		for l := range src.Lists() {
			*postings += len(l.Docs)
			if !yield(writer.InvertedList(l), nil) {
				return
			}
		}
	}
	return in
}

// loss is what a damage may do.
type loss int

const (
	nothing  loss = iota // everything must come back
	some                 // what comes back must be right
	anything             // it may be wrong too: checksums hold
)

// lossOf returns what damage of bytes lo to hi of a segment may do: nothing if it is all in the
// front, or in the footer and sections that others imply.
func lossOf(h *format.Header, lo, hi int) loss {
	front := h.FrontSize()
	if int64(lo) < front && int64(hi) > front {
		return some
	}
	for _, sec := range h.Sections {
		if sec.Offset >= int64(hi) || sec.End() <= int64(lo) {
			continue
		}
		switch sec.ID {
		case format.SectionMeta:
			if _, fields := h.Section(format.SectionFields); fields {
				return some
			}
		case format.SectionIDIndex, format.SectionIDHash, format.SectionTermIndex, format.SectionDocLengths,
			format.SectionLists, format.SectionFrequent, format.SectionPageSums:
		default:
			return some
		}
	}
	return nothing
}

// inColumn returns what is left of a document whose record is lost: the number, which is in a column too.
func inColumn(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "number: ") {
			return line
		}
	}
	return ""
}

// harm damages a segment.
func harm(r *rand.Rand, s *subject, name string) (b []byte, what string, most loss) {
	good := s.files[name]
	b = bytes.Clone(good)
	h, err := format.ParseFile(name, b)
	if err != nil {
		return nil, "", nothing
	}
	at := r.IntN(len(b))
	if r.IntN(2) == 0 { // where one bit makes a file unreadable
		meta, _ := h.Section(format.SectionMeta)
		sums := h.Sections[len(h.Sections)-1]
		at = []int{r.IntN(512), int(meta.Offset) + r.IntN(int(meta.Length)), int(sums.Offset) + r.IntN(int(sums.Length)), len(b) - 1 - r.IntN(64)}[r.IntN(4)]
	}
	end := min(at&^(format.PageSize-1)+format.PageSize, len(b))
	switch r.IntN(6) {
	case 0, 1:
		bit := r.IntN(8)
		b[at] ^= 1 << bit
		return b, fmt.Sprintf("bit %d of byte %d flipped", bit, at), nothing
	case 2:
		sector := at &^ 511
		to := min(sector+512, len(b))
		clear(b[sector:to])
		return b, fmt.Sprintf("sector at %d zeroed", sector), lossOf(h, sector, to)
	case 3:
		for i := at; i < end; i++ {
			b[i] = byte(r.Uint32())
		}
		return b, fmt.Sprintf("page torn at %d", at), lossOf(h, at, end)
	case 4:
		b = b[:len(b)-1-r.IntN(min(len(b)/2-1, 1<<r.IntN(16)))]
		return b, fmt.Sprintf("cut to %d of %d bytes", len(b), len(good)), lossOf(h, len(b), len(good))
	default:
		b, what = damage.Mutate(r, s.parsed[name], s.parsed[name])
		return b, what, anything
	}
}

// save copies what is left of an index of which one segment is damaged to a new one, which a
// writer of options o makes, and verifies that. It returns how many losses it was told of. want are the documents of the
// undamaged index.
func save(t *testing.T, f static, want *index, most loss, o writer.Options) (losses int, err error) {
	d, err := indexdir.OpenFS(f)
	check(t, err)
	defer d.Close()
	c, err := d.Latest()
	check(t, err)
	defer c.Release()
	out := memfs.New()
	if !c.Schema.IsImplicit() {
		o.Schema = c.Schema.Clone()
	}
	w, err := writer.OpenFS(ctx, out, o)
	check(t, err)
	defer w.Close()
	postings := 0
	for i := range c.Segments {
		info := &c.Segments[i]
		deletes, err := c.Deletes(i)
		check(t, err)
		name := indexdir.SegmentName(info.File)
		data, err := d.OpenFile(name)
		check(t, err)
		allowed := 2*uint64(data.Size()) + 1<<20
		var m *salvage.Mended
		analyzer, of := c.Analyzer()
		n := allocates(allowed, func() {
			m, err = salvage.Mend(name, data, salvage.Known{ID: info.ID, Postings: info.Postings, Tokens: info.Tokens,
				Analyzer: analyzer, AnalyzerOptions: of})
		})
		if n > allowed {
			return 0, fmt.Errorf("mending allocates %d bytes, at most %d are allowed", n, allowed)
		}
		var s, plain *segment.Segment
		if err == nil {
			s, err = segment.Open(name, m.Data)
		}
		if err == nil {
			plain, err = segment.Open(name, m.Data)
		}
		if err == nil && s.Meta().Docs != info.Docs {
			err = format.Corrupt("%d documents", s.Meta().Docs)
		}
		if err != nil {
			if most == nothing || expect(err) != nil {
				return 0, err
			}
			losses++
			continue
		}
		plain.Raw().SkipPageChecks()
		src := salvage.New(s, plain, func(doc uint32) bool { return deletes != nil && deletes.Contains(doc) })
		if err = w.AddInverted(ctx, inverted(s, src, &postings)); err != nil {
			if most < anything {
				return 0, err
			}
			losses++ // a structure that no writer makes, such as an id twice
			continue
		}
		if losses += len(src.Losses()); most == nothing && losses > 0 {
			return losses, fmt.Errorf("%v", src.Losses())
		}
	}
	if err := w.Commit(ctx); err != nil {
		return losses, err
	}
	got, err := read(out)
	if err != nil {
		return losses, fmt.Errorf("what was saved: %w", err)
	}
	if most == anything {
		return losses, nil
	}
	if err := want.compare(got, most); err != nil {
		return losses, err
	}
	expected := len(want.freqs) // postings
	for id, text := range want.docs {
		words := strings.Fields(text)
		slices.Sort(words)
		if c.Schema.IsImplicit() {
			expected += len(slices.Compact(words))
		}
		if now, ok := got.docs[id]; ok && now != text && (most == nothing || now != "" && now != inColumn(text)) || !ok && most == nothing {
			return losses, fmt.Errorf("document %q: %q, %v, want %q", id, now, ok, text)
		}
		delete(got.docs, id)
	}
	if len(got.docs) > 0 || postings > expected || most == nothing && postings < expected {
		return losses, fmt.Errorf("%d of %d postings, and %d documents that were not there", postings, expected, len(got.docs))
	}
	return losses, nil
}
