package main

import (
	"strings"
	"testing"
)

// What does not compile for a platform is named, and what does is not.
func TestCheck(t *testing.T) {
	const pattern = "./testdata/platforms"
	for platform, want := range map[string][]string{
		"linux/amd64":   nil,
		"darwin/arm64":  nil,
		"windows/amd64": {"any.go:8:", "undefined: size"},
		"linux/386":     {"any.go:6:", "overflows"},
		"linux/vax":     {`"vax"`},
	} {
		n, err := check(platform, pattern)
		if want == nil {
			if err != nil || n != 1 {
				t.Errorf("%s: %d packages, %v", platform, n, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: no error", platform)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, which does not name %s", platform, err, part)
			}
		}
	}
	if _, err := check("linux/amd64", "./nosuch"); err == nil {
		t.Error("a package that is not there")
	}
}
