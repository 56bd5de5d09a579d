package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Parse returns the schema of a text in JSON, as MarshalJSON describes it, and checks it.
func Parse(data []byte) (*Schema, error) {
	s := new(Schema)
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin files with one
	if err := s.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return s, nil
}

type jsonField struct {
	Name       string  `json:"name"`
	Kind       string  `json:"kind"`
	Analyzer   string  `json:"analyzer,omitempty"`
	Options    string  `json:"options,omitempty"`
	Index      string  `json:"index,omitempty"`
	Positions  bool    `json:"positions,omitempty"`
	Stored     bool    `json:"stored,omitempty"`
	Column     bool    `json:"column,omitempty"`
	Unit       string  `json:"unit,omitempty"`
	Lengths    string  `json:"lengths,omitempty"`
	K1         float64 `json:"k1,omitempty"`
	B          float64 `json:"b,omitempty"`
	Weight     float64 `json:"weight,omitempty"`
	Scale      float64 `json:"scale,omitempty"`
	Dims       int     `json:"dims,omitempty"`
	Similarity string  `json:"similarity,omitempty"`
	Values     string  `json:"values,omitempty"`
	Model      string  `json:"model,omitempty"`
	Clusters   bool    `json:"clusters,omitempty"`
	Of         string  `json:"of,omitempty"`
}

// MarshalJSON returns s in JSON: an object whose key language is left out if it is empty, and whose key fields is an array of objects with the
// keys name, kind, analyzer, options, index, positions, stored, column, unit, lengths, k1, b, weight, scale, dims, similarity, values, model, clusters and of. Keys
// other than name and kind are left out for what is the default. Ids are the index's and left out
// too.
func (s *Schema) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	fields := make([]jsonField, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		j := jsonField{Name: f.Name, Kind: f.Kind.String(), Analyzer: f.Analyzer, Options: f.Options,
			Positions: f.Positions, Stored: f.Stored, Column: f.Column, K1: f.K1, B: f.B, Weight: f.Boost, Scale: f.Scale, Dims: f.Dims, Model: f.Model, Clusters: f.Clusters, Of: f.Of}
		if f.Index != IndexDefault {
			j.Index = f.Index.String()
		}
		if f.Unit != UnitNanosecond {
			j.Unit = f.Unit.String()
		}
		if f.Lengths != LengthsExact {
			j.Lengths = f.Lengths.String()
		}
		if f.Similarity != SimilarityCosine {
			j.Similarity = f.Similarity.String()
		}
		if f.Values != Float32 {
			j.Values = f.Values.String()
		}
		fields[i] = j
	}
	return json.Marshal(struct {
		Language string      `json:"language,omitempty"`
		Fields   []jsonField `json:"fields"`
	}{s.Language, fields})
}

// UnmarshalJSON sets s to a schema in JSON, as MarshalJSON describes it, and checks it. It refuses
// unknown keys and keys that appear twice.
func (s *Schema) UnmarshalJSON(data []byte) error {
	c := new(Schema)
	d := json.NewDecoder(bytes.NewReader(data))
	err := object(d, "the schema", func(key string) error {
		switch key {
		case "fields":
		case "language":
			if err := d.Decode(&c.Language); err != nil {
				return invalid("language: %v", err)
			}
			return nil
		default:
			return invalid("key %q is unknown; there are fields and language", key)
		}
		return array(d, func() error {
			if len(c.Fields) == MaxFields {
				return invalid("it has more than %d fields", MaxFields)
			}
			f, err := decodeField(d, len(c.Fields))
			c.Fields = append(c.Fields, f)
			return err
		})
	})
	if err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return invalid("text after the schema, at byte %d", d.InputOffset())
	}
	if err := c.Check(); err != nil {
		return err
	}
	*s = *c
	return nil
}

// decodeField returns the next field, the one of the given number.
func decodeField(d *json.Decoder, number int) (Field, error) {
	var f Field
	where := func() string {
		if f.Name != "" {
			return fmt.Sprintf("field %q", f.Name)
		}
		return fmt.Sprintf("field %d", number)
	}
	var kind, index, unit, lengths, similarity, values string
	named := false // only the implicit schema says that its field has no name
	err := object(d, where(), func(key string) error {
		named = named || key == "name"
		to, ok := map[string]any{"name": &f.Name, "kind": &kind, "analyzer": &f.Analyzer, "options": &f.Options, "index": &index,
			"positions": &f.Positions, "stored": &f.Stored, "column": &f.Column, "unit": &unit, "lengths": &lengths, "k1": &f.K1, "b": &f.B, "weight": &f.Boost, "scale": &f.Scale,
			"dims": &f.Dims, "similarity": &similarity, "values": &values, "model": &f.Model, "clusters": &f.Clusters, "of": &f.Of}[key]
		if !ok {
			return invalid("%s: key %q is unknown", where(), key)
		}
		if err := d.Decode(to); err != nil {
			return invalid("%s: %s: %v", where(), key, err)
		}
		return nil
	})
	n := 0
	if err == nil && kind != "" {
		n, err = parse(kindNames(), kind, where()+": kind")
		f.Kind = Kind(n + 1)
	}
	switch {
	case err != nil:
	case index == "positions": // as schemas said before there was the key positions
		f.Positions = true
	case index != "":
		n, err = parse(indexNames, index, where()+": index")
		f.Index = Index(n)
	}
	if err == nil && unit != "" {
		n, err = parse(unitNames, unit, where()+": unit")
		f.Unit = Unit(n)
	}
	if err == nil && lengths != "" {
		n, err = parse(lengthsNames, lengths, where()+": lengths")
		f.Lengths = Lengths(n)
	}
	if err == nil && similarity != "" {
		n, err = parse(similarityNames, similarity, where()+": similarity")
		f.Similarity = Similarity(n)
	}
	if err == nil && values != "" {
		n, err = parse(valuesNames, values, where()+": values")
		f.Values = VectorValues(n)
	}
	if err == nil && !named {
		err = invalid("%s: it has no name", where())
	}
	return f, err
}

// object calls value for each key of the next value, which must be an object.
func object(d *json.Decoder, what string, value func(key string) error) error {
	if err := open(d, '{', what, "an object"); err != nil {
		return err
	}
	seen := make(map[string]struct{})
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return syntax(d, err)
		}
		key := t.(string) // the decoder allows nothing else here
		if _, twice := seen[key]; twice {
			return invalid("%s: key %q appears twice", what, key)
		}
		seen[key] = struct{}{}
		if err := value(key); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return syntax(d, err)
}

// array calls element for each element of the next value, which must be an array.
func array(d *json.Decoder, element func() error) error {
	if err := open(d, '[', "fields", "an array"); err != nil {
		return err
	}
	for d.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return syntax(d, err)
}

func open(d *json.Decoder, delim json.Delim, what, form string) error {
	t, err := d.Token()
	if err != nil {
		return syntax(d, err)
	}
	if t != delim {
		return invalid("%s: it must be %s", what, form)
	}
	return nil
}

func syntax(d *json.Decoder, err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return invalid("at byte %d: %v", d.InputOffset(), err)
}
