package httpapi

import (
	"github.com/pinion-index/pinion/internal/jsontext"
	"github.com/pinion-index/pinion/schema"
)

// Text is an id, a term or a text in JSON: a string, or the object {"base64": "..."} of bytes that are not valid UTF-8.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) { return jsontext.Text(t).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error { return (*jsontext.Text)(t).UnmarshalJSON(data) }

// Request asks for a page of hits. The zero value of each part asks for nothing more, but one of Query, Text, Like, Vector,
// Nearest and Fuse must be there.
type Request struct {
	Query          string      `json:"q,omitempty"`               // what is searched for, as query.ParseLenient reads it
	Text           string      `json:"text,omitempty"`            // the same as plain words, without a syntax
	Like           *Like       `json:"like,omitempty"`            // what is similar to documents or a text, in place of Query and Text
	Filter         string      `json:"filter,omitempty"`          // restricts the documents, in the language of query.ParseFilter
	Vector         *Vector     `json:"vector,omitempty"`          // a sparse vector, alone or beside Query or Text, whose scores add up
	Nearest        *Nearest    `json:"nearest,omitempty"`         // documents with the nearest vectors, alone or beside Query, Text and Vector, whose scores add up
	Similarity     *Similarity `json:"similarity,omitempty"`      // what the vectors of matches add to their scores
	Fuse           *Fuse       `json:"fuse,omitempty"`            // one ranked list of several, in place of all above but Filter
	Rescore        *Rescore    `json:"rescore,omitempty"`         // puts the best hits in another order
	Typos          bool        `json:"typos,omitempty"`           // words of five characters or more also find those with a slip, behind what has them as they are typed
	Synonyms       string      `json:"synonyms,omitempty"`        // the name of a set of synonyms that the server has: Options.Synonyms
	Strict         bool        `json:"strict,omitempty"`          // what query.Parse does not read in Query is an error, instead of words
	Sort           []string    `json:"sort,omitempty"`            // names of fields with columns; a - before a name begins with the greatest value; _score is the best score first
	Facets         []Facet     `json:"facets,omitempty"`          // what matches are counted by
	Collapse       string      `json:"collapse,omitempty"`        // a field with a column: of hits with the same value only the best is shown
	Group          *Group      `json:"group,omitempty"`           // shows the best hits of each value of Collapse, and how many there are
	Static         *Static     `json:"static,omitempty"`          // what is added to scores, or multiplies them
	K1             *float64    `json:"k1,omitempty"`              // the parameter of BM25 in place of those of the schema, from 0 to 1e6
	B              *float64    `json:"b,omitempty"`               // likewise, from 0 to 1
	Scorer         string      `json:"scorer,omitempty"`          // the formula of scores, as query.Params has them; by default bm25
	K              int         `json:"k,omitempty"`               // the maximum number of hits; 0 means query.DefaultK
	After          string      `json:"after,omitempty"`           // Response.Next of the page before
	Offset         int         `json:"offset,omitempty"`          // how many hits are left out; those of pages before cost as if they were shown
	Total          bool        `json:"total,omitempty"`           // also counts all matches
	Fields         []string    `json:"fields,omitempty"`          // names of the fields whose values are shown
	Values         bool        `json:"values,omitempty"`          // shows the values of all fields that can be shown
	Passages       *Passages   `json:"passages,omitempty"`        // shows a passage of each hit
	NearestVectors bool        `json:"nearest_vectors,omitempty"` // says which vectors of each hit were the nearest
	Partial        bool        `json:"partial,omitempty"`         // an answer that lacks some shards is better than none
}

// Vector is searched for in a field of impacts. A document matches that has one of its terms, and scores the dot product.
type Vector struct {
	Field string             `json:"field"`           // its name
	Terms map[string]float64 `json:"terms"`           // their weights: whole numbers, or with Scale any
	Scale float64            `json:"scale,omitempty"` // above 0: weights become whole numbers in steps of it, to the nearest, and of two as near to the even one
}

// Facet asks how many matches have which values in a field that has a column, and for figures of these matches.
type Facet struct {
	Field     string        `json:"field,omitempty"`      // its name; without one, Stats are of all matches
	K         int           `json:"k,omitempty"`          // how many keywords; 0 means query.DefaultK
	Ranges    []string      `json:"ranges,omitempty"`     // ranges of values, as query.ParseRange reads them
	Every     string        `json:"every,omitempty"`      // the width of buckets: a number, or of times a duration such as 24h: pinion.Facet
	Stats     []Stat        `json:"stats,omitempty"`      // figures of the matches of each keyword, range or bucket
	Facets    []FacetWithin `json:"facets,omitempty"`     // what the matches of each are counted by
	IgnoreOwn bool          `json:"ignore_own,omitempty"` // what Filter says of the field alone does not restrict the counts: pinion.Facet
}

