package pinion_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// partial is a PartExecutor that answers, refuses, fails, or says what cannot be, by turns.
type partial struct{ turn, answered int }

func (*partial) Execute(context.Context, *reader.Snapshot, []pinion.Request) ([]*pinion.Page, error) {
	return nil, errors.New("asked for the whole")
}

func (x *partial) ExecutePart(ctx context.Context, s *reader.Snapshot, r pinion.Request, of pinion.Part) (*pinion.Page, error) {
	switch x.turn++; x.turn % 4 {
	case 0:
		return nil, errMoody
	case 1:
		return nil, nil
	case 2:
		return &pinion.Page{Hits: make([]pinion.Hit, r.Limit+1)}, nil
	}
	x.answered++
	v, err := pinion.NewView(s, nil)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	p, err := v.SearchPart(ctx, r, of)
	for i := range p.Hits {
		p.Hits[i].ID = "which an Executor does not say"
	}
	return &p.Page, err
}

func sameTerms(terms []query.FieldTerm, all []query.TermFrequency) bool {
	return slices.EqualFunc(terms, all, func(a query.FieldTerm, b query.TermFrequency) bool { return a.Field == b.Field && a.Term == b.Term })
}

// Two indexes with halves of the documents answer together as one with all does.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	ctx := t.Context()
	open := func() *pinion.Index {
		x, err := pinion.Open(ctx, t.TempDir(), pinion.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	whole, parts := open(), [2]*pinion.Index{open(), open()}
	for i := range 200 {
		text := ""
		for range 1 + rng.IntN(9) {
			text += fmt.Sprintf("w%d ", min(rng.IntN(20), rng.IntN(20)))
		}
		d := pinion.Text(fmt.Sprintf("d%03d", i), text)
		for _, x := range []*pinion.Index{whole, parts[i/100]} {
			if err := x.Add(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
	}
	x := new(partial)
	for range 100 {
		r := pinion.Request{Query: query.Match{Text: fmt.Sprintf("w%d w%d", rng.IntN(20), rng.IntN(20))}, Limit: 1 + rng.IntN(9), Total: true}
		var of pinion.Part
		of.Frequencies = new(query.Frequencies)
		each := func(f func(i int, v *pinion.View) error) {
			for i, x := range parts {
				if err := x.View(ctx, func(v *pinion.View) error { return f(i, v) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		each(func(_ int, v *pinion.View) error {
			f, err := v.Frequencies(ctx, r.Node())
			if err != nil {
				return err
			}
			if terms, err := pinion.TermsOf(v.Schema())(r.Node()); err != nil || !sameTerms(terms, f.Terms) {
				t.Fatalf("%+v has terms %v, %v; its frequencies are %v", r, terms, err, f.Terms)
			}
			if err := of.Collection.Add(v.Collection()); err != nil {
				return err
			}
			return of.Frequencies.Add(f)
		})
		pages := make([]*pinion.PartPage, 2)
		each(func(i int, v *pinion.View) error {
			p, err := v.SearchPart(ctx, r, of)
			if err != nil {
				return err
			}
			pages[i] = &p
			other, err := pinion.NewView(v.Snapshot(), x)
			if err != nil {
				return err
			}
			defer other.Close()
			if got, err := other.SearchPart(ctx, r, of); err != nil || !reflect.DeepEqual(got, p) {
				t.Fatalf("%+v with an Executor: %+v, %v; want %+v", r, got, err, p)
			}
			return nil
		})
		got, err := pinion.MergePages(r, []uint32{0, 100}, pages)
		if err != nil {
			t.Fatal(err)
		}
		want, err := whole.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b []pinion.Hit) bool {
			for i := range a {
				if i >= len(b) || a[i].ID != b[i].ID || a[i].Score != b[i].Score {
					return false
				}
			}
			return len(a) == len(b)
		}
		if !same(got.Hits, want.Hits) || got.Total != want.Total {
			t.Fatalf("%+v: %+v, want %+v", r, got, want)
		}
	}
	if x.answered < 20 {
		t.Errorf("the executor has answered %d times", x.answered)
	}
	if _, err := pinion.TermsOf(whole.Schema())(query.Prefix{Text: "w"}); !errors.Is(err, pinion.ErrInvalid) {
		t.Errorf("the terms of a prefix: %v", err)
	}
}
