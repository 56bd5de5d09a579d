package reliability

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	checks "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// TestBlame damages single lists, with checksums that hold. Every public entry that meets
// the damage names the file, the section and the list, and the block if the damage is in
// one.
func TestBlame(t *testing.T) {
	met, damaged := map[string]int{}, 0
	for i, codec := range []string{"", "bp128", "vbyte128", "newpfd", "ef", "seglrc", "rice"} {
		docs := []int{700, 300}
		if i%2 == 1 { // no deleted documents, nothing to merge
			docs = docs[:1]
		}
		sound := files(t, build(t, uint64(i), codec, docs...))
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		name := indexdir.SegmentName(1)
		s, err := segment.Open(name, segment.Bytes(sound[name]))
		check(t, err)
		it := s.Lists().Terms()
		for n := 0; it.Next(); n++ {
			e := it.Entry()
			if e.Kind == segment.KindSingleton || e.Kind == segment.KindCompact && e.DF < 100 && n%5 > 0 {
				continue
			}
			for range trials(15) {
				f, err := damage.Parse(sound[name])
				check(t, err)
				part := damageList(t, r, f, s, e)
				damaged++
				for entry, err := range readings(t, sound.with(name, f.Bytes()), it.Term()) {
					if err == nil {
						continue
					}
					met[entry]++
					if wrong := blames(err, s, e, it.Term(), part); wrong != "" {
						t.Errorf("%s: %s of %q damaged: %s does not name the %s: %v", codec, part, it.Term(), entry, wrong, err)
					}
				}
			}
		}
	}
	for _, entry := range []string{"cursor", "cursor of an entry", "live DF", "postings", "verify", "report", "query auto", "export", "merge", "reorder"} {
		if met[entry] == 0 {
			t.Errorf("%s met no damage", entry)
		}
	}
	t.Logf("%d damaged lists, errors of %v", damaged, met)
}

// blames returns what err does not say of the place of the damage: in a part of the list of
// term, whose entry in s is e.
func blames(err error, s *segment.Segment, e segment.Entry, term []byte, part string) string {
	section := format.SectionPostings
	if e.Kind == segment.KindCompact {
		section = format.SectionTerms
	}
	var at *format.Error
	switch {
	case !errors.As(err, &at) || at.File != s.Name():
		return "file"
	case at.Section == format.SectionMeta.String(), at.Section == format.SectionDocLengths.String(): // a sum over lists is wrong
		return ""
	case at.Section != section.String():
		return "section"
	case strings.Contains(at.Msg, "where the one before it ends"): // the next list
		return ""
	case at.List != string(term):
		return "list"
	case at.Block == format.NoBlock && !strings.Contains(at.Msg, "postings reach") && slices.Contains([]string{"docs", "freqs", "quads"}, part):
		return "block"
	}
	return ""
}

// damageList changes a few bytes of the list of e in f, which is the file of s, and returns
// the name of their part of the list.
func damageList(t *testing.T, r *rand.Rand, f *damage.File, s *segment.Segment, e segment.Entry) (part string) {
	section, p := format.SectionTerms, segment.Part{Name: "bits", Length: int64(e.Length)}
	if e.Kind == segment.KindExtent {
		l, err := s.Lists().List(e)
		check(t, err)
		parts := l.Layout()
		section, p = format.SectionPostings, parts[r.IntN(len(parts))]
		for p.Length == 0 || p.Name == "header" {
			p = parts[r.IntN(len(parts))]
		}
	}
	for i := range f.Sections {
		if f.Sections[i].ID == section {
			b := f.Sections[i].Content[e.Offset+p.Offset:][:p.Length]
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
			}
		}
	}
	return p.Name
}

// readings returns the errors of everything that reads the list of term, by name.
func readings(t *testing.T, f static, term []byte) map[string]error {
	ctx := context.Background()
	errs := map[string]error{}
	x, err := reader.Open(ctx, reader.FromStore(f), reader.Options{})
	check(t, err)
	defer x.Close()
	s, err := x.Snapshot()
	check(t, err)
	defer s.Close()
	seg := s.Segments()[0]

	c, err := seg.Cursor(term)
	if err == nil {
		for c.Doc() != reader.NoDoc {
			c.Freq()
			c.Next()
		}
		err = c.Err()
		c.Close()
	}
	errs["cursor"] = err
	e, _, err := seg.Lookup(term)
	check(t, err)
	c = reader.NewCursor()
	if err = c.Init(seg, e); err == nil {
		for c.Doc() != reader.NoDoc {
			c.Freq()
			c.NextGEQ(c.Doc() + 40)
		}
		err = c.Err()
	}
	c.Close()
	errs["cursor of an entry"] = err
	_, errs["live DF"] = seg.LiveDF(e)
	for _, err := range s.Postings(term) {
		errs["postings"] = err
	}
	errs["verify"] = s.Verify(ctx)
	checks.Segment(ctx, seg.Views(), checks.Options{Level: checks.Postings, Report: func(d checks.Damage) {
		if errs["report"] == nil { // others follow from it
			errs["report"] = d.Err
		}
	}})
	if searcher, err := search.NewSearcher(s, search.Options{}); err == nil {
		defer searcher.Close()
		for _, a := range search.Algorithms() {
			_, err := searcher.Search(ctx, search.Query{RawTerms: [][]byte{term, []byte("all")}, K: 10, Mode: query.ModeOr, Algorithm: a})
			errs["query "+a.String()] = err
		}
	}
	lists, err := exchange.FromSnapshot(s)
	if err == nil {
		for _, err = range lists.Inverted().Lists {
			if err != nil {
				break
			}
		}
	}
	errs["export"] = err
	for what, change := range map[string]func(w *writer.Writer) error{
		"merge": func(w *writer.Writer) error {
			_, err := w.Merge(ctx, writer.MergeOptions{MaxSegments: 1, Purge: true})
			return err
		},
		"reorder": func(w *writer.Writer) error {
			_, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderBisection})
			return err
		},
	} {
		w, err := writer.OpenFS(ctx, f.copy(t), options(""))
		if err == nil {
			err = errors.Join(change(w), w.Close())
		}
		errs[what] = err
	}
	return errs
}
