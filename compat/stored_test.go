package compat

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/golang/snappy"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/writer"
)

// texts reads STORED and STOREDINDEX (4.8).
func (p *parsed) texts(stored, index []byte) {
	blocks := len(index)/16 - 1
	dicts := make([][]byte, blocks)
	for i := range blocks {
		e := index[16*i:]
		b := stored[u64(e, 8):u64(e, 24)]
		form, back := u32(e, 4)&0xff, int(u32(e, 4)>>8)
		need(form <= 3 && (form == 2) == (back > 0) && back <= i, "form of block %d", i)
		c := &cursor{b}
		switch form {
		case 0:
			b, err := snappy.Decode(nil, b)
			need(err == nil, "block of texts: %v", err)
			c.b = b
		case 3:
			dicts[i] = append([]byte{}, c.str()...)
			need(len(dicts[i]) <= 61440, "length of a dictionary")
		case 2:
			need(dicts[i-back] != nil, "dictionary of block %d", i)
		}
		if form >= 2 {
			c.b = plainTexts(c, int(u32(e, 16)-u32(e, 0)), dicts[i-back])
		}
		for d := u32(e, 0); d < u32(e, 16); d++ {
			p.docs[d].text = c.str()
		}
		need(len(c.b) == 0, "bytes behind texts")
	}
	need(u32(index, 16*blocks) == p.n && u64(index, 16*blocks+8) == uint64(len(stored)), "end of STOREDINDEX")
}

// plainTexts returns a block of chunks as one of form 1.
func plainTexts(c *cursor, docs int, dict []byte) (out []byte) {
	var lens, sizes []int
	total := 0
	for range docs {
		lens = append(lens, int(c.varint()))
		total += lens[len(lens)-1]
	}
	for at := 0; at < total; at += 2048 {
		sizes = append(sizes, int(c.varint()))
	}
	var text []byte
	for i, n := range sizes {
		piece := min(2048, total-2048*i)
		need(n > 0 && n <= piece && n <= len(c.b), "size of a chunk")
		chunk := c.b[:n]
		c.b = c.b[n:]
		if n < piece {
			chunk = elements(chunk, dict)
		}
		need(len(chunk) == piece, "length of a piece")
		text = append(text, chunk...)
	}
	need(len(c.b) == 0, "bytes behind chunks")
	for _, n := range lens {
		out = append(binary.AppendUvarint(out, uint64(n)), text[:n]...)
		text = text[n:]
	}
	return out
}

// elements inflates elements of snappy behind a dictionary.
func elements(b, dict []byte) []byte {
	out := append([]byte{}, dict...)
	for len(b) > 0 {
		tag := int(b[0])
		b = b[1:]
		n, off := tag>>2+1, 0
		switch tag & 3 {
		case 0:
			if extra := n - 60; extra > 0 {
				need(extra <= 2, "long literal")
				n = int(b[0]) + 1
				if extra == 2 {
					n += int(b[1]) << 8
				}
				b = b[extra:]
			}
			out = append(out, b[:n]...)
			b = b[n:]
			continue
		case 1:
			n, off = tag>>2&7+4, tag>>5<<8+int(b[0])
			b = b[1:]
		case 2:
			off = int(b[0]) + int(b[1])<<8
			b = b[2:]
		case 3:
			need(false, "offset of 4 bytes")
		}
		from := len(out) - off
		need(off > 0 && from >= 0 && (from >= len(dict) || from+n <= len(dict)), "copy")
		for i := range n {
			out = append(out, out[from+i])
		}
	}
	return out[len(dict):]
}

// TestStored: the reader of this package finds texts in blocks of chunks, before and after a
// merge.
func TestStored(t *testing.T) {
	var want []document
	z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx := context.Background()
	o := writer.Options{Schema: schema.Implicit("whitespace", "", true)}
	w, err := writer.Open(ctx, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		d := document{id: fmt.Sprint(len(want)), text: lines.Text()}
		want = append(want, d)
		if err := w.Add(ctx, writer.Text([]byte(d.id), []byte(d.text))); err != nil {
			t.Fatal(err)
		}
		if len(want)%20_000 == 0 {
			if err := w.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, segments := range []int{2, 1} {
		if segments == 1 {
			if _, err := w.Merge(ctx, writer.MergeOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		got, err := readIndex(dir)
		if err != nil {
			t.Fatal(err)
		}
		var docs []document
		for _, s := range got.segments {
			docs = append(docs, s.docs...)
		}
		if len(docs) != len(want) || len(got.segments) != segments {
			t.Fatalf("%d documents in %d segments", len(docs), len(got.segments))
		}
		for i, d := range docs {
			if d.text != want[i].text {
				t.Fatalf("document %d of %d segments: %q, want %q", i, segments, d.text, want[i].text)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
