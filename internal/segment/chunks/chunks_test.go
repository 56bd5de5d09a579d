package chunks

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/golang/snappy"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/fuzzing"
)

// text draws text that repeats itself in parts.
func text(t *rapid.T, label string) []byte {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "to be ", "or not to be, that is the question", "\x00\xff", "xxxxxxxxxxxxxxxxxxxxx",
		"the quick brown fox jumps over the lazy dog, which sleeps in the shade of a tree that is not known by name; "}), 0, 120).Draw(t, label)
	var b []byte
	for _, w := range words {
		b = append(b, w...)
		if rapid.IntRange(0, 9).Draw(t, "noise") == 0 {
			b = append(b, rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")...)
		}
	}
	return b
}

// block compresses documents with a dictionary, and returns the block and where it begins
// behind the dictionary.
func block(e *Encoder, docs [][]byte) (b []byte, ok bool) {
	text, ends := []byte("before"), []int(nil)
	base := len(text)
	for _, d := range docs {
		text = append(text, d...)
		ends = append(ends, len(text))
	}
	return e.AppendBlock(nil, text[base:], ends, base, false)
}

// Documents read in any order are those of the block.
func TestBlock(t *testing.T) {
	var e Encoder
	rapid.Check(t, func(t *rapid.T) {
		dict := text(t, "dictionary")
		e.Reset(dict[:min(len(dict), MaxDictionary)])
		docs := make([][]byte, rapid.IntRange(1, 20).Draw(t, "docs"))
		for i := range docs {
			docs[i] = text(t, "text")
		}
		b, ok := block(&e, docs)
		if !ok {
			t.Fatal("not compressible")
		}
		var x Block
		if err := x.Open(b, uint32(len(docs)), dict); err != nil {
			t.Fatal(err)
		}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(docs)-1), 1, 30).Draw(t, "order") {
			got, err := x.Append([]byte("x"), uint32(i))
			if err != nil || string(got) != "x"+string(docs[i]) {
				t.Fatalf("document %d: %q, %v; want %q", i, got, err, docs[i])
			}
		}
		whole := bytes.Join(docs, nil)
		for range rapid.IntRange(1, 30).Draw(t, "parts") {
			lo := rapid.IntRange(0, len(whole)).Draw(t, "from")
			hi := min(len(whole), lo+rapid.SampledFrom([]int{0, 1, 7, 20, 300, 5000}).Draw(t, "bytes"))
			if got, err := x.AppendRange([]byte("x"), int64(lo), int64(hi)); err != nil || string(got) != "x"+string(whole[lo:hi]) {
				t.Fatalf("bytes %d to %d: %q, %v; want %q", lo, hi, got, err, whole[lo:hi])
			}
			i := rapid.IntRange(0, len(docs)-1).Draw(t, "between")
			if got, err := x.Append(nil, uint32(i)); err != nil || !bytes.Equal(got, docs[i]) {
				t.Fatalf("document %d: %q, %v; want %q", i, got, err, docs[i])
			}
		}
		if _, err := x.AppendRange(nil, 0, int64(len(whole))+1); err == nil {
			t.Fatal("bytes that are not there")
		}
		if err := x.Check(); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Append(nil, uint32(len(docs))); err == nil {
			t.Fatal("a document that is not there")
		}
		if err := x.Open(b[:len(b)-1], uint32(len(docs)), dict); err == nil {
			t.Fatal("a block that lacks its last byte")
		}
	})
}

