package reader_test

import (
	"math/rand/v2"
	"testing"
)

// AppendTexts gives the texts that AppendStored gives, of many segments and in any order.
func TestAppendTexts(t *testing.T) {
	s := open(t, three()...)
	docs := seq(int(s.Stats().Docs))
	for range 2 {
		got, ends, err := s.AppendTexts([]byte("before"), []int{6}, docs)
		if err != nil || len(ends) != 1+len(docs) {
			t.Fatalf("%d ends, %v", len(ends), err)
		}
		// Without a schema there are no records to leave values out of.
		if same, _, err := s.AppendValues([]byte("before"), nil, docs, nil); err != nil || string(same) != string(got) {
			t.Fatalf("AppendValues: %d bytes, %v; want %d", len(same), err, len(got))
		}
		for i, doc := range docs {
			want, err := s.AppendStored(nil, doc)
			if text := got[ends[i]:ends[i+1]]; err != nil || string(text) != string(want) {
				t.Fatalf("document %d: %q, want %q, %v", doc, text, want, err)
			}
		}
		rand.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	}
	got, ends, err := s.AppendTexts([]byte("x"), nil, []uint32{6, 307, 1})
	if err == nil || string(got) != "x" || len(ends) != 0 {
		t.Errorf("a document that is not there: %q, %d, %v", got, ends, err)
	}
}
