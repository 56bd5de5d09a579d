package exchange

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPipe opens a pipe by its path, as shells pass them for <(...): nothing of it may be lost,
// and what would read it twice refuses it.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	var want []doc
	for i := range 30000 { // much more than a pipe holds
		want = append(want, doc{fmt.Sprint(i), "some text"})
	}
	go func() {
		b := bufio.NewWriter(w)
		for _, d := range want {
			fmt.Fprintf(b, "{\"id\":%q,\"contents\":%q}\n", d.id, d.contents)
		}
		b.Flush()
		w.Close()
	}()
	if _, err := Detect(path); err == nil || !strings.Contains(err.Error(), "only once") {
		t.Errorf("Detect: %v", err)
	}
	for _, f := range []Format{FormatAuto, FormatCIFF} {
		if _, _, err := OpenInverted(path, f); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("posting lists, %s: %v", f, err)
		}
	}
	s, err := OpenDocuments(path, DocumentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	docs, errs := readAll(s)
	compareDocs(t, docs, want)
	compareErrors(t, errs, nil)
	if n := s.Formats()[FormatJSONL]; n != 1 {
		t.Errorf("%d files of JSON lines, want 1", n)
	}
}

// TestPipeClosed closes a pipe that never holds a byte: opening it must not wait, and
// reading it must end.
func TestPipeClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	for _, f := range []Format{FormatAuto, FormatTSV} {
		s, err := OpenDocuments(path, DocumentOptions{Format: f})
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error)
		go func() {
			_, err := s.Next()
			failed <- err
		}()
		s.Close()
		if err := <-failed; err == nil {
			t.Errorf("%s: no error", f)
		}
	}
}
