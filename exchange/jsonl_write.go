package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/internal/trusted"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// ErrNotStored is matched by the error of ExportJSONL for an index that does not have the
// text of all documents.
var ErrNotStored = errors.New("the index does not store the text of its documents")

// ExportJSONL writes the documents of a snapshot, but for deleted ones, in docID order:
// one JSON object a line with "id" and "contents", the stored text. JSON holds nothing
// but valid UTF-8: other bytes of a text become U+FFFD, and replaced is the number of
// texts that had some; such an id is an error. Otherwise errors are those of reading,
// writing and ctx; a nil ctx is context.Background.
func ExportJSONL(ctx context.Context, w io.Writer, s *reader.Snapshot) (replaced int, err error) {
	switch {
	case s == nil:
		return 0, fmt.Errorf("%w: no snapshot", ErrInvalid)
	case w == nil:
		return 0, errNoWriter
	case ctx == nil:
		ctx = context.Background()
	}
	release, err := s.Acquire()
	if err != nil {
		return 0, err
	}
	defer release()
	defer store.CatchFault(store.ArmFault(), &err)
	for _, g := range s.Segments() {
		if !g.Meta().Stored && g.Docs() > 0 {
			return 0, fmt.Errorf("%s: %w", g.Name(), ErrNotStored)
		}
	}
	b := bufio.NewWriterSize(w, 1<<16)
	for _, g := range s.Segments() {
		n, err := exportSegment(ctx, b, g)
		replaced += n
		if err != nil {
			return replaced, err
		}
	}
	return replaced, b.Flush()
}

// exportSegment writes the documents of one segment.
func exportSegment(ctx context.Context, w *bufio.Writer, g *reader.Segment) (replaced int, err error) {
	deletes, err := g.Deletes()
	if err != nil {
		return 0, err
	}
	texts, err := g.Views(trusted.Caller{}).Texts()
	if err != nil {
		return 0, err
	}
	var line []byte
	err = g.Views(trusted.Caller{}).EachID(func(doc uint32, id []byte) error {
		if deletes.Has(doc) {
			return nil
		}
		if !utf8.Valid(id) {
			return fmt.Errorf("%s: document %d: the id %q is not valid UTF-8, and JSON cannot hold it", g.Name(), doc, id)
		}
		text, err := texts.At(doc)
		if err == nil && doc%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if !utf8.Valid(text) {
			replaced++
		}
		// AppendQuote replaces what is not valid and returns an error about it.
		line, _ = jsontext.AppendQuote(append(line[:0], `{"id":`...), id)
		line, _ = jsontext.AppendQuote(append(line, `,"contents":`...), text)
		_, err = w.Write(append(line, '}', '\n'))
		return err
	})
	return replaced, err
}
