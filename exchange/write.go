package exchange

import (
	"io"

	"github.com/pinion-index/pinion/writer"
)

// ForWriter returns in as Writer.AddInverted takes it. in can be read only once.
func ForWriter(in Inverted) writer.Inverted {
	return writer.Inverted{
		ForeignLengths: true,
		Docs: func(yield func(writer.InvertedDoc, error) bool) {
			for doc := range in.Docs() {
				id, n, err := in.Doc(uint32(doc))
				if !yield(writer.InvertedDoc{ID: id, Len: n}, err) || err != nil {
					return
				}
			}
		},
		Lists: func(yield func(writer.InvertedList, error) bool) {
			for {
				l, err := in.Next()
				if err == io.EOF {
					return
				}
				if !yield(writer.InvertedList{Term: l.Term, Docs: l.Docs, Freqs: l.Freqs}, err) || err != nil {
					return
				}
			}
		},
	}
}
