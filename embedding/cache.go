package embedding

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"path/filepath"
	"sync"

	"github.com/pinion-index/pinion/internal/osdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// Cache is a pinion.EmbedCache in a file, to which vectors are appended. It is safe for concurrent use, by one process at a time. Vectors of any
// number of models, indexes and fields go into one Cache. None is ever removed: remove the file to begin anew, at the price of embedding all.
//
// In memory it takes about 40 bytes a vector, and opening it about a second for a million. What is damaged is not used.
type Cache struct {
	file *osdir.Lock
	torn int64 // bytes, when it was opened

	mu      sync.RWMutex
	at      map[cacheKey]int64 // where the record of a text begins
	end     int64
	damaged int
	closed  bool
}

// cacheKey is the first half of the SHA-256 of a model and a text.
type cacheKey [16]byte

// A file is cacheMagic and then records: a cacheKey, the number of dimensions and the CRC-32C of both; the values as float32; the
// CRC-32C of all before. All are little-endian.
const (
	cacheMagic = "pinvec1\n"
	headSize   = len(cacheKey{}) + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errNoCache is the error for a file that is something else.
var errNoCache = fmt.Errorf("%w: it is no cache of vectors", store.ErrInvalid)

// OpenCache opens the cache in a file, which it makes if need be. The caller closes it, after the indexes that use it. What is behind the
// first record that is not whole, as after a crash, is cut off, and Stats counts it. The error matches store.ErrLocked while another Cache
// has the file open, and store.ErrInvalid if it is a file of another kind, which stays as it is.
func OpenCache(path string) (*Cache, error) {
	f, err := osdir.New(filepath.Dir(path)).Lock(filepath.Base(path))
	if errors.Is(err, store.ErrLocked) {
		err = fmt.Errorf("another Cache has it open: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cache of vectors %s: %w", path, err)
	}
	c := &Cache{file: f, at: map[cacheKey]int64{}}
	if err := c.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("cache of vectors %s: %w", path, err), f.Close())
	}
	return c, nil
}

// read finds the records.
func (c *Cache) read() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNoCache
	}
	size := info.Size()
	start := make([]byte, min(size, int64(len(cacheMagic))))
	if _, err := c.file.ReadAt(start, 0); err != nil {
		return err
	}
	if string(start) != cacheMagic[:len(start)] {
		return errNoCache
	}
	c.end = int64(len(cacheMagic))
	if len(start) < len(cacheMagic) {
		_, err := c.file.WriteAt([]byte(cacheMagic), 0)
		return err
	}
	var head [headSize]byte
	for size-c.end >= int64(headSize) {
		if _, err := c.file.ReadAt(head[:], c.end); err != nil {
			return err
		}
		key, dims, ok := parseHead(head[:])
		if next := c.end + recordSize(dims); !ok || next > size {
			break
		}
		c.at[key] = c.end
		c.end += recordSize(dims)
	}
	if size > c.end {
		c.torn = size - c.end
		return c.file.Truncate(c.end)
	}
	return nil
}

func recordSize(dims int) int64 { return int64(headSize + 4*dims + 4) }

// parseHead returns what the first bytes of a record say. It is false if they are damaged.
func parseHead(b []byte) (key cacheKey, dims int, ok bool) {
	n := copy(key[:], b)
	dims = int(binary.LittleEndian.Uint32(b[n:]))
	return key, dims, dims <= schema.MaxDims && binary.LittleEndian.Uint32(b[n+4:]) == crc32.Checksum(b[:n+4], castagnoli)
}

func keyOf(model, text string) (k cacheKey) {
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(model))))
	io.WriteString(h, model)
	io.WriteString(h, text)
	copy(k[:], h.Sum(nil))
	return k
}

// Get implements pinion.EmbedCache. Of a vector that cannot be read, or is damaged, it returns nil, and Stats counts it.
func (c *Cache) Get(model, text string) []float32 {
	key := keyOf(model, text)
	c.mu.RLock()
	at, ok := c.at[key]
	var v []float32
	var err error
	if ok = ok && !c.closed; ok {
		v, err = c.vector(key, at)
	}
	c.mu.RUnlock()
	if err == nil {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, ok := c.at[key]; ok && now == at {
		delete(c.at, key)
		c.damaged++
	}
	return nil
}

// vector returns the vector of the record at an offset.
func (c *Cache) vector(key cacheKey, at int64) ([]float32, error) {
	var head [headSize]byte
	if _, err := c.file.ReadAt(head[:], at); err != nil {
		return nil, err
	}
	found, dims, ok := parseHead(head[:])
	if !ok || found != key {
		return nil, errNoCache
	}
	b := make([]byte, recordSize(dims))
	if _, err := c.file.ReadAt(b, at); err != nil {
		return nil, err
	}
	values := b[headSize : len(b)-4]
	if crc32.Checksum(b[:len(b)-4], castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return nil, errNoCache
	}
	v := make([]float32, dims)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
	}
	return v, nil
}

// Put implements pinion.EmbedCache. A vector is in the file when it returns, and survives a crash of the machine after Close, or some time later. The
// error matches store.ErrClosed, store.ErrInvalid for a vector of more than schema.MaxDims dimensions, or is one of writing.
func (c *Cache) Put(model, text string, vector []float32) error {
	if len(vector) == 0 || len(vector) > schema.MaxDims {
		return fmt.Errorf("%w: a vector of %d dimensions", store.ErrInvalid, len(vector))
	}
	key := keyOf(model, text)
	b := binary.LittleEndian.AppendUint32(append(make([]byte, 0, recordSize(len(vector))), key[:]...), uint32(len(vector)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	for _, x := range vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return store.ErrClosed
	}
	if _, err := c.file.WriteAt(b, c.end); err != nil {
		return errors.Join(err, c.file.Truncate(c.end))
	}
	c.at[key] = c.end
	c.end += int64(len(b))
	return nil
}

// CacheStats says what a Cache has.
type CacheStats struct {
	Vectors int   // of texts
	Bytes   int64 // of the file
	Torn    int64 // bytes behind the last whole record when it was opened, which were cut off
	Damaged int   // vectors that Get found damaged, or could not read, since it was opened
}

// Stats returns what c has.
func (c *Cache) Stats() CacheStats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return CacheStats{len(c.at), c.end, c.torn, c.damaged}
}

// Close makes the file durable and closes it. Later calls of Get return nil, of Put store.ErrClosed, of Close nil.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return errors.Join(c.file.Sync(), c.file.Close())
}
