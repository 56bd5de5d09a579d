package pinion

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// A flipped bit in a file that a search reads is the error of the search, and an event of damage that names the file.
func TestDamageEvents(t *testing.T) {
	fields := &schema.Schema{Fields: []schema.Field{{Name: "tag", Kind: schema.Keyword}, {Name: "body", Kind: schema.Text, Stored: true}}}
	for _, c := range []struct {
		schema  *schema.Schema
		section format.SectionID
		at      int64 // percent of the section
	}{
		{nil, format.SectionPostings, 50}, {nil, format.SectionStored, 50}, {nil, format.SectionTerms, 50}, {nil, format.SectionDocLengths, 50},
		{fields, format.SectionPostings, 50}, {fields, format.SectionStored, 50}, {fields, format.SectionTerms, 97}, {fields, format.SectionDocLengths, 50},
	} {
		mem := memfs.New()
		x := must(OpenFS(ctx, mem, Options{Schema: c.schema}))(t)
		for i := range 300 {
			text := strings.Repeat("rose lily ", 1+i%7) + fmt.Sprint(i)
			d := Text(fmt.Sprint(i), text)
			if c.schema != nil {
				d.Values = []schema.Value{schema.TextValue(1, []byte(text)), schema.KeywordValue(0, []byte("tag"))}
			}
			if err := x.Add(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		name := flip(t, mem, c.section, c.at)
		var events []Event
		x = must(OpenFS(ctx, mem, Options{NoCache: true, Observe: func(e Event) { events = append(events, e) }}))(t)
		shown := map[bool]string{true: "body"}[c.schema != nil]
		_, err := x.Search(ctx, Request{Query: query.Match{Text: "rose lily"}, Limit: 300, Fields: []string{shown}})
		if !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%v, schema %v: %v", c.section, c.schema != nil, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(events, func(e Event) bool {
			return e.Kind == EventDamage && errors.Is(e.Err, format.ErrCorrupt) && strings.Contains(e.Err.Error(), name)
		})
		if !told {
			t.Errorf("%v, schema %v: no event of damage in %s, but %+v", c.section, c.schema != nil, name, events)
		}
	}
}

// flip flips a bit of the only segment, at so many percent of a section, and returns the file's name.
func flip(t *testing.T, mem *memfs.FS, id format.SectionID, at int64) (name string) {
	t.Helper()
	d := must(indexdir.OpenFS(mem))(t)
	defer d.Close()
	c := must(d.Latest())(t)
	defer c.Release()
	name = indexdir.SegmentName(c.Segments[0].File)
	f := must(mem.Open(name))(t)
	b := slices.Clone(must(f.Range(0, f.Size()))(t))
	h := must(format.ParseFile(name, b))(t)
	s, ok := h.Section(id)
	if err := f.Close(); err != nil || !ok {
		t.Fatalf("section %v: %v, %v", id, ok, err)
	}
	b[s.Offset+s.Length*at/100] ^= 4
	if err := mem.Remove(name); err != nil {
		t.Fatal(err)
	}
	w := must(mem.Create(name))(t)
	if _, err := w.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Sync(), mem.Sync()); err != nil {
		t.Fatal(err)
	}
	return name
}
