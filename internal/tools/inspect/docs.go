package inspect

import (
	"fmt"
	"io"

	"github.com/pinion-index/pinion/internal/cli"
)

// Docs is what `idxinspect docs` prints for documents that are named. It prints others as
// it reads them, in the same form.
type Docs struct {
	Docs  []Document `json:"docs"`
	Total uint64     `json:"total"`
}

// Document is one document.
type Document struct {
	Doc     uint32   `json:"doc"`
	ID      cli.Text `json:"id"`
	Length  uint32   `json:"length"`
	Deleted bool     `json:"deleted"`
	Segment string   `json:"segment"`
	Text    string   `json:"text,omitempty"`
}

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
	if len(text) > 0 {
		io.WriteString(w, "\n")
		w.Write(text)
		io.WriteString(w, "\n")
	}
}
