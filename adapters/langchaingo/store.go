// Package forlangchain is a vector store of LangChain Go on package pinion: an index in a directory, searched exactly under filters on metadata,
// by vectors or by words and vectors, without a server.
package forlangchain

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/embeddings"
	langchain "github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Names of the fields that each index has. Metadata of these names is kept, but cannot be filtered by.
const (
	FieldText      = "text"      // PageContent
	FieldNameSpace = "namespace" // of vectorstores.WithNameSpace
	FieldMetadata  = "metadata"  // all metadata, as JSON
	FieldVector    = "embedding"
)

// Options configure a Store.
type Options struct {
	// Embedder makes vectors of documents and queries. It is needed.
	Embedder embeddings.Embedder
	// Model is its name. An index refuses vectors of another.
	Model string
	// Dims is how many dimensions its vectors have. 0 means that Open asks it, by a text.
	Dims int
	// Similarity is how vectors are compared: by default by cosine.
	Similarity schema.Similarity
	// Fields are metadata that can be filtered by, by their names: of kind keyword, integer, float or time, with a Column. Others are
	// kept too.
	Fields []schema.Field
	// NameSpace is that of calls without vectorstores.WithNameSpace. A call sees the documents of its own namespace alone.
	NameSpace string
	// Hybrid says that searches are by words beside vectors, whose ranks are fused (pinion.Fuse). Scores are those of ranks then, and
	// there is no threshold.
	Hybrid bool
	// ID returns the id of a document, of which one with the same id, of whatever namespace, is replaced. Nil means ids drawn at random.
	ID func(langchain.Document) string
	// Cache keeps vectors over restarts, such as an embedding.Cache. Model must be there then.
	Cache pinion.EmbedCache
	// Index are options of the index. Their Schema and Embed must be nil.
	Index pinion.Options
}

// Store is a vectorstores.VectorStore. It is safe for concurrent use.
type Store struct {
	o     Options
	index *pinion.Index
}

var _ vectorstores.VectorStore = (*Store)(nil)

// ErrOption is matched by the errors for options of a call that cannot be used. They match pinion.ErrInvalid too.
var ErrOption = fmt.Errorf("%w: option", pinion.ErrInvalid)

// Open opens the store in a directory, and makes it if need be. The caller closes it. The error matches pinion.ErrInvalid for wrong options,
// and for those that do not fit the index that is there.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	if o.Embedder == nil || o.Index.Schema != nil || o.Index.Embed != nil {
		return nil, fmt.Errorf("%w: a store needs an Embedder, and has a schema and Embed of its own", pinion.ErrInvalid)
	}
	if o.Dims == 0 {
		v, err := o.Embedder.EmbedQuery(ctx, "dimensions")
		if err != nil {
			return nil, fmt.Errorf("asking the embedder for its dimensions: %w", err)
		}
		o.Dims = len(v)
	}
	o.Index.Schema = &schema.Schema{Fields: append([]schema.Field{
		{Name: FieldText, Kind: schema.Text, Stored: true},
		{Name: FieldNameSpace, Kind: schema.Keyword, Column: true},
		{Name: FieldMetadata, Kind: schema.Text, Index: schema.IndexNone, Stored: true},
		{Name: FieldVector, Kind: schema.Vector, Dims: o.Dims, Similarity: o.Similarity, Model: o.Model},
	}, o.Fields...)}
	o.Index.Embed = []pinion.Embed{{Field: FieldVector, From: []string{FieldText}, Texts: o.Embedder.EmbedDocuments, Queries: each(o.Embedder.EmbedQuery), Cache: o.Cache}}
	index, err := pinion.Open(ctx, dir, o.Index)
	if err != nil {
		return nil, err
	}
	return &Store{o, index}, nil
}

