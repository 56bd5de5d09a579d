package exchange

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/pinion-index/pinion/testdata"
)

func TestBundledCollection(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		t.Fatal(err)
	}
	docs, errs := readAll(NewJSONL("kjv", z))
	if len(docs) != testdata.KJVDocs || len(errs) != 0 {
		t.Fatalf("%d documents, errors %q", len(docs), errs)
	}
	if got, want := docs[31101], (doc{"Rev22:21", "The grace of our Lord Jesus Christ be with you all. Amen."}); got != want {
		t.Errorf("last document %q", got)
	}
}
