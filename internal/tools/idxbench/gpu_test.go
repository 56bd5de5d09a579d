package idxbench

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestGPUText prints figures, and then where a reader learns to serve queries, which is there.
func TestGPUText(t *testing.T) {
	var out bytes.Buffer
	(&GPU{Rows: []GPURow{{What: "load", Value: 1, Unit: "MB/s"}}}).Text(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 3 || !strings.Contains(out.String(), "MB/s") || !strings.HasSuffix(lines[len(lines)-1], ": docs/gpu.md, Serve") {
		t.Errorf("%q", &out)
	}
	doc, err := os.ReadFile("../../../docs/gpu.md")
	if err != nil || !bytes.Contains(doc, []byte("\n## Serve\n")) {
		t.Errorf("docs/gpu.md has no section Serve: %v", err)
	}
}
