package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
)

// WriteCIFF writes in to w as a CIFF file of version 1 that holds the whole
// collection. lists must be the number of lists that in gives, which the header
// needs first. description is free text for people.
func WriteCIFF(w io.Writer, in Inverted, lists int64, description string) error {
	docs := in.Docs()
	if lists > math.MaxInt32 || docs > math.MaxInt32 {
		return errors.New("too many terms or documents for CIFF, whose counts have 31 bits")
	}
	h := CIFFHeader{
		Version: 1, NumLists: int32(lists), NumDocs: int32(docs),
		TotalLists: int32(lists), TotalDocs: int32(docs), Description: description,
	}
	for doc := range docs {
		_, n, err := in.Doc(uint32(doc))
		if err != nil {
			return err
		}
		h.TotalTokens += int64(n)
	}
	if docs > 0 {
		h.AvgLength = float64(h.TotalTokens) / float64(docs)
	}
	bw := bufio.NewWriterSize(w, 256<<10)
	bw.Write(h.append(nil)) // errors of a bufio.Writer stay until Flush
	if err := writeLists(bw, in, lists); err != nil {
		return err
	}
	var buf []byte
	for doc := range docs {
		id, n, err := in.Doc(uint32(doc))
		if err != nil {
			return err
		}
		buf = ciffDoc{doc: uint32(doc), id: id, length: n}.append(buf[:0])
		bw.Write(buf)
	}
	return bw.Flush()
}

func writeLists(w *bufio.Writer, in Inverted, lists int64) error {
	var buf, scratch []byte
	for n := int64(0); ; n++ {
		l, err := in.Next()
		if err == io.EOF {
			if n != lists {
				return fmt.Errorf("CIFF: %d lists announced, %d came", lists, n)
			}
			return nil
		}
		if err != nil {
			return err
		}
		buf = l.append(buf[:0], &scratch)
		if len(scratch) > math.MaxInt32 {
			return fmt.Errorf("CIFF: the list of %q is too long for a protobuf message", l.Term)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
}
