package bucket

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"testing"

	"gocloud.dev/blob/memblob"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket/internal/lag"
)

// onDevice answers queries over a snapshot on the emulated GPU; nil without the tag emu.
var onDevice func(t *testing.T, s *reader.Snapshot, queries []string) string

// The same index gives the same hits, with the same scores to the bit, wherever it is: mapped, in a bucket, with a local cache or
// without, and in one that is slow and sends 503s, behind a static host, and on a GPU. Run it with -tags emu for the last.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	build(t, dir, 1, 15000)
	build(t, dir, 2, 700)
	queries := queryLog(100)
	want := sha256.Sum256([]byte(local(t, dir, queries)))
	check := func(place string, got string) {
		t.Helper()
		if sum := sha256.Sum256([]byte(got)); sum != want {
			t.Errorf("%s: checksum %x of the hits, of the mapped index %x", place, sum, want)
		}
	}
	mem := memblob.OpenBucket(nil)
	upload(t, dir, mem)
	unreliable := lag.New(lag.Model{Errors: 0.2}, 3).Bucket(mem)
	static := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer static.Close()
	cache := t.TempDir()
	for _, c := range []struct {
		place string
		open  func(ctx context.Context) (*Index, error)
	}{
		{"bucket", func(ctx context.Context) (*Index, error) { return Open(ctx, mem, ReadOptions{}) }},
		{"bucket without memory", func(ctx context.Context) (*Index, error) { return Open(ctx, mem, ReadOptions{NoCache: true}) }},
		{"unreliable bucket", func(ctx context.Context) (*Index, error) { return Open(ctx, unreliable, ReadOptions{}) }},
		{"bucket, to the local cache", func(ctx context.Context) (*Index, error) { return Open(ctx, mem, ReadOptions{CacheDir: cache}) }},
		{"bucket, from the local cache", func(ctx context.Context) (*Index, error) { return Open(ctx, mem, ReadOptions{CacheDir: cache}) }},
		{"static host", func(ctx context.Context) (*Index, error) { return OpenIndex(ctx, static.URL, ReadOptions{}) }},
	} {
		x, err := c.open(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.place, err)
		}
		err = x.View(t.Context(), func(s *reader.Snapshot) error {
			got, err := hits(t.Context(), s, queries)
			check(c.place, got)
			return err
		})
		x.Close()
		if err != nil {
			t.Errorf("%s: %v", c.place, err)
		}
	}
	if onDevice == nil {
		return
	}
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check("GPU", onDevice(t, s, queries))
}
