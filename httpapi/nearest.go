package httpapi

import (
	"cmp"
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Nearest is searched for in a field of vectors: the K documents match whose vectors are nearest, of those that pass the filter.
type Nearest struct {
	Field  string    `json:"field"`            // its name
	Vector []float32 `json:"vector,omitempty"` // of the dimensions of the field
	Text   string    `json:"text,omitempty"`   // in place of Vector, if the index embeds texts (pinion.Options.Embed)
	K      int       `json:"k,omitempty"`      // how many documents; 0 means query.DefaultK
	Boost  float64   `json:"boost,omitempty"`  // multiplies the scores; 0 means 1
	Probe  float64   `json:"probe,omitempty"`  // below 1: the part of the vectors that is compared at least, those in the nearest clusters; 0 means all
}

// NearestVector is the vector of a hit that is nearest to that of a query.
type NearestVector struct {
	Field  string  `json:"field"`
	Number int     `json:"number"`          // which of the document's vectors in the field, from 0, in the order in which they were added
	Score  float32 `json:"score"`           // what it scores, without boosts
	Error  float32 `json:"error,omitempty"` // how far that is from the score of the vector as it was added, at most, in a field of int8
}

// Similarity adds to the scores of what matches how near the vectors of a field are.
type Similarity struct {
	Field  string    `json:"field"`            // its name
	Vector []float32 `json:"vector,omitempty"` // of the dimensions of the field
	Text   string    `json:"text,omitempty"`   // as in Nearest
	Boost  float64   `json:"boost,omitempty"`  // multiplies the scores; 0 means 1
}

// nearest returns n for an index with a schema.
func (n *Nearest) nearest(s *schema.Schema) (query.Node, error) {
	if k := cmp.Or(n.K, query.DefaultK); k < 1 || k > query.MaxNearest {
		return nil, invalid("nearest.k", "%d documents, not from 1 to %d", n.K, query.MaxNearest)
	}
	if !(n.Probe >= 0 && n.Probe <= 1) {
		return nil, invalid("nearest.probe", "%v is not from 0 to 1", n.Probe)
	}
	err := compared(s, "nearest", n.Field, n.Text, n.Vector, n.Boost)
	return query.Nearest{Field: n.Field, Vector: n.Vector, Text: n.Text, K: cmp.Or(n.K, query.DefaultK), Boost: n.Boost, Probe: n.Probe}, err
}

// bound returns an error if n, unless it is nil, is for more documents than most; key is in front of its own in the request.
func (n *Nearest) bound(key string, k, most int) error {
	if n == nil || cmp.Or(n.K, k) <= most {
		return nil
	}
	return invalid(key+"nearest.k", "%d documents, more than %d", cmp.Or(n.K, k), most)
}

// similarity returns n for an index with a schema.
func (n *Similarity) similarity(s *schema.Schema) (query.Node, error) {
	return query.Similarity(*n), compared(s, "similarity", n.Field, n.Text, n.Vector, n.Boost)
}

// compared checks what is compared with the vectors of a field; key is its own in the request.
func compared(s *schema.Schema, key, field, text string, v []float32, boost float64) error {
	f, ok := s.Field(field)
	if !ok || f.Kind != schema.Vector {
		return invalid(key+".field", "there is no field %q of vectors", field)
	}
	switch err := f.CheckVector(v); {
	case text == "" && len(v) == 0:
		return invalid(key+".vector", "it is missing, as is text: one of them says what is near")
	case text != "" && len(v) > 0:
		return invalid(key+".text", "either a text or a vector says what is near")
	case text == "" && err != nil:
		return blame(key+".vector", err)
	}
	if !(boost >= 0 && boost <= query.MaxBoost) {
		return invalid(key+".boost", "%v is not above 0 and up to %v", boost, float64(query.MaxBoost))
	}
	return nil
}

// decodeParam sets the struct that to points to from JSON in a parameter of a URL.
func decodeParam(to any, name, text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	if err := decodeValue(d, reflect.ValueOf(to).Elem(), name); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return invalid(name, "there is something behind it, at byte %d", d.InputOffset())
	}
	return nil
}