// FacetWithin is a Facet within the keywords, ranges or buckets of another.
type FacetWithin struct {
	Field  string   `json:"field"`            // its name
	K      int      `json:"k,omitempty"`      // as in a Facet
	Ranges []string `json:"ranges,omitempty"` // likewise
	Every  string   `json:"every,omitempty"`  // likewise
	Stats  []Stat   `json:"stats,omitempty"`  // likewise
}

// Stat asks for figures of the values in a field that has a column: pinion.Stat.
type Stat struct {
	Field       string    `json:"field"`                 // its name
	Percentiles []float64 `json:"percentiles,omitempty"` // those that are wanted of numbers, from 0 to 100
	Distinct    bool      `json:"distinct,omitempty"`    // also counts distinct values
}

// Static adds a boost times what a column of numbers or times says to scores, or multiplies them by it: pinion.Static. At most one of Saturation, Logarithm and Decay is there.
type Static struct {
	Field      string  `json:"field"`                // its name
	Boost      float64 `json:"weight,omitempty"`     // above 0; 0 means 1
	Saturation float64 `json:"saturation,omitempty"` // above 0: value/(value+saturation) counts in place of the value
	Logarithm  float64 `json:"logarithm,omitempty"`  // above 0: ln(1+value/logarithm) does
	Decay      string  `json:"decay,omitempty"`      // decay/(decay+distance from From) does: a number, or of times a duration such as 168h
	From       string  `json:"from,omitempty"`       // of Decay: a number, or a time in RFC 3339 or a date
	Multiply   bool    `json:"multiply,omitempty"`   // multiplies scores by 1 plus what would be added
}

// Passages ask for a passage of each hit, with the words of the query marked.
type Passages struct {
	Field  string `json:"field,omitempty"`  // of text; by default, of all that the query searches, the one that matches best
	Length int    `json:"length,omitempty"` // the greatest number of characters; 0 means search.DefaultLength
}

// Response is the answer to a Request.
type Response struct {
	Hits    []Hit         `json:"hits"`              // the best first
	Total   *uint64       `json:"total,omitempty"`   // documents that match; asked for by Request.Total or Facets
	Facets  []FacetCounts `json:"facets,omitempty"`  // one for each of Request.Facets
	Next    string        `json:"next,omitempty"`    // Request.After of the next page; there is none without it
	Partial bool          `json:"partial,omitempty"` // some shards are missing
	// Approximate says that nearer documents may be missing, since a Nearest has a Probe or its field is of int8.
	Approximate bool      `json:"approximate,omitempty"`
	Limited     []Limited `json:"limited,omitempty"` // parts of the query that stand for more terms than may score each
	Words       []string  `json:"words,omitempty"`   // parts of the query that could not be read otherwise and are words: query.Typed
}

// Limited is a part of a query that stands for more than 1,024 terms.
type Limited struct {
	Name     string `json:"name"`               // such as prefix "str"
	Constant bool   `json:"constant,omitempty"` // it scores alike for all of its terms; otherwise only the 1,024 closest count
}

// Hit is one document of a Response.
type Hit struct {
	ID       Text             `json:"id"`
	Doc      uint32           `json:"doc"`                // docID, which a merge of segments changes
	Score    float32          `json:"score"`              // 0 if hits are sorted
	Sort     []any            `json:"sort,omitempty"`     // the values it is sorted by, its score for _score, null where it has none
	Values   map[string][]any `json:"values,omitempty"`   // by the field's name; without a schema that is ""
	Passage  *Passage         `json:"passage,omitempty"`  // asked for by Request.Passages
	Nearest  []NearestVector  `json:"nearest,omitempty"`  // asked for by Request.NearestVectors: one for each nearest and similarity, but of rescore, in whose field the document has vectors
	Lists    []ListHit        `json:"lists,omitempty"`    // what each list of Request.Fuse has of it
	Rescored float32          `json:"rescored,omitempty"` // what Request.Rescore scores, before its weight
	Group    *GroupHits       `json:"group,omitempty"`    // asked for by Request.Group
}

// Passage is a part of a text.
type Passage struct {
	Text   Text     `json:"text"`
	Spans  [][2]int `json:"spans"`            // words of the query: from which byte of Text, up to but not including which
	Before bool     `json:"before,omitempty"` // the text goes on before it
	Behind bool     `json:"behind,omitempty"` // the text goes on behind it
}

