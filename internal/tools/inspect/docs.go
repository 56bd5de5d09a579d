package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/segment/vectors"
	"github.com/pinion-index/pinion/schema"
)

// Docs is what `idxinspect docs` prints for documents that are named. It prints others as
// it reads them, in the same form.
type Docs struct {
	Docs  []Document `json:"docs"`
	Total uint64     `json:"total"`
}

// Document is one document.
type Document struct {
	Doc     uint32       `json:"doc"`
	ID      cli.Text     `json:"id"`
	Length  uint32       `json:"length"`
	Deleted bool         `json:"deleted"`
	Segment string       `json:"segment"`
	Text    string       `json:"text,omitempty"`
	Vectors []DocVectors `json:"vectors,omitempty"`
}

// DocVectors are the vectors of a document in a field.
type DocVectors struct {
	Field string      `json:"field"`
	Count int         `json:"count"`
	Dims  int         `json:"dims"`
	First [][]float32 `json:"first"`           // the first values of the first vectors
	Codes bool        `json:"codes,omitempty"` // these are what codes stand for, which are all that is kept
}

// How much DocVectors shows of vectors.
const (
	shownVectors = 3
	shownValues  = 4
)

// Named returns the documents with these ids, with their texts.
func Named(x *Index, ids []string) (*Docs, error) {
	d := &Docs{Docs: []Document{}, Total: x.Docs()}
	for _, id := range ids {
		g, local, err := x.FindID(id)
		if err != nil {
			return nil, err
		}
		doc, err := g.Doc(local)
		if err != nil {
			return nil, err
		}
		text, err := g.Text(local)
		if err != nil {
			return nil, err
		}
		doc.Text = string(text)
		if doc.Vectors, err = g.Vectors(local); err != nil {
			return nil, err
		}
		d.Docs = append(d.Docs, doc)
	}
	return d, nil
}

// Doc returns a document without its text.
func (g *Segment) Doc(local uint32) (Document, error) {
	id, err := g.Documents().AppendID(nil, local)
	if err != nil {
		return Document{}, err
	}
	n, err := g.Documents().Length(local)
	return Document{Doc: g.Base + local, ID: cli.Text(id), Length: n, Deleted: g.Deleted(local), Segment: g.File}, err
}

// Vectors returns what shows the vectors of a document, field after field.
func (g *Segment) Vectors(local uint32) (all []DocVectors, err error) {
	for i := range g.Fields() {
		x, err := vectors.Open(g.Segment, i)
		if err != nil || x == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		from, to := x.Of(local), x.Of(local+1)
		if from == to {
			continue
		}
		own := DocVectors{Field: g.Fields()[i].Name, Count: to - from, Dims: x.Info.Dims, Codes: x.Info.Values == schema.Int8}
		if f, ok := fieldsOf(g.Segment, g.manifest)(g.Fields()[i].ID); ok {
			own.Field = f.Name
		}
		for i := range min(own.Count, shownVectors) {
			v, err := x.Floats(nil, from+i, 1)
			if err != nil {
				return nil, err
			}
			own.First = append(own.First, slices.Clone(v[:min(len(v), shownValues)]))
		}
		all = append(all, own)
	}
	return all, nil
}

// Text returns what is stored of a document, as Text shows it.
func (g *Segment) Text(local uint32) ([]byte, error) {
	stored, err := g.Documents().AppendStored(nil, local)
	if err != nil {
		return nil, err
	}
	return Text(g.Segment, g.manifest, local, stored)
}

// Text prints d.
func (d *Docs) Text(w io.Writer) {
	w = cli.Visible(w)
	for i := range d.Docs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		d.Docs[i].Write(w, []byte(d.Docs[i].Text))
	}
}

// Write prints a document with its text.
func (d *Document) Write(w io.Writer, text []byte) {
	line := func(name, value string) { fmt.Fprintf(w, "%-7s  %s\n", name, value) }
	line("doc", cli.Count(d.Doc))
	line("id", cli.Quote(d.ID))
	line("length", cli.Count(d.Length)+" tokens")
	line("segment", cli.Printable(d.Segment))
	if d.Deleted {
		line("deleted", "yes")
	}
	for _, v := range d.Vectors {
		text := fmt.Sprintf("%s: %s of %s", cli.Quote(v.Field), cli.Number(v.Count, "vector"), cli.Number(v.Dims, "dimension"))
		if v.Codes {
			text += ", what codes stand for"
		}
		for i, values := range v.First {
			text += []string{": ", ", "}[min(i, 1)] + strings.ReplaceAll(strings.TrimSuffix(fmt.Sprint(values), "]"), " ", ", ")
			if v.Dims > len(values) {
				text += ", ..."
			}
			text += "]"
		}
		if v.Count > len(v.First) {
			text += ", ..."
		}
		line("vectors", text)
	}
	if len(text) > 0 {
		io.WriteString(w, "\n")
		w.Write(text)
		io.WriteString(w, "\n")
	}
}
