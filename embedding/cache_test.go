package embedding_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/embedding"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

var _ pinion.EmbedCache = (*embedding.Cache)(nil)

func openCache(t rapid.TB, path string) *embedding.Cache {
	t.Helper()
	c, err := embedding.OpenCache(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCache holds that a cache has what was put into it last, now and when it is opened again.
func TestCache(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		c := openCache(t, path)
		defer func() { c.Close() }()
		want := map[[2]string][]float32{}
		name := rapid.SampledFrom([]string{"", "a", "b", "ab", "ba"})
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			key := [2]string{name.Draw(t, "model"), name.Draw(t, "text")}
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				c = openCache(t, path)
			case 1, 2, 3:
				v := rapid.SliceOfN(rapid.Float32(), 1, 5).Draw(t, "vector")
				if err := c.Put(key[0], key[1], v); err != nil {
					t.Fatal(err)
				}
				want[key] = v
			}
			if got := c.Get(key[0], key[1]); !slices.Equal(got, want[key]) {
				t.Fatalf("%q: %v, want %v", key, got, want[key])
			}
		}
		if s := c.Stats(); s.Vectors != len(want) || s.Torn != 0 || s.Damaged != 0 {
			t.Fatalf("%+v, want %d vectors", s, len(want))
		}
	})
}

// TestCacheTorn holds that of a file which ends anywhere the whole records count, and that it goes on from there.
func TestCacheTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	c := openCache(t, path)
	ends := []int64{c.Stats().Bytes}
	for i := range 3 {
		if err := c.Put("m", fmt.Sprint(i), []float32{float32(i), 1}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, c.Stats().Bytes)
	}
	c.Close()
	whole, err := os.ReadFile(path)
	if err != nil || int64(len(whole)) != ends[3] {
		t.Fatal(len(whole), err)
	}
	for size := range whole {
		if err := os.WriteFile(path, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		c := openCache(t, path)
		vectors := 0
		for vectors < 2 && ends[vectors+1] <= int64(size) {
			vectors++
		}
		torn := int64(0)
		if int64(size) > ends[0] {
			torn = int64(size) - ends[vectors]
		}
		if s := c.Stats(); s.Vectors != vectors || s.Torn != torn {
			t.Errorf("%d bytes: %+v, want %d vectors, %d bytes torn", size, s, vectors, torn)
		}
		if err := c.Put("m", "new", []float32{7}); err != nil {
			t.Fatal(err)
		}
		c.Close()
		c = openCache(t, path)
		for i := range 3 {
			if got := c.Get("m", fmt.Sprint(i)); i < vectors != slices.Equal(got, []float32{float32(i), 1}) {
				t.Errorf("%d bytes, text %d: %v", size, i, got)
			}
		}
		if got := c.Get("m", "new"); !slices.Equal(got, []float32{7}) || c.Stats().Torn != 0 {
			t.Errorf("%d bytes: %v, %+v", size, got, c.Stats())
		}
		c.Close()
	}
}

// TestCacheDamaged holds that a changed bit anywhere gives no other vector, and that it is counted.
func TestCacheDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	c := openCache(t, path)
	texts := map[string][]float32{"a": {1, -2.5}, "b": {float32(math.Inf(1))}, "c": {3, 4, 5}}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		if err := c.Put("m", text, texts[text]); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 8 * 8; i < 8*len(whole); i++ {
		b := bytes.Clone(whole)
		b[i/8] ^= 1 << (i % 8)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		c := openCache(t, path)
		lost := 0
		for text, want := range texts {
			switch got := c.Get("m", text); {
			case got == nil:
				lost++
				if err := c.Put("m", text, want); err != nil || !slices.Equal(c.Get("m", text), want) {
					t.Errorf("bit %d: %q cannot be put again: %v", i, text, err)
				}
			case !slices.Equal(got, want):
				t.Errorf("bit %d: %q has %v", i, text, got)
			}
		}
		if s := c.Stats(); lost == 0 || s.Torn == 0 && s.Damaged != 1 || s.Torn > 0 && s.Damaged > 0 || s.Vectors != len(texts) {
			t.Errorf("bit %d: %d lost, %+v", i, lost, s)
		}
		c.Close()
	}
}

func TestCacheMisuse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cache")
	c := openCache(t, path)
	if _, err := embedding.OpenCache(path); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "another Cache") {
		t.Errorf("a cache that is open: %v", err)
	}
	for _, n := range []int{0, schema.MaxDims + 1} {
		if err := c.Put("m", "a", make([]float32, n)); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%d dimensions: %v", n, err)
		}
	}
	if err := errors.Join(c.Put("m", "a", make([]float32, schema.MaxDims)), c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if err := c.Put("m", "b", []float32{1}); !errors.Is(err, store.ErrClosed) || c.Get("m", "a") != nil {
		t.Errorf("a closed cache: %v, %v", err, c.Get("m", "a"))
	}
	if s := c.Stats(); s.Damaged != 0 {
		t.Errorf("a closed cache: %+v", s)
	}
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := embedding.OpenCache(other); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("another file: %v", err)
	}
	if b, err := os.ReadFile(other); string(b) != "something else" {
		t.Errorf("another file has %q now: %v", b, err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "cache"), ""} {
		if c, err := embedding.OpenCache(path); err == nil {
			t.Errorf("%q is opened", path)
			c.Close()
		}
	}
}

func TestCacheConcurrent(t *testing.T) {
	c := openCache(t, filepath.Join(t.TempDir(), "cache"))
	defer c.Close()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 200 {
				text, want := fmt.Sprint(i), []float32{float32(i), 2}
				if got := c.Get("m", text); got != nil && !slices.Equal(got, want) {
					t.Errorf("%s: %v", text, got)
				}
				if err := c.Put("m", text, want); err != nil {
					t.Errorf("%d: %v", g, err)
				}
			}
		})
	}
	all.Wait()
	if s := c.Stats(); s.Vectors != 200 || s.Damaged != 0 {
		t.Errorf("%+v", s)
	}
}