// FacetCounts are the counts of a Facet.
type FacetCounts struct {
	Field   string       `json:"field"`
	Counts  []FacetCount `json:"counts"`          // the most frequent keywords, the buckets in ascending order, or the ranges as they were given
	Missing uint64       `json:"missing"`         // matches without a value
	Stats   []Stats      `json:"stats,omitempty"` // of a Facet without a field
}

// FacetCount is how many matches have a value, one in a range, or one in the bucket that begins at a value.
type FacetCount struct {
	Value  any           `json:"value,omitempty"`
	Range  string        `json:"range,omitempty"`
	Count  uint64        `json:"count"`
	Stats  []Stats       `json:"stats,omitempty"`  // one for each of Facet.Stats
	Facets []FacetCounts `json:"facets,omitempty"` // one for each of Facet.Facets
}

// Stats are figures of the values that matches have in a field, of which each counts: pinion.Stats.
type Stats struct {
	Field       string    `json:"field"`
	Count       uint64    `json:"count"`                 // values
	Min         any       `json:"min,omitempty"`         // the least number or time
	Max         any       `json:"max,omitempty"`         // the greatest
	Sum         *float64  `json:"sum,omitempty"`         // of numbers, and of times in seconds since 1970
	Mean        *float64  `json:"mean,omitempty"`        // likewise
	Percentiles []float64 `json:"percentiles,omitempty"` // those of Stat.Percentiles
	Error       float64   `json:"error,omitempty"`       // how far percentiles may be off, relative to what they are
	Distinct    *uint64   `json:"distinct,omitempty"`    // asked for by Stat.Distinct
}

// CountRequest asks how many documents match. Its parts are as in a Request.
type CountRequest struct {
	Query    string   `json:"q,omitempty"`
	Text     string   `json:"text,omitempty"`
	Filter   string   `json:"filter,omitempty"`
	Like     *Like    `json:"like,omitempty"`
	Vector   *Vector  `json:"vector,omitempty"`
	Nearest  *Nearest `json:"nearest,omitempty"`
	Fuse     *Fuse    `json:"fuse,omitempty"`
	Typos    bool     `json:"typos,omitempty"`
	Strict   bool     `json:"strict,omitempty"`
	Synonyms string   `json:"synonyms,omitempty"`
	Partial  bool     `json:"partial,omitempty"`
}

// CountResponse is the answer to a CountRequest.
type CountResponse struct {
	Count   uint64 `json:"count"`
	Partial bool   `json:"partial,omitempty"`
}

// SuggestRequest asks for words of a field: those that begin with Prefix, which is folded as the field's words are, or those that
// complete Text, as pinion.Complete says.
type SuggestRequest struct {
	Field   string `json:"field,omitempty"`  // its name; "" if the index has no schema
	Prefix  string `json:"prefix,omitempty"` // the beginning of a word
	Text    string `json:"text,omitempty"`   // in place of it, what has been typed: its last word is completed, and words before it restrict the documents that count
	Filter  string `json:"filter,omitempty"` // with Text: restricts them, too, in the language of query.ParseFilter
	By      string `json:"by,omitempty"`     // with Text: a column of numbers or times, the greatest of which come first
	Exact   bool   `json:"exact,omitempty"`  // with Text: no words with a slip in what has been typed
	K       int    `json:"k,omitempty"`      // how many words; 0 means query.DefaultK
	Partial bool   `json:"partial,omitempty"`
}

// SuggestResponse is the answer to a SuggestRequest.
type SuggestResponse struct {
	Terms   []Suggestion `json:"terms"` // those with a slip last; the greatest values of By first, then the most frequent, equally frequent ones by their bytes
	Partial bool         `json:"partial,omitempty"`
}

// Suggestion is a term of a field, and how many documents have it.
type Suggestion struct {
	Term  Text   `json:"term"`
	DF    uint64 `json:"df"`
	Text  Text   `json:"text,omitempty"`  // SuggestRequest.Text with the term
	Value any    `json:"value,omitempty"` // the greatest of SuggestRequest.By
	Slip  bool   `json:"slip,omitempty"`  // the term does not begin as was typed, but as one edit makes of it
}

// Summary says what is served.
type Summary struct {
	Documents uint64         `json:"documents"`         // that are not deleted
	Segments  int            `json:"segments"`          // of all shards
	Commit    uint64         `json:"commit"`            // its number
	Shards    int            `json:"shards,omitempty"`  // 0 if it is one index
	Devices   []string       `json:"devices,omitempty"` // names of the GPUs that searches of shards are answered on
	Answers   string         `json:"answers,omitempty"` // which processors answer, or why the CPU does alone, where a server says it
	Schema    *schema.Schema `json:"schema"`            // an index without one has a field of text named ""
}
