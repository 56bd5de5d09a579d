package httpapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/memfs"
)

// A request that waits until the index shows what was added before it waits no longer than its deadline.
func TestDeadlineOfChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := memfs.New()
		x, err := pinion.OpenFS(t.Context(), mem, pinion.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		mem.Watch(func(op memfs.Op) {
			if op.Kind == "create" {
				time.Sleep(time.Hour)
			}
		})
		s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
		for _, path := range []string{"/v1/search?q=rose", "/v1/count?q=rose", "/v1/suggest?prefix=r"} {
			if err := x.Add(t.Context(), pinion.Text("a", "rose")); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if w := ask(s, path, ""); w.Code < http.StatusInternalServerError || time.Since(began) > httpapi.DefaultDeadline {
				t.Errorf("%s: %d %s after %v", path, w.Code, w.Body, time.Since(began))
			}
		}
	})
}

// Readiness and the description of an index wait for nothing: they are answered while a commit hangs, with changes that
// no search has seen yet. With Visible 0 a search waits for these.
func TestReadyWhileCommitting(t *testing.T) {
	for name, o := range map[string]pinion.Options{"visible at once": {}, "visible later": {Visible: time.Second}, "each durable": {SyncEach: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mem := memfs.New()
				x, err := pinion.OpenFS(t.Context(), mem, o)
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				if err := errors.Join(x.Add(t.Context(), pinion.Text("a", "rose")), x.Sync(t.Context())); err != nil {
					t.Fatal(err)
				}
				resume, hangs := make(chan struct{}), false
				mem.Watch(func(op memfs.Op) {
					if op.Kind == "sync" {
						hangs = true
						<-resume
						hangs = false
					}
				})
				done := make(chan error, 2)
				for _, id := range []string{"b", "c"} { // c comes while b is committed
					go func() {
						done <- errors.Join(x.Add(t.Context(), pinion.Text(id, "rose")), x.Sync(t.Context()))
					}()
					synctest.Wait()
				}
				if !hangs {
					t.Fatal("no commit is under way: a test of nothing")
				}
				s := serve(t, httpapi.OfIndex(x), httpapi.Options{})
				began := time.Now()
				for path, want := range map[string]string{"/readyz": `"ok"`, "/v1/index": `{"documents":1,`} {
					if w := ask(s, path, ""); w.Code != 200 || !strings.Contains(w.Body.String(), want) || time.Since(began) > 0 {
						t.Errorf("%s: %d %s after %v, want %s", path, w.Code, w.Body, time.Since(began), want)
					}
				}
				if w := ask(s, "/v1/count?q=rose", ""); o.Visible == 0 && !o.SyncEach && w.Code < http.StatusInternalServerError {
					t.Errorf("a count did not wait: %d %s", w.Code, w.Body)
				}
				close(resume)
				if err := errors.Join(<-done, <-done); err != nil {
					t.Fatal(err)
				}
				if w := ask(s, "/v1/index", ""); !strings.Contains(w.Body.String(), `{"documents":3,`) {
					t.Errorf("after the commit: %s", w.Body)
				}
			})
		})
	}
}
