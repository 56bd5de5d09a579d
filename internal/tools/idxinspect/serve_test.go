package idxinspect

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
)

// TestServe runs the command, reads the page that it names, and interrupts it.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "test.idx")
	add(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	cmd := Command()
	cmd.SetArgs([]string{"serve", dir})
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- cli.Execute(ctx, cmd) }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/[a-z0-9]{26}/\n$`).MatchString(address) {
		t.Fatalf("%q, %v", address, err)
	}
	r, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(page), "test.idx") {
		t.Errorf("%v, %s", err, page)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v after an interrupt", err)
	}
}
