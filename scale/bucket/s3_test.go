package bucket

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	_ "github.com/pinion-index/pinion/scale/bucket/drivers"
)

// newS3 serves a bucket as S3 does, and returns its URL.
func newS3(t *testing.T) string { return newS3At(t, gofakes3.DefaultTimeSource(), nil) }

// newS3At is newS3 with a clock. around, unless nil, answers requests in place of the server.
func newS3At(t *testing.T, clock gofakes3.TimeSource, around func(http.Handler) http.Handler) string {
	t.Helper()
	for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(k, v)
	}
	backend := s3mem.New(s3mem.WithTimeSource(clock))
	if err := backend.CreateBucket("index"); err != nil {
		t.Fatal(err)
	}
	handler := gofakes3.New(backend, gofakes3.WithTimeSource(clock), gofakes3.WithTimeSkewLimit(0)).Server()
	if around != nil {
		handler = around(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	q := url.Values{"region": {"us-east-1"}, "endpoint": {server.URL}, "use_path_style": {"true"}}
	return "s3://index/some/prefix?" + q.Encode()
}

// TestS3Processes lets processes race on a server.
func TestS3Processes(t *testing.T) {
	n := 6
	if testing.Short() {
		n = 2
	}
	raceProcesses(t, newS3(t), 8, n)
}

// TestS3Winners: of eight that create the manifest of a generation one does.
func TestS3Winners(t *testing.T) {
	generations := uint64(200)
	if testing.Short() {
		generations = 20
	}
	b, err := OpenURL(t.Context(), newS3(t))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for g := uint64(1); g <= generations; g++ {
		var all sync.WaitGroup
		var won, winner atomic.Int32
		for x := range 8 {
			all.Go(func() {
				err := createObject(t.Context(), b, manifestKey(g), bytes.NewReader([]byte(strconv.Itoa(x))), false)
				if err == nil {
					won.Add(1)
					winner.Store(int32(x))
				} else if !exists(err) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		got, err := b.ReadAll(t.Context(), manifestKey(g))
		if err != nil || won.Load() != 1 || string(got) != strconv.Itoa(int(winner.Load())) {
			t.Fatalf("generation %d: %d have won, the last is %d; the object holds %s, %v", g, won.Load(), winner.Load(), got, err)
		}
	}
	if g, err := newestGeneration(t.Context(), b); err != nil || g != generations {
		t.Errorf("the newest is %d, %v", g, err)
	}
}
