package serve

import (
	"errors"
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

// docRow is a document with the beginning of its text.
type docRow struct {
	inspect.Document
	Link string
}

func (s *shown) docs(r *http.Request) (any, error) {
	from, err := number(r, "from", 0, math.MaxUint32)
	if err != nil {
		return nil, err
	}
	d := &docs{From: uint32(from), End: s.main.end()}
	for doc := d.From; doc < d.End && len(d.Docs) < rows; doc++ {
		g, local, ok := s.main.Find(doc)
		if !ok {
			continue // of a segment that does not open
		}
		row, err := rowOf(g, local)
		if err == nil {
			row.Text, err = snippetOf(g, local)
		}
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

func snippetOf(g *inspect.Segment, local uint32) (string, error) {
	text, err := g.Text(local)
	return cli.Snippet(text[:min(len(text), 8*snippet)], snippet), err
}

// rowOf returns the row of a document without its text.
func rowOf(g *inspect.Segment, local uint32) (docRow, error) {
	d, err := g.Doc(local)
	return docRow{d, link("doc", "doc", d.Doc)}, err
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
	g, local, ok := s.main.Find(uint32(n))
	if id := r.URL.Query().Get("id"); id != "" {
		if g, local, err = s.main.FindID(id); errors.Is(err, inspect.ErrNoDocument) {
			return nil, notFound("no document has the id %q", id)
		} else if err != nil {
			return nil, err
		}
	} else if !ok {
		return nil, notFound("no document %d", n)
	}
	d := &doc{Local: local, end: s.main.end(), Stored: g.Meta().Stored}
	if d.docRow, err = rowOf(g, local); err != nil {
		return nil, err
	}
	return d, d.text(s.main, g, r.URL.Query().Get("q"))
}

// text adds what is stored, with the words of a query.
func (d *doc) text(x *source, g *inspect.Segment, q string) (err error) {
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
