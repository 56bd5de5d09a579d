package idxbench

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/gpubench"
)

// TestGPUText prints figures, and then where a reader learns to serve queries, which is there.
func TestGPUText(t *testing.T) {
	var out bytes.Buffer
	(&GPU{Rows: []gpubench.Row{{Name: "copy", Value: 1, Unit: "TB/s"}}}).text(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 3 || !strings.Contains(out.String(), "TB/s") || !strings.HasSuffix(lines[len(lines)-1], ": docs/gpu.md, Serve") {
		t.Errorf("%q", &out)
	}
	doc, err := os.ReadFile("../../../docs/gpu.md")
	if err != nil || !bytes.Contains(doc, []byte("\n## Serve\n")) {
		t.Errorf("docs/gpu.md has no section Serve: %v", err)
	}
}
