package bucket

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// DefaultCacheBytes is the default of ReadOptions.CacheBytes: 1 GiB.
const DefaultCacheBytes = 1 << 30

const (
	pieceSize   = 1 << 20     // most bytes in one file of the cache
	sumSize     = 8           // of the checksum before them
	touchEvery  = time.Minute // how exactly a file says when it was last used
	staleTemp   = time.Hour   // after which a file that was never finished goes
	tempPattern = "new-*.tmp"
)

// diskCache keeps ranges of segments in files: DIR/ID/OFFSET-LENGTH, where ID is that of the segment, has a checksum and the
// bytes. Files are made under another name and never change, so that processes share the directory
// without a lock; each knows of the files that it found when it opened the segment, and of its own. Those that were not used for the longest
// time go when there are too many bytes.
type diskCache struct {
	dir    string
	budget int64

	mu      sync.Mutex
	pieces  map[string][]piece // by segment, in ascending order; nil until the segment is read
	written int64              // since the last sweep
	swept   bool
}

// piece is a range that a file holds.
type piece struct{ off, n int64 }

func (p piece) end() int64 { return p.off + p.n }

func (p piece) name() string { return fmt.Sprintf("%d-%d", p.off, p.n) }

func openDiskCache(dir string, budget int64) (*diskCache, error) {
	if budget <= 0 {
		budget = DefaultCacheBytes
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &diskCache{dir: dir, budget: budget, pieces: map[string][]piece{}}, nil
}

// known returns the pieces of a segment. The caller holds mu.
func (c *diskCache) known(id string) []piece {
	if p, ok := c.pieces[id]; ok {
		return p
	}
	var found []piece
	entries, _ := os.ReadDir(filepath.Join(c.dir, id)) // what cannot be listed is read again
	for _, e := range entries {
		off, n, ok := strings.Cut(e.Name(), "-")
		p := piece{}
		var errs [2]error
		p.off, errs[0] = strconv.ParseInt(off, 10, 64)
		p.n, errs[1] = strconv.ParseInt(n, 10, 64)
		if ok && errs[0] == nil && errs[1] == nil && p.off >= 0 && p.n > 0 && p.n <= pieceSize && p.name() == e.Name() {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b piece) int { return cmp.Compare(a.off, b.off) })
	c.pieces[id] = found
	return found
}

// read fills p with what there is at off of a segment, and returns the least range that holds all that is missing, or an empty one.
func (c *diskCache) read(id string, p []byte, off int64) (lo, hi int64) {
	c.mu.Lock()
	all := c.known(id)
	from, _ := slices.BinarySearchFunc(all, off-pieceSize, func(x piece, at int64) int { return cmp.Compare(x.off, at) })
	to := from
	for to < len(all) && all[to].off < off+int64(len(p)) {
		to++
	}
	near := slices.Clone(all[from:to])
	c.mu.Unlock()
	end := off + int64(len(p))
	lo, hi = end, off
	at := off
	for _, x := range near { // at is behind all that is filled
		if x.end() <= at {
			continue
		}
		b, ok := c.load(id, x)
		if !ok {
			continue
		}
		if x.off > at {
			lo, hi = min(lo, at), x.off
			at = x.off
		}
		at += int64(copy(p[at-off:], b[at-x.off:]))
	}
	if at < end {
		lo, hi = min(lo, at), end
	}
	if lo > hi {
		return off, off
	}
	return lo, hi
}

// load returns the bytes of a piece, unless they are gone or damaged.
func (c *diskCache) load(id string, x piece) ([]byte, bool) {
	path := filepath.Join(c.dir, id, x.name())
	b, err := os.ReadFile(path)
	if err != nil || int64(len(b)) != sumSize+x.n || sumOf(id, x, b[sumSize:]) != binary.LittleEndian.Uint64(b) {
		c.drop(id, x)
		if err == nil {
			os.Remove(path)
		}
		return nil, false
	}
	if st, err := os.Stat(path); err == nil && time.Since(st.ModTime()) > touchEvery {
		now := time.Now()
		os.Chtimes(path, now, now)
	}
	return b[sumSize:], true
}

// sumOf returns the checksum of a piece: of its place too.
func sumOf(id string, x piece, b []byte) uint64 {
	h := xxhash.New()
	h.WriteString(id + "/" + x.name())
	h.Write(b)
	return h.Sum64()
}

// drop forgets a piece.
func (c *diskCache) drop(id string, x piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pieces[id] = slices.DeleteFunc(slices.Clone(c.pieces[id]), func(y piece) bool { return x == y })
}

// write keeps b, which lies at off of a segment. Errors are not worth a query: what is not kept is read again.
func (c *diskCache) write(id string, b []byte, off int64) {
	for len(b) > 0 {
		x := piece{off, min(int64(len(b)), pieceSize-off%pieceSize)}
		if c.save(id, x, b[:x.n]) == nil {
			c.add(id, x)
		}
		b, off = b[x.n:], off+x.n
	}
	c.mu.Lock()
	due := !c.swept || c.written > c.budget/16
	if due {
		c.written, c.swept = 0, true
	}
	c.mu.Unlock()
	if due {
		c.sweep()
	}
}

func (c *diskCache) add(id string, x piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += sumSize + x.n
	all := slices.Clone(c.known(id))
	i, _ := slices.BinarySearchFunc(all, x, func(a, b piece) int { return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.n, b.n)) })
	if i == len(all) || all[i] != x {
		c.pieces[id] = slices.Insert(all, i, x)
	}
}

func (c *diskCache) save(id string, x piece, b []byte) error {
	dir := filepath.Join(c.dir, id)
	f, err := os.CreateTemp(dir, tempPattern)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			f, err = os.CreateTemp(dir, tempPattern)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(binary.LittleEndian.AppendUint64(nil, sumOf(id, x, b)))
	if err == nil {
		_, err = f.Write(b)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, x.name()))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// forget removes what there is of n bytes at off of a segment.
func (c *diskCache) forget(id string, off, n int64) {
	c.mu.Lock()
	var gone []piece
	for _, x := range c.known(id) {
		if x.off < off+n && off < x.end() {
			gone = append(gone, x)
		}
	}
	c.mu.Unlock()
	for _, x := range gone {
		os.Remove(filepath.Join(c.dir, id, x.name()))
		c.drop(id, x)
	}
}

// sweep removes the files that were not used for the longest time, until an eighth of the budget is free, if there are too many bytes.
func (c *diskCache) sweep() {
	type kept struct {
		path string
		info fs.FileInfo
	}
	var files []kept
	total := int64(0)
	filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if strings.HasSuffix(path, ".tmp") && time.Since(info.ModTime()) > staleTemp {
			os.Remove(path)
			return nil
		}
		files, total = append(files, kept{path, info}), total+info.Size()
		return nil
	})
	if total <= c.budget {
		return
	}
	slices.SortFunc(files, func(a, b kept) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files {
		if total <= c.budget-c.budget/8 {
			return
		}
		os.Remove(f.path)
		total -= f.info.Size()
		os.Remove(filepath.Dir(f.path)) // fails unless it is empty
	}
}
