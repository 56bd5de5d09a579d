package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/budget"
)

// counts is of how many counts of a facet the JSON is made at a time.
const counts = 256

// encoder makes JSON piece by piece. Each piece is charged to a budget before it is kept, so that an answer that is too large is
// never made.
type encoder struct {
	budget *budget.Budget
	data   []byte
	err    error
}

// encode returns an answer as JSON, with room for a line end behind it.
func encode(x any, b *budget.Budget) ([]byte, error) {
	e := encoder{budget: b}
	if r, ok := x.(*Response); ok {
		e.response(r)
	} else {
		e.add(e.marshal(x))
	}
	return slices.Grow(e.data, 1), e.err
}

// marshal returns the JSON of x.
func (e *encoder) marshal(x any) []byte {
	if e.err != nil {
		return nil
	}
	data, err := json.Marshal(x)
	if err != nil {
		e.err = fmt.Errorf("answer in JSON: %w", err)
	}
	return data
}

// add adds a piece.
func (e *encoder) add(piece []byte) {
	if e.err == nil {
		e.err = e.budget.Fits(len(e.data)+len(piece), len(piece))
	}
	if e.err == nil {
		e.data = append(e.data, piece...)
	}
}

// response adds the JSON of r: that of r without hits and counts, in which these are put.
func (e *encoder) response(r *Response) {
	frame := *r
	frame.Hits, frame.Facets = r.Hits[:0], slices.Clone(r.Facets)
	for i := range frame.Facets {
		frame.Facets[i].Counts = r.Facets[i].Counts[:0]
	}
	rest := e.marshal(&frame)
	upTo := func(key string) {
		n := bytes.Index(rest, []byte(key)) + len(key) // it is no part of a string, in which quotes are escaped
		e.add(rest[:n])
		rest = rest[n:]
	}
	if len(r.Hits) > 0 {
		upTo(`"hits":[`)
		pieces(e, r.Hits, 1)
	}
	for i := range r.Facets {
		if r.Facets[i].Counts != nil && e.err == nil {
			upTo(`"counts":[`)
			pieces(e, r.Facets[i].Counts, counts)
		}
	}
	e.add(rest)
}

// pieces adds the elements of an array, n at a time.
func pieces[T any](e *encoder, all []T, n int) {
	for some := range slices.Chunk(all, n) {
		data := e.marshal(some)
		if e.err != nil {
			return
		}
		data[0] = ','
		if &some[0] == &all[0] {
			data = data[1:]
		}
		e.add(data[:len(data)-1])
	}
}
