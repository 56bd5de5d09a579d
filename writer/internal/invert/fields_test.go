package invert

import (
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
)

// Terms of two fields whose hashes are equal are told apart, in batches and accumulators.
func TestEqualHashes(t *testing.T) {
	s := &schema.Schema{NextID: 4, Fields: []schema.Field{
		{ID: 1, Name: "b", Kind: schema.Text}, {ID: 2, Name: "a", Kind: schema.Text}, {ID: 3, Name: "c", Kind: schema.Keyword},
	}}
	white, err := analysis.New("whitespace", "")
	if err != nil {
		t.Fatal(err)
	}
	fields := NewFields(s, []analysis.Analyzer{white, white, nil})
	var pool Pool
	v := pool.NewInverter(1, fields)
	for i := range v.fields.seeds {
		v.fields.seeds[i] = 7
	}
	a := pool.NewAccumulator(fields)
	for range 2 {
		b := new(Batch)
		for doc := range 3 {
			fields.Add(b, fmt.Append(nil, doc), []schema.Value{
				schema.TextValue(0, []byte("one two longer-than-eight one")), schema.TextValue(1, []byte("one longer-than-eight")),
				schema.KeywordValue(2, []byte("one")), schema.TextValue(1, []byte("three")),
			})
		}
		v.Invert(b)
		a.Absorb(b)
	}
	terms, ends, err := a.sortTerms(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	from := 0
	for rank, to := range ends {
		for _, x := range terms[from:to] {
			got = append(got, fmt.Sprint(rank, string(termOf(a.terms.at(x.record))), x.df))
		}
		from = to
	}
	if want := "[0longer-than-eight6 0one6 0three6 1longer-than-eight6 1one6 1two6 2one6]"; fmt.Sprint(got) != want {
		t.Errorf("terms %v, want %s", got, want)
	}
	if a.Live() != 3 || a.lens.n != 6*fields.lengths || *a.lens.at(0) != 3 || *a.lens.at(1) != 4 {
		t.Errorf("%d live documents, %d lengths", a.Live(), a.lens.n)
	}
}
