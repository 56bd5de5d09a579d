//go:build !linux

package codectest

import (
	"testing"

	"github.com/pinion-index/pinion/format/codec"
)

func testGuarded(t *testing.T, _ codec.Codec) { t.Skip("guard pages are tried on Linux") }
