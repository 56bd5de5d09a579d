package serve

import (
	"math"
	"net/http"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// docs is a page of documents.
type docs struct {
	From, End uint32
	Docs      []docRow
	Stored    bool
	Damage    string
}

type docRow struct {
	Doc     uint32
	ID      string
	Len     uint32
	Deleted bool
	Text    string // its beginning
	Link    string
}

func (s *shown) docs(r *http.Request) (any, error) {
	from, err := number(r, "from", 0, math.MaxUint32)
	if err != nil {
		return nil, err
	}
	d := &docs{From: uint32(from), End: s.main.end()}
	for doc := d.From; doc < d.End && len(d.Docs) < rows; doc++ {
		g, local, ok := s.main.find(doc)
		if !ok {
			continue // of a segment that does not open
		}
		row, err := g.row(doc, local)
		if err != nil {
			d.Damage = err.Error()
			break
		}
		d.Stored = d.Stored || g.Meta().Stored
		d.Docs = append(d.Docs, row)
	}
	return d, nil
}

// snippet is the number of characters of a document that tables show.
const snippet = 120

func (g *seg) row(doc, local uint32) (docRow, error) {
	row, text, err := g.rowText(doc, local)
	row.Text = cli.Snippet(text[:min(len(text), 8*snippet)], snippet)
	return row, err
}

// rowText returns a row without its text, and all of the text.
func (g *seg) rowText(doc, local uint32) (row docRow, text []byte, err error) {
	id, err := g.Documents().AppendID(nil, local)
	if err != nil {
		return row, nil, err
	}
	if row, err = g.rowOf(doc, local, id); err != nil || !g.Meta().Stored && g.Meta().Fields == 0 {
		return row, nil, err
	}
	if text, err = g.Documents().AppendStored(nil, local); err == nil {
		text, err = inspect.Text(g.Segment, g.manifest, local, text)
	}
	return row, text, err
}

// rowOf returns the row of the document with an id, without its text.
func (g *seg) rowOf(doc, local uint32, id []byte) (row docRow, err error) {
	row = docRow{Doc: doc, ID: string(id), Deleted: g.deletes.Has(local), Link: link("doc", "doc", doc)}
	row.Len, err = g.Documents().Length(local)
	return row, err
}

func (d *docs) links() (prev, next string) {
	if d.From > 0 {
		prev = link("docs", "from", d.From-min(d.From, rows))
	}
	if n := len(d.Docs); n > 0 && d.Docs[n-1].Doc+1 < d.End {
		next = link("docs", "from", d.Docs[n-1].Doc+1)
	}
	return prev, next
}

// doc is one document.
type doc struct {
	docRow
	File       string
	Local, end uint32
	Stored     bool
	Full       []piece    // with the words of the query that led here
	Fields     []fieldRow // instead, of an index with a schema
	More       int        // bytes that are not shown
}

// maxText is how many bytes of a document are shown.
const maxText = 256 << 10

func (s *shown) doc(r *http.Request) (any, error) {
	n, err := number(r, "doc", 0, math.MaxUint32)
	if err != nil {
		return nil, err
	}
	at := uint32(n)
	if id := r.URL.Query().Get("id"); id != "" {
		if at, err = s.main.findID(id); err != nil {
			return nil, err
		}
	}
	g, local, ok := s.main.find(at)
	if !ok {
		return nil, notFound("no document %d", at)
	}
	d := &doc{File: g.file, Local: local, end: s.main.end(), Stored: g.Meta().Stored}
	id, err := g.Documents().AppendID(nil, local)
	if err != nil {
		return nil, err
	}
	if d.docRow, err = g.rowOf(at, local, id); err != nil {
		return nil, err
	}
	return d, d.text(s.main, g, r.URL.Query().Get("q"))
}

// text adds what is stored, with the words of a query.
func (d *doc) text(x *source, g *seg, q string) (err error) {
	if g.Meta().Fields > 0 {
		d.Fields, d.More, err = x.fieldsOf(g, d.Local, q)
		return err
	}
	if !d.Stored {
		return nil
	}
	text, err := g.Documents().AppendStored(nil, d.Local)
	if err != nil {
		return err
	}
	d.More = max(len(text)-maxText, 0)
	d.Full, err = x.whole(text[:len(text)-d.More], "", q)
	return err
}

func (d *doc) links() (prev, next string) {
	if d.Doc > 0 {
		prev = link("doc", "doc", d.Doc-1)
	}
	if d.Doc+1 < d.end {
		next = link("doc", "doc", d.Doc+1)
	}
	return prev, next
}