// each returns a function that calls f for each text.
func each(f func(context.Context, string) ([]float32, error)) func(context.Context, []string) ([][]float32, error) {
	return func(ctx context.Context, texts []string) (all [][]float32, err error) {
		for _, t := range texts {
			v, err := f(ctx, t)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

// Close makes all durable and closes the index.
func (s *Store) Close() error { return s.index.Close() }

// Index returns the index, to be searched in other ways, and backed up. It is closed with s.
func (s *Store) Index() *pinion.Index { return s.index }

// options returns those of a call, with the defaults of s.
func (s *Store) options(all []vectorstores.Option) (o vectorstores.Options) {
	for _, set := range all {
		set(&o)
	}
	o.NameSpace = cmp.Or(o.NameSpace, s.o.NameSpace)
	return o
}

// AddDocuments adds documents, as one change, and returns their ids, of those that the option WithDeduplicater leaves. It takes the options
// WithNameSpace and WithEmbedder too. A document without text but white space is not found
// by searches. Metadata must be JSON, and what it has of Options.Fields must fit the kinds.
func (s *Store) AddDocuments(ctx context.Context, docs []langchain.Document, options ...vectorstores.Option) ([]string, error) {
	o := s.options(options)
	if o.ScoreThreshold != 0 || o.Filters != nil {
		return nil, fmt.Errorf("%w: documents are added without score threshold and filters", ErrOption)
	}
	ids, added, texts := []string{}, []pinion.Doc(nil), []string(nil)
	for _, d := range docs {
		if o.Deduplicater != nil && o.Deduplicater(ctx, d) {
			continue
		}
		id := ""
		if s.o.ID != nil {
			id = s.o.ID(d)
		} else {
			id = rand.Text()
		}
		fields, err := s.fields(d, o.NameSpace)
		if err != nil {
			return nil, fmt.Errorf("document %.80q: %w", id, err)
		}
		ids, added, texts = append(ids, id), append(added, pinion.Doc{ID: id, Fields: fields}), append(texts, d.PageContent)
	}
	if o.Embedder != nil && len(added) > 0 {
		vectors, err := o.Embedder.EmbedDocuments(ctx, texts)
		if err == nil && len(vectors) != len(texts) {
			err = fmt.Errorf("%d vectors of %d texts", len(vectors), len(texts))
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", pinion.ErrEmbed, err)
		}
		for i := range added {
			added[i].Fields[FieldVector] = vectors[i]
		}
	}
	if err := s.index.Add(ctx, added...); err != nil {
		return nil, err
	}
	return ids, nil
}

// fields returns what a document has in the fields of the index.
func (s *Store) fields(d langchain.Document, space string) (map[string]any, error) {
	fields := map[string]any{FieldText: d.PageContent, FieldNameSpace: space}
	for _, f := range s.o.Fields {
		if x, ok := d.Metadata[f.Name]; ok {
			fields[f.Name] = x
		}
	}
	if len(d.Metadata) == 0 {
		return fields, nil
	}
	b, err := json.Marshal(d.Metadata)
	if err != nil {
		return nil, fmt.Errorf("%w: metadata: %w", pinion.ErrInvalid, err)
	}
	fields[FieldMetadata] = string(b)
	return fields, nil
}

// SimilaritySearch returns the documents that are nearest to a text, the nearest first, of those that pass the filters: so many, if so many
// pass. Scores are cosines; by l2 and dot those of docs/vectors.md. It takes the options WithNameSpace, WithFilters, WithScoreThreshold, from
// 0, which is none, and by cosine to 1, and WithEmbedder. Metadata is what JSON makes of it: all numbers are float64.
func (s *Store) SimilaritySearch(ctx context.Context, text string, numDocuments int, options ...vectorstores.Option) ([]langchain.Document, error) {
	o := s.options(options)
	cosine := s.o.Similarity == schema.SimilarityCosine
	switch {
	case numDocuments < 1 || numDocuments > pinion.MaxRanked:
		return nil, fmt.Errorf("%w: %d documents, not from 1 to %d", ErrOption, numDocuments, pinion.MaxRanked)
	case strings.TrimSpace(text) == "":
		return nil, fmt.Errorf("%w: nothing is searched for", ErrOption)
	case !(o.ScoreThreshold >= 0) || cosine && o.ScoreThreshold > 1:
		return nil, fmt.Errorf("%w: a score threshold of %v, not from 0 to 1", ErrOption, o.ScoreThreshold)
	case o.ScoreThreshold > 0 && s.o.Hybrid:
		return nil, fmt.Errorf("%w: a score threshold of %v, of scores by ranks", ErrOption, o.ScoreThreshold)
	case o.Deduplicater != nil:
		return nil, fmt.Errorf("%w: searches have no deduplicater", ErrOption)
	}
	near := query.Nearest{Field: FieldVector, Text: text, K: numDocuments}
	if o.Embedder != nil {
		v, err := o.Embedder.EmbedQuery(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", pinion.ErrEmbed, err)
		}
		near.Vector = v
	}
	r := pinion.Request{Query: near, Limit: numDocuments, Fields: []string{FieldText, FieldMetadata}}
	if s.o.Hybrid {
		k := max(numDocuments, pinion.DefaultRanked)
		near.K = k
		r.Query, r.Fuse = nil, &pinion.Fuse{Lists: []pinion.FuseList{{Query: query.Match{Field: FieldText, Text: text}, K: k}, {Query: near, K: k}}}
	}
	var err error
	if r.Filter, err = s.within(o); err != nil {
		return nil, err
	}
	page, err := s.index.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	docs := []langchain.Document{}
	for i := range page.Hits {
		h := &page.Hits[i]
		d := langchain.Document{Score: h.Score}
		if cosine && !s.o.Hybrid {
			d.Score = 2*h.Score - 1
		}
		if d.Score < o.ScoreThreshold && o.ScoreThreshold > 0 {
			break
		}
		d.PageContent, _ = h.Value(FieldText).(string)
		d.Metadata = map[string]any{}
		if m, ok := h.Value(FieldMetadata).(string); ok {
			if err := json.Unmarshal([]byte(m), &d.Metadata); err != nil {
				return nil, fmt.Errorf("document %.80q: metadata: %w", h.ID, err)
			}
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// within returns the filter of a call: its namespace, and what its filters say.
func (s *Store) within(o vectorstores.Options) (query.Node, error) {
	n, err := s.filter(o.Filters)
	if err != nil {
		return nil, err
	}
	all := query.And{query.Equal(FieldNameSpace, o.NameSpace)}
	if n != nil {
		all = append(all, n)
	}
	return all, nil
}

// Delete deletes the documents with these ids, of whatever namespace. It is no error if there are none.
func (s *Store) Delete(ctx context.Context, ids ...string) error { return s.index.Delete(ctx, ids...) }

// DeleteWhere deletes the documents of a namespace that pass the filters, all of it without filters, and returns how many. It takes the
// options WithNameSpace and WithFilters.
func (s *Store) DeleteWhere(ctx context.Context, options ...vectorstores.Option) (uint64, error) {
	o := s.options(options)
	if o.ScoreThreshold != 0 || o.Embedder != nil || o.Deduplicater != nil {
		return 0, fmt.Errorf("%w: deletes are by namespace and filters alone", ErrOption)
	}
	n, err := s.within(o)
	if err != nil {
		return 0, err
	}
	return s.index.DeleteWhere(ctx, n)
}
