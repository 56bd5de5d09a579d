package build

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
)

// document is what a block holds.
type document struct{ id, contents []byte }

// Blocks come back in their order, whatever order they came in, and one that is missing, there twice or damaged is an error.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var blocks [][]byte
		var want []document
		for input := range rapid.IntRange(1, 3).Draw(t, "inputs") {
			for number := range rapid.IntRange(0, 3).Draw(t, "blocks") {
				var docs []byte
				for range rapid.IntRange(1, 3).Draw(t, "documents") {
					d := document{rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "id"), rapid.SliceOf(rapid.Byte()).Draw(t, "contents")}
					docs, want = appendDocument(docs, d.id, d.contents), append(want, d)
				}
				block, _ := newBlock(place{uint64(input), uint64(number)}, docs, nil)
				blocks = append(blocks, block)
			}
		}
		blocks = rapid.Permutation(blocks).Draw(t, "order")
		read := func() (got []document, err error) {
			s, err := newSpill(filepath.Join(dir, "spill"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			if err := s.fill(all(blocks)); err != nil {
				return nil, err
			}
			err = s.each(func(docs []byte) error {
				for len(docs) > 0 {
					id, text, rest, err := cutDocument(docs)
					if err != nil {
						return err
					}
					got, docs = append(got, document{bytes.Clone(id), bytes.Clone(text)}), rest
				}
				return nil
			})
			return got, err
		}
		got, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, func(a, b document) bool { return bytes.Equal(a.id, b.id) && bytes.Equal(a.contents, b.contents) }) {
			t.Fatalf("%q, not %q", got, want)
		}
		if len(blocks) == 0 {
			return
		}
		i := rapid.IntRange(0, len(blocks)-1).Draw(t, "block")
		blocks = append(blocks, blocks[i])
		if _, err := read(); !errors.Is(err, errMalformed) {
			t.Fatalf("block %d is there twice: %v", i, err)
		}
		blocks[i] = blocks[i][:rapid.IntRange(0, len(blocks[i])-1).Draw(t, "bytes")]
		if _, err := read(); !errors.Is(err, errMalformed) {
			t.Fatalf("block %d is cut: %v", i, err)
		}
	})
}

// all returns the blocks one after the other, as Beam does.
func all(blocks [][]byte) func(*[]byte) bool {
	return func(b *[]byte) bool {
		if len(blocks) == 0 {
			return false
		}
		*b, blocks = blocks[0], blocks[1:]
		return true
	}
}

// Values come back by the schema, and not by another.
func TestValues(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text}, {Name: "b", Kind: schema.Float}, {Name: "c", Kind: schema.Time},
		{Name: "d", Kind: schema.Impacts}, {Name: "e", Kind: schema.Vector, Dims: 3}}}
	want := []schema.Value{schema.TextValue(0, []byte("x")), schema.TextValue(0, ""), schema.FloatValue(1, -1.5), schema.NanosValue(2, -7),
		schema.ImpactsValue(3, []schema.Impact{{Term: "y", Weight: 255}, {Term: "\xffx", Weight: 1}}), schema.ImpactsValue(3, nil), schema.VectorValue(4, []float32{1, -0.5, 7e-9})}
	b := appendRecord(nil, want)
	got, err := values(nil, s, b)
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	for i, v := range got {
		if v.Field != want[i].Field || v.Kind != want[i].Kind || v.String() != want[i].String() {
			t.Errorf("value %d: %v, not %v", i, v, want[i])
		}
	}
	slices.Reverse(s.Fields[:3])
	if _, err := values(nil, s, b); !errors.Is(err, record.ErrMalformed) {
		t.Errorf("fields of other kinds: %v", err)
	}
	cut := record.Append(nil, 3, schema.TextValue(3, []byte{1, 'y'}))
	if _, err := values(nil, s, cut); !errors.Is(err, errMalformed) {
		t.Errorf("a term without a weight: %v", err)
	}
	s.Fields = s.Fields[:1]
	if _, err := values(nil, s, appendRecord(nil, want[2:])); !errors.Is(err, errMalformed) {
		t.Errorf("a field that is not there: %v", err)
	}
}

// Options that make no sense are errors.
func TestInvalid(t *testing.T) {
	in := []string{"a.jsonl"}
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text}}}
	auto, withSchema, postings := Options{}, Options{Stored: true}, Options{}
	auto.Documents.AutoID = true
	withSchema.Documents.Schema = s
	postings.Documents.Format = "ciff"
	for _, c := range []struct {
		url    string
		inputs []string
		o      Options
	}{
		{"file:///x", nil, Options{}},
		{"file:///x", []string{"-"}, Options{}},
		{"file:///x", []string{"s3://a/b.jsonl"}, auto},
		{"mem://", in, Options{}},
		{"file:///x", in, Options{Shards: -1}},
		{"file:///x", in, Options{Shards: MaxShards + 1}},
		{"file:///x", in, Options{Shards: 2, Partitions: MaxPartitions}},
		{"file:///x", in, Options{Partitions: 2, Segments: 3}},
		{"file:///x", in, Options{Memory: 1}},
		{"file:///x", in, Options{Workers: -1}},
		{"file:///x", in, withSchema},
		{"file:///x", in, postings},
	} {
		if _, err := newJob(c.url, c.inputs, c.o); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s, %q, %+v: %v", c.url, c.inputs, c.o, err)
		}
	}
	if _, err := newJob("file:///x", in, Options{Analyzer: "none"}); err == nil {
		t.Error("an unknown analyzer")
	}
}

// Every partition goes into one segment of its shard, in order.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shards, partitions := rapid.IntRange(1, 5).Draw(t, "shards"), rapid.IntRange(1, 20).Draw(t, "partitions")
		j := &job{Options: Options{Shards: shards, Partitions: partitions, Segments: rapid.IntRange(1, partitions).Draw(t, "segments")}}
		last := -1
		for p := range shards * partitions {
			g := j.group(p)
			if g != last && g != last+1 || g/j.Options.Segments != p/partitions {
				t.Fatalf("partition %d is in segment %d, after %d", p, g, last)
			}
			last = g
		}
		if last != shards*j.Options.Segments-1 {
			t.Fatalf("%d segments", last+1)
		}
		if p := j.partition(rapid.SliceOf(rapid.Byte()).Draw(t, "id")); p < 0 || p >= shards*partitions {
			t.Fatalf("partition %d", p)
		}
	})
}
