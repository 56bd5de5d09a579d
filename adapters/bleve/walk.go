package bleve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/pinion-index/pinion/schema"
)

// walk adds the fields of the mapping.
func (t *Translation) walk() {
	m := t.mapping
	if m.ScoringModel != "" {
		t.lose("", false, "scoring model %s: scores are BM25 by field, with other parameters", m.ScoringModel)
	}
	if a := m.CustomAnalysis; a != nil && len(a.SynonymSources) > 0 {
		t.lose("", true, "synonyms")
	}
	var found []mapped
	for _, name := range slices.Sorted(maps.Keys(m.TypeMapping)) {
		found = t.documents(found, m.TypeMapping[name])
	}
	found = t.documents(found, m.DefaultMapping)
	// By name; those that cannot keep theirs come last.
	slices.SortStableFunc(found, func(a, b mapped) int {
		changes := func(name string) int { return cmp.Compare(allowed(name), name) & 1 }
		return cmp.Or(changes(a.source)-changes(b.source), strings.Compare(a.source, b.source))
	})
	for _, f := range found {
		t.addMapped(f)
	}
}

// mapped is a field of a mapping.
type mapped struct {
	source   string
	analyzer string // if it is text
	*mapping.FieldMapping
}

// documents appends the fields of documents of one type.
func (t *Translation) documents(found []mapped, d *mapping.DocumentMapping) []mapped {
	if d == nil || !d.Enabled {
		return found
	}
	if all := d.Properties["_all"]; all == nil || all.Enabled {
		t.composite = true
	}
	return t.properties(found, d, nil, t.mapping.DefaultAnalyzer)
}

// properties appends the fields of d, which is that of a path, and of what is below. Analyzer is the one by default.
func (t *Translation) properties(found []mapped, d *mapping.DocumentMapping, path []string, analyzer string) []mapped {
	if !d.Enabled {
		return found
	}
	if d.DefaultAnalyzer != "" {
		analyzer = d.DefaultAnalyzer
	}
	source := strings.Join(path, ".")
	if d.Nested {
		t.lose(source, true, "nested documents: values of one element cannot be asked for together")
	}
	for _, f := range d.Fields {
		x := mapped{source, analyzer, f}
		if f.Name != "" {
			x.source = strings.Join(append(slices.Clone(path[:max(0, len(path)-1)]), f.Name), ".")
		}
		if f.Analyzer != "" {
			x.analyzer = f.Analyzer
		}
		found = append(found, x)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Properties)) {
		if len(path) > 0 || name != "_all" {
			found = t.properties(found, d.Properties[name], append(slices.Clone(path), name), analyzer)
		}
	}
	return found
}

// addMapped adds a field of the mapping, or says why it cannot.
func (t *Translation) addMapped(m mapped) {
	f := Field{Source: m.source, Type: Type(m.Type), Indexed: m.Index, Composite: m.Index && m.IncludeInAll}
	switch f.Type {
	case Text, Number, DateTime, Boolean:
	default:
		t.drop(m.source, "fields of type %s", m.Type)
		return
	}
	if m.SynonymSource != "" {
		t.lose(m.source, true, "synonyms")
	}
	if m.DateFormat != "" {
		t.lose(m.source, false, "dates in the format %s: values are times, however they were written", m.DateFormat)
	}
	if i, ok := t.find(m.source, f.Type); ok {
		t.unite(i, m)
		return
	}
	if !m.Index && !m.Store && (!m.DocValues || f.Type == Text && !t.analyzer(m.analyzer).keyword) {
		t.drop(m.source, "neither indexed nor stored")
		return
	}
	if f.Type == Text {
		f.Analyzer = m.analyzer
	}
	t.add(t.complete(f, m.FieldMapping))
}

// complete returns f and the field of the schema that it becomes.
func (t *Translation) complete(f Field, m *mapping.FieldMapping) (Field, schema.Field) {
	s := schema.Field{Stored: m.Store}
	switch f.Type {
	case Number, DateTime:
		s.Kind, s.Column = schema.Float, m.Index || m.DocValues
		if f.Type == DateTime {
			s.Kind = schema.Time
		}
		return f, s
	case Text:
		f.cut = t.analyzer(f.Analyzer)
		if f.cut.loss != "" {
			t.lose(f.Source, false, "analyzer %s: %s", f.Analyzer, f.cut.loss)
		}
	case Boolean:
		f.cut = cutter{keyword: true}
	}
	if f.cut.keyword {
		s.Kind, s.Column, s.Index = schema.Keyword, m.DocValues, schema.IndexNone
		if m.Index {
			s.Index = schema.IndexDocs
		}
		return f, s
	}
	s.Kind, s.Analyzer, s.Options, s.Index = schema.Text, f.cut.Name, f.cut.Options, schema.IndexNone
	switch {
	case m.Index && m.IncludeTermVectors:
		s.Index, s.Positions = schema.IndexFreqs, true
	case m.Index && m.SkipFreqNorm:
		s.Index = schema.IndexDocs
	case m.Index:
		s.Index = schema.IndexFreqs
	}
	return f, s
}

// unite makes field i also that of m, a mapping of the same name and type, of documents of another type.
func (t *Translation) unite(i int, m mapped) {
	f, s := &t.Fields[i], &t.Schema.Fields[i]
	if f.Type == Text && f.Analyzer != m.analyzer {
		t.lose(m.source, false, "analyzer %s for some documents: all have %s", m.analyzer, f.Analyzer)
	}
	said := len(t.Losses)
	_, other := t.complete(*f, m.FieldMapping)
	t.Losses = t.Losses[:said] // those of its analyzer again
	f.Indexed, f.Composite = f.Indexed || m.Index, f.Composite || m.Index && m.IncludeInAll
	s.Stored, s.Column, s.Index = s.Stored || other.Stored, s.Column || other.Column, max(s.Index, other.Index)
	s.Positions = s.Positions || other.Positions
}
