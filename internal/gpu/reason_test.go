//go:build !cuda && !gpu

// On a device the tests run without the sources.

package gpu

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/gpu-plan.md has the table of reasons, as errors and plans say them.
func TestReasonsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/gpu-plan.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	seen := map[string]bool{}
	for _, r := range Reasons() {
		if r.String() == "" || r.Clause() == "" || seen[r.String()] {
			t.Errorf("reason %d: %q, %q", r, r, r.Clause())
		}
		seen[r.String()] = true
		fmt.Fprintf(&want, "| %v | %s |\n", r, r.Clause())
	}
	if !strings.Contains(string(b), want.String()) {
		t.Errorf("docs/gpu-plan.md should have\n%s", want.String())
	}
	if got := reasonTotal.unsupported().Error(); !strings.HasSuffix(got, ": it asks for the total of a dot product") {
		t.Errorf("%q", got)
	}
	if got := reasonCount.String() + reasonCount.Clause(); !strings.HasPrefix(got, "reason(") {
		t.Errorf("a reason that there is not: %q", got)
	}
}
