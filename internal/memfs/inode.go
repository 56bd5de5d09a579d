package memfs

import "github.com/pinion-index/pinion/format"

// inode is the content of a file. Writes are applied when it is read, all at once, and what
// was read is not copied until the next write: most files are written, synced, and opened
// several times.
type inode struct {
	size    int64
	data    []byte  // without what is pending
	pending []write // to data
	frozen  bool    // data must not change

	durable []byte  // never changes
	writes  []write // since the last sync
	lost    bool    // a sync failed
}

type write struct {
	data []byte
	off  int64
}

// writeAt writes data, which must not change afterwards.
func (in *inode) writeAt(data []byte, off int64) {
	in.pending = append(in.pending, write{data, off})
	in.size = max(in.size, off+int64(len(data)))
}

// content returns the content until the next write.
func (in *inode) content() []byte {
	if len(in.pending) == 0 {
		return in.data
	}
	old := in.data
	if n := int(in.size); in.frozen || n > cap(old)-format.ReadablePadding {
		if len(old) > 0 && !in.frozen {
			n = max(n, 2*len(old)) // it is read as it grows
		}
		in.data, in.frozen = format.AlignedBytes(n), false
		copy(in.data, old)
	}
	in.data = in.data[:in.size]
	for _, w := range in.pending {
		copy(in.data[w.off:], w.data)
	}
	in.pending = nil
	return in.data
}

// freeze returns the content, 64-byte aligned, as bytes that never change.
func (in *inode) freeze() []byte {
	b := in.content()
	in.frozen = true
	return b
}