// Without a dictionary the elements of a chunk are those of snappy.
func TestSnappy(t *testing.T) {
	var e Encoder
	e.Reset(nil)
	rapid.Check(t, func(t *rapid.T) {
		chunk := text(t, "text")
		chunk = chunk[:min(len(chunk), Size)]
		b := e.appendChunk(binary.AppendUvarint(nil, uint64(len(chunk))), chunk)
		if got, err := snappy.Decode(nil, b); err != nil || !bytes.Equal(got, chunk) {
			t.Fatalf("%q, %v", got, err)
		}
		theirs := snappy.Encode(nil, chunk)
		_, n := binary.Uvarint(theirs)
		buf := make([]byte, len(chunk)+slack)
		if d, s := inflate(buf, 0, theirs[n:], 0, nil, len(chunk)); d != len(chunk) || s != len(theirs)-n || !bytes.Equal(buf[:d], chunk) {
			t.Fatalf("of snappy's own: %d bytes, %q", d, buf)
		}
	})
}

// A dictionary of what texts have in common makes them smaller, whatever their order.
func TestDictionary(t *testing.T) {
	var sample []byte
	line := "The following is a sentence that many chunks have, and no other one is like it: "
	for i := range 200_000 {
		if i%1500 == 0 {
			sample = append(sample, line...)
		}
		sample = append(sample, byte(uint32(i)*2654435761>>24))
	}
	dict := Draw(sample)
	if len(dict) == 0 || len(dict) > len(sample)/share || !bytes.Contains(dict, []byte("sentence that many chunks have")) {
		t.Fatalf("dictionary of %d bytes", len(dict))
	}
	var e Encoder
	e.Reset(dict)
	if b := e.appendChunk(nil, []byte(line)); len(b) > len(line)/3 {
		t.Fatalf("%d of %d bytes are left", len(b), len(line))
	}
	if Draw(sample[:piece]) != nil || Draw(nil) != nil {
		t.Fatal("a dictionary of next to nothing")
	}
}

// Text that would inflate to too much is to be stored plain, and Open refuses it.
func TestTooSmall(t *testing.T) {
	var e Encoder
	e.Reset(nil)
	b, ok := block(&e, [][]byte{make([]byte, 1<<20)})
	if ok {
		t.Fatalf("1 MiB in %d bytes", len(b))
	}
	if err := new(Block).Open(b, 1, nil); err == nil {
		t.Fatal("Open takes it")
	}
}

// Whatever the bytes, reading ends with text of the length that the block says, or an error.
func FuzzBlock(x *testing.F) {
	f := fuzzing.New(x)
	var e Encoder
	e.Reset([]byte("dictionary of words"))
	good, _ := block(&e, [][]byte{[]byte("words of a dictionary of words of words"), nil, bytes.Repeat([]byte("ab"), 2000)})
	f.Add(good, uint32(3))
	f.Add([]byte{5, 4, 12, 'a', 'b', 'c', 'd'}, uint32(1))
	f.Fuzz(func(t *testing.T, b []byte, docs uint32) {
		var x Block
		dict := []byte("dictionary of words")
		if x.Open(b, docs, dict) != nil {
			return
		}
		if x.Size() > max(512<<10, 2*int64(len(b))) {
			t.Fatalf("%d bytes inflate to %d", len(b), x.Size())
		}
		whole, failed := []byte(nil), false
		for i := range docs {
			d, err := x.Append(nil, i)
			failed = failed || err != nil
			whole = append(whole, d...)
		}
		parts := []byte(nil)
		for at := int64(0); at < x.Size() && !failed; at += 100 {
			var err error
			if parts, err = x.AppendRange(parts, at, min(at+100, x.Size())); err != nil {
				t.Fatalf("bytes from %d on: %v", at, err)
			}
		}
		if !failed && !bytes.Equal(parts, whole) {
			t.Fatalf("parts %q of %q", parts, whole)
		}
		if failed { // parts fail, or give anything
			for at := x.Size() - 1; at >= 0; at -= 37 {
				parts, _ = x.AppendRange(parts[:0], at, min(at+20, x.Size()))
			}
		}
		err := x.Check()
		if (err == nil) != !failed || !failed && int64(len(whole)) != x.Size() {
			t.Fatalf("documents fail: %t, chunks: %v; %d bytes of %d", failed, err, len(whole), x.Size())
		}
	})
}
