package main

import (
	"io/fs"
	"syscall/js"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// memory is the files of an index that was fetched whole. It implements store.ReadFS.
type memory struct{ manifest, segment []byte }

// ID implements store.ReadFS.
func (m *memory) ID() any { return m }

// String implements store.ReadFS.
func (m *memory) String() string { return "the index" }

// List implements store.ReadFS.
func (m *memory) List() ([]string, error) {
	return []string{indexdir.ManifestName(answer.Generation), indexdir.SegmentName(answer.File)}, nil
}

// Open implements store.ReadFS.
func (m *memory) Open(name string) (store.Data, error) {
	switch name {
	case indexdir.ManifestName(answer.Generation):
		return content{m.manifest}, nil
	case indexdir.SegmentName(answer.File):
		return content{m.segment}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// content is that of a file.
type content struct{ segment.Bytes }

// Close implements store.Data.
func (content) Close() error { return nil }

// bytesOf returns the bytes of an ArrayBuffer.
func bytesOf(buffer js.Value) []byte {
	b := format.AlignedBytes(buffer.Get("byteLength").Int())
	js.CopyBytesToGo(b, js.Global().Get("Uint8Array").New(buffer))
	return b
}
