package format

import (
	"go/build"
	"testing"
)

// platform.go, which refuses to compile, is part of the package on every architecture of Go
// that is 32-bit or big-endian, and on no other.
func TestPlatformsRefused(t *testing.T) {
	for arch, refused := range map[string]bool{
		"386": true, "arm": true, "mips": true, "mipsle": true, "mips64": true, "ppc64": true, "s390x": true,
		"amd64": false, "arm64": false, "loong64": false, "mips64le": false, "ppc64le": false, "riscv64": false, "wasm": false,
	} {
		c := build.Default
		c.GOARCH = arch
		if got, err := c.MatchFile(".", "platform.go"); err != nil || got != refused {
			t.Errorf("%s: refused is %v, %v", arch, got, err)
		}
	}
}
