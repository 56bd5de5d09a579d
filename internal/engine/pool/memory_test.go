package pool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// reachable returns how much memory is reachable.
func reachable() int64 {
	runtime.GC()
	runtime.GC() // of what sync.Pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A closed Pool holds almost nothing, whatever its model.
func TestClosedPoolMemory(t *testing.T) {
	longtest.Once(t)
	const workers, least, most = 8, 256 << 10, 64 << 10
	snapshot := querytest.Index(t, querytest.ZipfDocs(rand.New(rand.NewPCG(55, 56)), 20000, 500, 10), nil)
	for m := range modelNames {
		before := reachable()
		s, err := search.NewSearcher(snapshot, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s, Options{Workers: workers, Model: Model(m)})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		for i := range 500 {
			q := search.Query{RawTerms: querytest.Terms("w0", "w1", fmt.Sprint("w", i)), K: 100, Mode: query.Mode(i % 2)}
			if _, err := p.Search(context.Background(), q); err != nil {
				t.Fatal(err)
			}
		}
		if n := reachable() - before; n < least {
			t.Errorf("%v: an open Pool holds %d bytes: a test of nothing", Model(m), n)
		}
		p.Close()
		p.Close()
		if n := reachable() - before; n > most {
			t.Errorf("%v: a closed Pool holds %d bytes, more than %d", Model(m), n, most)
		}
		runtime.KeepAlive(p)
	}
}
