package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/pinion-index/pinion/writer"
)

// WriteCIFF writes in to w as a CIFF file of version 1 that holds the whole
// collection. It iterates over the documents twice and over the lists once. lists
// must be the number of lists, which the header contains. description is free
// text.
func WriteCIFF(w io.Writer, in writer.Inverted, lists int64, description string) error {
	if err := checkInverted(in); err != nil {
		return err
	}
	if w == nil {
		return errNoWriter
	}
	docs, tokens := int64(0), int64(0)
	for d, err := range in.Docs {
		if err != nil {
			return err
		}
		docs++
		tokens += int64(d.Len)
	}
	if lists > math.MaxInt32 || docs > math.MaxInt32 {
		return errors.New("too many terms or documents for CIFF, whose counts have 31 bits")
	}
	h := CIFFHeader{
		Version: 1, NumLists: int32(lists), NumDocs: int32(docs),
		TotalLists: int32(lists), TotalDocs: int32(docs), TotalTokens: tokens, Description: description,
	}
	if docs > 0 {
		h.AvgLength = float64(tokens) / float64(docs)
	}
	bw := bufio.NewWriterSize(w, 256<<10)
	bw.Write(h.append(nil)) // later writes return its error, too
	if err := writeLists(bw, in, lists); err != nil {
		return err
	}
	var buf []byte
	doc := uint32(0)
	for d, err := range in.Docs {
		if err != nil {
			return err
		}
		if !utf8.Valid(d.ID) {
			return fmt.Errorf("document %d: the id %.80q is %w, and CIFF cannot hold it", doc, d.ID, ErrNotUTF8)
		}
		buf = ciffDoc{doc: doc, id: d.ID, length: d.Len}.append(buf[:0])
		if _, err := bw.Write(buf); err != nil {
			return err
		}
		doc++
	}
	return bw.Flush()
}

func writeLists(w *bufio.Writer, in writer.Inverted, lists int64) error {
	var buf, scratch []byte
	n := int64(0)
	for l, err := range in.Lists {
		if err != nil {
			return err
		}
		buf = appendList(buf[:0], &l, &scratch)
		if len(scratch) > math.MaxInt32 {
			return fmt.Errorf("CIFF: the list of %q is too long for a protobuf message", l.Term)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
		n++
	}
	if n != lists {
		return fmt.Errorf("CIFF: %d lists announced, %d came", lists, n)
	}
	return nil
}
