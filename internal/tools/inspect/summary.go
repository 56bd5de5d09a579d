package inspect

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Summary is what `idxinspect summary` prints.
type Summary struct {
	Index      string           `json:"index"`
	Generation uint64           `json:"commit,omitempty"`
	Analyzer   string           `json:"analyzer"`
	Options    string           `json:"analyzer_options"`
	Schema     *schema.Schema   `json:"schema"` // null if the documents have one text
	Version    string           `json:"version,omitempty"`
	Keep       int              `json:"keep_commits,omitempty"`
	Order      string           `json:"order,omitempty"` // of the documents of each segment, as --order takes it
	Documents  uint64           `json:"documents"`
	Deleted    uint64           `json:"deleted"`
	Postings   uint64           `json:"postings"`
	Tokens     uint64           `json:"tokens"`
	DelTokens  uint64           `json:"deleted_tokens"`
	AvgLength  float64          `json:"average_length"`
	Stored     bool             `json:"stored_text"`
	Bytes      int64            `json:"bytes"`
	Segments   []SegmentSummary `json:"segments"`

	Fields []FieldSummary `json:"fields"` // empty if the documents have one text
}

// SegmentSummary is one segment of a Summary.
type SegmentSummary struct {
	File           string   `json:"file"`
	Version        string   `json:"version"`
	ID             string   `json:"id"`
	Base           uint32   `json:"base"` // docID of its first document in the index
	Documents      uint32   `json:"documents"`
	Deleted        uint64   `json:"deleted"`
	Terms          uint64   `json:"terms"`
	Extents        uint64   `json:"extents"`
	Postings       uint64   `json:"postings"`
	Tokens         uint64   `json:"tokens"`
	MinLength      uint32   `json:"min_length"`
	MaxLength      uint32   `json:"max_length"`
	ForeignLengths bool     `json:"foreign_lengths"`
	DocsCodecs     []string `json:"docs_codecs"`
	FreqsCodecs    []string `json:"freqs_codecs"`
	Bytes          int64    `json:"bytes"`
}

// Summarize returns what the segments that open consist of.
func Summarize(x *Index) (s *Summary, err error) {
	s = &Summary{Index: x.Path, Documents: x.Docs(), Stored: len(x.Segs) > 0, Segments: []SegmentSummary{}}
	s.Analyzer, s.Options = x.Analyzer()
	if x.Manifest != nil {
		s.Generation, s.Keep = x.Manifest.Generation, x.Manifest.KeepCommits
		if !x.Manifest.Schema.IsImplicit() {
			s.Schema = x.Manifest.Schema
		}
		s.Version, s.Order = x.Manifest.Version.String(), string(cli.OrderOf(x.Manifest))
	}
	s.Bytes = x.size()
	for _, g := range x.Segs {
		m := g.Meta()
		t := SegmentSummary{
			File: g.File, Version: g.Header().Version.String(), ID: fmt.Sprintf("%x", g.Header().ID),
			Base: g.Base, Documents: m.Docs, Terms: m.Terms, Extents: m.Extents, Postings: m.Postings, Tokens: m.Tokens,
			MinLength: m.MinLen, MaxLength: m.MaxLen, ForeignLengths: m.ForeignLengths,
			DocsCodecs: codecNames(m.DocsCodecs), FreqsCodecs: codecNames(m.FreqsCodecs), Bytes: g.Header().FileLen,
		}
		t.Deleted = uint64(g.Deletes.Count())
		s.Segments = append(s.Segments, t)
		s.Deleted += t.Deleted
		s.Postings += m.Postings
		s.Tokens += m.Tokens
		s.DelTokens += g.Tokens
		s.Stored = s.Stored && m.Stored
	}
	if s.Live() > 0 {
		s.AvgLength = float64(s.Tokens-s.DelTokens) / float64(s.Live())
	}
	if s.Fields, err = SummarizeFields(x); len(s.Fields) > 0 {
		s.AvgLength = 0
		for _, f := range s.Fields {
			s.AvgLength += float64(f.Tokens) / float64(max(s.Live(), 1))
		}
	}
	return s, err
}

// Live returns the number of documents that are not deleted.
func (s *Summary) Live() uint64 { return s.Documents - s.Deleted }

// Lists returns the number of lists: the terms of each segment.
func (s *Summary) Lists() (n uint64) {
	for _, g := range s.Segments {
		n += g.Terms
	}
	return n
}

// AnalyzerText returns the analyzer with its options, "" if fields have their own.
func (s *Summary) AnalyzerText() string {
	if len(s.Fields) > 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s)", s.Analyzer, s.Options)
}

// codecNames returns the names of the codecs whose bits are set.
func codecNames(set uint64) []string {
	names := []string{}
	for ; set != 0; set &= set - 1 {
		id := codec.ID(bits.TrailingZeros64(set))
		if c, ok := registry.ByID(id); ok {
			names = append(names, c.ID().String())
		} else {
			names = append(names, fmt.Sprint("codec ", id))
		}
	}
	return names
}

// Fact is a line of a summary.
type Fact struct{ Name, Value string }

