package idxquery

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIsPlan checks that a plan of gpu-plan --json is told from a log, in any of its forms.
func TestIsPlan(t *testing.T) {
	for text, want := range map[string]bool{
		"{\n  \"lists\": []\n}\n":                true,
		"{\"lists\":[{\"term\":\"a\"}]}\n":       true,
		"\n{\"lists\":[]}":                       true,
		"{\"_id\":\"1\",\"text\":\"a b\"}\n":     false,
		"{\"text\":\"a\",\"_id\":\"1\"}\n{\"_id": false,
		"q1\ta\n":                                false,
		"<top>\n":                                false,
		"":                                       false,
		"\n\n":                                   false,
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := isPlan(name); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}
