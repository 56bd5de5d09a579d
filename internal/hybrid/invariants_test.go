//go:build invariants

package hybrid

import (
	"testing"

	"github.com/pinion-index/pinion/internal/invariants"
)

func TestMain(m *testing.M) { invariants.Main(m) }