// Facts returns the lines about all segments together.
func (s *Summary) Facts() (all []Fact) {
	add := func(when bool, name, value string) {
		if when {
			all = append(all, Fact{name, value})
		}
	}
	add(s.Generation > 0, "commit", strconv.FormatUint(s.Generation, 10))
	add(s.Version != "", "format", s.Version)
	add(s.Keep > 1, "keeps", cli.Number(s.Keep, "commit"))
	add(s.Order != "", "order", cli.Printable(s.Order))
	add(len(s.Fields) == 0, "analyzer", s.AnalyzerText())
	add(true, "documents", withDeleted(s.Documents, s.Deleted))
	add(len(s.Segments) == 1, "terms", cli.Count(s.Lists()))
	add(true, "postings", cli.Count(s.Postings))
	add(true, "tokens", withDeleted(s.Tokens, s.DelTokens))
	add(true, "average length", cli.Float(s.AvgLength, 3))
	add(len(s.Fields) == 0, "stored text", YesNo(s.Stored))
	add(true, "size", fmt.Sprintf("%s (%s bytes)", cli.Bytes(s.Bytes), cli.Count(s.Bytes)))
	return all
}

// Text prints s.
func (s *Summary) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("index", s.Index)
	for _, f := range s.Facts() {
		t.Row(f.Name, f.Value)
	}
	t.WriteTo(w)
	s.fields(w)
	if len(s.Segments) == 0 {
		fmt.Fprintln(w, "\nno segments")
		return
	}
	fmt.Fprintln(w)
	t = cli.NewTable("segment", ">docs", ">deleted", ">terms", ">postings", ">tokens", ">bytes", "docs codec", "freqs codec")
	for _, g := range s.Segments {
		t.Row(g.File, g.Documents, g.Deleted, g.Terms, g.Postings, g.Tokens, g.Bytes, names(g.DocsCodecs), names(g.FreqsCodecs))
	}
	t.WriteTo(w)
}

// fields shows the schema, and what there is of each field.
func (s *Summary) fields(w io.Writer) {
	if s.Schema != nil {
		s.schema(w)
	}
	if len(s.Fields) == 0 {
		return
	}
	fmt.Fprintln(w)
	columns := []string{"field", ">docs", ">tokens", ">average", ">terms", ">bytes"}
	vectors := slices.ContainsFunc(s.Fields, func(f FieldSummary) bool { return f.Vectors > 0 })
	if vectors {
		columns = slices.Insert(columns, 5, ">vectors")
	}
	t := cli.NewTable(columns...)
	for _, f := range s.Fields {
		row := []any{cli.Printable(f.Name), f.Documents, f.Tokens, cli.Float(f.AvgLength, 3), f.Terms, f.Bytes}
		if vectors {
			row = slices.Insert(row, 5, any(f.Vectors))
		}
		t.Row(row...)
	}
	t.WriteTo(w)
	for _, f := range s.Fields {
		if c := f.Clusters; c != nil {
			fmt.Fprintf(w, "\nfield %s: %s in %s of %s, of %s: %s vectors on average, %s at most, at a mean distance of %s\n", cli.Printable(f.Name), cli.Number(c.Vectors, "vector"),
				cli.Number(c.Clusters, "cluster"), cli.Number(c.Segments, "segment"), cli.Number(c.Versions, "version"), cli.Float(c.Mean, 3), cli.Count(c.Largest), cli.Float(c.Distance, 3))
		}
	}
}

func (s *Summary) schema(w io.Writer) {
	fmt.Fprintln(w)
	t := cli.NewTable("field", "kind", "indexed", "stored", "column", "lengths", "analyzer", ">k1", ">b", ">weight")
	for i := range s.Schema.Fields {
		f := &s.Schema.Fields[i]
		analyzer, lengths := "-", "-"
		if f.Kind == schema.Text {
			analyzer = fmt.Sprintf("%s (%s)", f.Analyzer, f.Options)
		}
		if f.HasLengths() {
			lengths = f.Lengths.String()
		}
		kind := f.Kind.String()
		if f.Unit != schema.UnitNanosecond {
			kind += " (" + f.Unit.String() + ")"
		}
		if f.Kind == schema.Vector {
			kept := ""
			if f.Values != schema.Float32 {
				kept = ", " + f.Values.String()
			}
			kind += fmt.Sprintf(" (%d, %v%s%s)", f.Dims, f.Similarity, kept, ofModel(f.Model))
		}
		t.Row(f.Name, kind, record.IndexedName(f), YesNo(f.Stored), YesNo(f.Column), lengths, analyzer, Parameter(f.K1), Parameter(f.B), f.Factor())
	}
	t.WriteTo(w)
}

// ofModel shows the name of a model, if there is one.
func ofModel(name string) string {
	if name == "" {
		return ""
	}
	return ", " + cli.Printable(name)
}

// Parameter shows a parameter of BM25.
func Parameter(x float64) string {
	switch x {
	case 0:
		return "-"
	case query.Zero:
		return "0"
	}
	return cli.Float(x, 3)
}

func names(s []string) string {
	if len(s) == 0 {
		return "-"
	}
	return strings.Join(s, " ")
}

// withDeleted returns a number, and how many of them are of deleted documents.
func withDeleted(n, deleted uint64) string {
	if deleted == 0 {
		return cli.Count(n)
	}
	return fmt.Sprintf("%s (%s of them deleted)", cli.Count(n), cli.Count(deleted))
}

// YesNo returns how a table says whether something is so.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
