package writer_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// stack is an analyzer that puts the parts of "a|b|a" at one place. "+5" is no term, and moves the
// terms behind it by 5.
type stack struct{}

const stackName = "writer_test stack"

func init() {
	analysis.Register(stackName, func(string) (analysis.Analyzer, error) { return stack{}, nil })
}

func (stack) Name() string                  { return stackName }
func (stack) Options() string               { return "" }
func (stack) Tokenizer() analysis.Tokenizer { return stack{} }
func (stack) Tokenize(dst *analysis.Tokens, text []byte) {
	step := 1
	for _, word := range strings.Fields(string(text)) {
		var more int
		if n, _ := fmt.Sscanf(word, "+%d", &more); n == 1 {
			step += more
			continue
		}
		for _, part := range strings.Split(word, "|") {
			dst.Add(analysis.Token{Term: []byte(part), Increment: step})
			step = 0
		}
		step = 1
	}
}

// placesOf returns the places of each term of the values of a field in a document.
func placesOf(f *schema.Field, values []worldValue) map[string][]uint32 {
	all := map[string][]uint32{}
	end := uint32(0) // the place behind the last term
	for i, v := range values {
		next := end
		if i > 0 {
			next += 99
			end = next // even if no term follows
		}
		for _, word := range strings.Fields(string(v.value.Bytes())) {
			var more uint32
			parts := []string{word}
			if f.Analyzer == stackName {
				if n, _ := fmt.Sscanf(word, "+%d", &more); n == 1 {
					next += more
					continue
				}
				parts = strings.Split(word, "|")
			}
			for _, part := range parts {
				if !slices.Contains(all[part], next) {
					all[part] = append(all[part], next)
				}
			}
			next++
			end = next
		}
	}
	return all
}

// checkPositions compares the positions of terms in f.
func (x *fieldWorld) checkPositions(t rapid.TB, s *reader.Snapshot, f *schema.Field) {
	want := map[string]map[string][]uint32{} // by document
	for id, values := range x.docs {
		var of []worldValue
		for _, v := range values {
			if v.field == f.ID {
				of = append(of, v)
			}
		}
		if want[id] = map[string][]uint32{}; f.Positions {
			want[id] = placesOf(f, of)
		}
	}
	for _, g := range s.Segments() {
		seg := g.Views()
		number, ok := seg.FieldByID(f.ID)
		if !ok {
			continue
		}
		deletes, err := g.Deletes()
		if err != nil {
			t.Fatal(err)
		}
		view := seg.Field(number)
		if view.HasPositions() != f.Positions {
			t.Fatalf("field %s: positions %t", f.Name, view.HasPositions())
		}
		if !f.Positions {
			continue
		}
		terms := view.Terms(nil)
		for terms.Next() {
			e := terms.Entry()
			var l segment.List
			if err := seg.Lists().Init(&l, e); err != nil {
				t.Fatal(err)
			}
			positions, err := l.Positions()
			if err != nil {
				t.Fatal(err)
			}
			r := positions.Reader()
			var rows segment.Rows
			for rows.Reset(&l); rows.Next(); {
				before := uint32(0)
				for i, doc := range rows.Docs {
					if i%l.BlockLen == 0 {
						before = 0
					}
					got, err := r.Append(nil, rows.Block+i/l.BlockLen, before, rows.Freqs[i])
					if err != nil {
						t.Fatal(err)
					}
					before += rows.Freqs[i]
					id, err := seg.Documents().AppendID(nil, doc)
					if err != nil {
						t.Fatal(err)
					}
					if term := string(terms.Term()); !deletes.Has(doc) {
						if !slices.Equal(got, want[string(id)][term]) {
							t.Fatalf("field %s: %q is at %d of document %s, want %d", f.Name, term, got, id, want[string(id)][term])
						}
						delete(want[string(id)], term)
					}
				}
			}
		}
		if terms.Err() != nil {
			t.Fatal(terms.Err())
		}
	}
	for id, terms := range want {
		if len(terms) > 0 {
			t.Fatalf("field %s: document %s lacks %v", f.Name, id, terms)
		}
	}
}
