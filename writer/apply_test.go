package writer_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

func textDoc(id, text string) writer.Change {
	return writer.Change{Doc: writer.Doc{ID: []byte(id), Values: []schema.Value{schema.TextValue(0, []byte(text))}}}
}

// Commits and publications have all of what a call of Apply did, or nothing, however many batches and segments it takes, and
// the keys and values of exactly the calls that they have.
func TestApplyWhole(t *testing.T) {
	ctx := t.Context()
	mem := memfs.New()
	w, err := writer.OpenFS(ctx, mem, writer.Options{Memory: writer.MinMemory, Threads: 2, Schema: schema.Implicit("", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(ctx, reader.FromStore(mem), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const callers, docs = 3, 200
	var calls [callers]atomic.Int64 // begun
	var running sync.WaitGroup
	for c := range callers {
		running.Go(func() {
			for round := 1; round <= 12; round++ {
				calls[c].Store(int64(round))
				var changes []writer.Change
				for i := range docs { // each round replaces the documents of the one before
					changes = append(changes, textDoc(fmt.Sprintf("%d-%d", c, i), strings.Repeat(fmt.Sprintf("round%d ", round), 40)))
				}
				if round%3 == 0 {
					for i := range docs / 2 {
						changes = append(changes, writer.Change{Delete: true, Doc: writer.Doc{ID: []byte(fmt.Sprintf("%d-%d", c, i))}})
					}
				}
				if err := w.Apply(ctx, changes, map[string]string{strconv.Itoa(c): strconv.Itoa(round)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	for n, last := 0, false; !last; n++ {
		select {
		case <-done:
			last = true
		default:
		}
		if n%2 == 0 {
			err = w.Publish(ctx)
		} else {
			err = w.Commit(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.RefreshUncommitted(ctx); err != nil {
			t.Fatal(err)
		}
		checkWhole(t, x, callers, docs, last)
	}
}

// checkWhole checks what x shows of the callers of TestApplyWhole.
func checkWhole(t *testing.T, x *reader.Index, callers, docs int, last bool) {
	t.Helper()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for c := range callers {
		said, _ := s.Meta(strconv.Itoa(c))
		round, _ := strconv.Atoi(said)
		want := docs
		if round%3 == 0 {
			want = docs / 2
		}
		found := 0
		for i := range docs {
			doc, ok, err := s.FindID([]byte(fmt.Sprintf("%d-%d", c, i)))
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue
			}
			found++
			text, _, err := s.AppendTexts(nil, nil, []uint32{doc})
			if err != nil {
				t.Fatal(err)
			}
			if word, _, _ := strings.Cut(string(text), " "); word != fmt.Sprintf("round%d", round) {
				t.Fatalf("caller %d: %q with the keys of round %d", c, word, round)
			}
		}
		if round == 0 {
			want = 0
		}
		if found != want || last && round != 12 {
			t.Fatalf("caller %d: %d documents of round %d, want %d", c, found, round, want)
		}
	}
}

// What is wrong with one change or key leaves all undone, and the Writer usable.
func TestApplyRefuses(t *testing.T) {
	ctx := t.Context()
	mem := memfs.New()
	w, err := writer.OpenFS(ctx, mem, writer.Options{Memory: writer.MinMemory})
	if err != nil {
		t.Fatal(err)
	}
	good := textDoc("good", "word")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, test := range []struct {
		name    string
		ctx     context.Context
		changes []writer.Change
		meta    map[string]string
		is      error
		says    string
	}{
		{"an id", ctx, []writer.Change{good, textDoc("", "word")}, nil, writer.ErrDocument, "empty"},
		{"two", ctx, []writer.Change{textDoc(strings.Repeat("x", 70000), ""), good, {Doc: writer.Doc{ID: []byte("fields")}}}, nil, writer.ErrDocument, `"fields"`},
		{"an id to delete", ctx, []writer.Change{good, {Delete: true}}, nil, writer.ErrDocument, "empty"},
		{"large", ctx, []writer.Change{good, textDoc("large", strings.Repeat("a ", writer.MinMemory/8+1))}, nil, writer.ErrDocument, `"large"`},
		{"a key", ctx, []writer.Change{good}, map[string]string{"": "x"}, store.ErrInvalid, "key of 0 bytes"},
		{"a long key", ctx, []writer.Change{good}, map[string]string{strings.Repeat("k", 256): "x"}, store.ErrInvalid, "256 bytes"},
		{"values", ctx, []writer.Change{good}, map[string]string{"k": strings.Repeat("v", indexdir.MaxMeta)}, store.ErrInvalid, "65537 bytes"},
		{"a context", ended, []writer.Change{good}, map[string]string{"k": "v"}, context.Canceled, ""},
	} {
		if err := w.Apply(test.ctx, test.changes, test.meta); !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if v, ok := w.Meta("k"); ok {
		t.Errorf("a refused value %q", v)
	}
	if err := w.Apply(ctx, nil, map[string]string{"kept": "1", "gone": "2"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Apply(ctx, nil, map[string]string{"gone": ""}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	w, err = writer.OpenFS(ctx, mem, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if v, ok := w.Meta("kept"); !ok || v != "1" {
		t.Errorf("kept is %q, %t", v, ok)
	}
	if _, ok := w.Meta("gone"); ok {
		t.Error("a removed key is there")
	}
	x, err := reader.Open(ctx, reader.FromStore(mem), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.Stats().Live; n != 0 {
		t.Errorf("%d documents of refused calls", n)
	}
	if v, _ := s.Meta("kept"); v != "1" {
		t.Errorf("a snapshot has %q", v)
	}
}
