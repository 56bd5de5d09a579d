//go:build !linux

package codectest

import (
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
)

type guarded struct{}

func newGuarded(int) (*guarded, error) { return nil, nil }

func (*guarded) guard(*format.Sequence, bool) {}

func testGuarded(t *testing.T, _ codec.Codec) { t.Skip("guard pages are tried on Linux") }
