package indexdir

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// Limits of Manifest.Meta.
const (
	// MaxMetaKey bounds the bytes of a key.
	MaxMetaKey = 255
	// MaxMeta bounds the bytes of all keys and values together.
	MaxMeta = 64 << 10
)

// minPair is how many bytes a key takes at least, with its value.
const minPair = 4

// mostMeta is how many bytes section COMMITMETA takes at most: the lengths of a pair take no more than the pair.
const mostMeta = binary.MaxVarintLen64 + 2*MaxMeta

// CheckMeta returns what is wrong with keys and values as Manifest.Meta. The error matches ErrInvalid.
func CheckMeta(meta map[string]string) error {
	size := 0
	for k, v := range meta {
		size += len(k) + len(v)
		switch {
		case k == "" || len(k) > MaxMetaKey:
			return fmt.Errorf("%w: a key of %d bytes; 1 to %d are possible", store.ErrInvalid, len(k), MaxMetaKey)
		case v == "":
			return fmt.Errorf("%w: key %q has no value", store.ErrInvalid, k)
		}
	}
	if size > MaxMeta {
		return fmt.Errorf("%w: %d bytes of keys and values; at most %d are possible", store.ErrInvalid, size, MaxMeta)
	}
	return nil
}

// appendMeta appends the content of section COMMITMETA to dst.
func appendMeta(dst []byte, meta map[string]string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(meta)))
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		dst = appendString(appendString(dst, k), meta[k])
	}
	return dst
}

// decodeMeta decodes section COMMITMETA at off of a file.
func decodeMeta(b []byte, off int64) (map[string]string, error) {
	r := format.NewBuffer(b, off)
	n := r.Count(MaxMeta, minPair)
	meta := make(map[string]string, n)
	last := ""
	for range n {
		k := r.String(MaxMetaKey)
		if k <= last {
			r.Fail("keys out of order")
			break
		}
		meta[k], last = r.String(MaxMeta), k
	}
	if n == 0 {
		r.Fail("no key")
	}
	if err := r.Done(); err != nil {
		return nil, err
	}
	if err := CheckMeta(meta); err != nil {
		return nil, format.Corrupt("%s", err)
	}
	return meta, nil
}

func isMeta(b []byte) bool {
	_, err := decodeMeta(b, 0)
	return err == nil
}
