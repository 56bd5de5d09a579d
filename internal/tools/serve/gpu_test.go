package serve

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/gpuload"
)

// With Options.GPU pages say which processors answer, and a search what these do, with a GPU and without.
func TestGPU(t *testing.T) {
	gpu, err := gpuload.Open(gpuload.Options{Devices: 1, Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer gpu.Close()
	s, err := New(Options{Index: build(t), Token: "secret", GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := httptest.NewServer(s)
	defer h.Close()
	if err := s.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants := []string{"<h2>With a GPU</h2>", "and the CPU answer: the same 10 hits in ", "on a GPU: 10 hits of "}
	if gpu.Ready(t.Context()) != nil {
		wants = []string{"<h2>With a GPU</h2>", "the CPU answers: gpuload: no GPU: ", "<pre>CPU, no device: "}
	}
	for _, mode := range []string{"or", "and", "and-or"} {
		_, page := get(t, h.URL+s.Path()+"search?q=every+again&mode="+mode)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", mode, want, page)
			}
		}
	}
	if _, page := get(t, h.URL+s.Path()); !strings.Contains(page, "--gpu: ") {
		t.Errorf("the overview does not say who answers:\n%s", page)
	}
}
