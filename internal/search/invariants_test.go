//go:build invariants

package search

import (
	"testing"

	"github.com/pinion-index/pinion/internal/invariants"
)

func TestMain(m *testing.M) { invariants.Main(m) }
