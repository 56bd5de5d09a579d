package registry

import (
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
)

func TestRegistry(t *testing.T) {
	last := codec.ID(0)
	for _, c := range All() {
		if c.ID() <= last {
			t.Errorf("%v is out of order", c.ID())
		}
		last = c.ID()
		if got, ok := ByID(c.ID()); !ok || got != c {
			t.Errorf("ByID(%d) is %v", c.ID(), got)
		}
		if got, ok := ByName(c.ID().String()); !ok || got != c {
			t.Errorf("ByName(%q) is %v", c.ID(), got)
		}
		if n := c.BlockLen(); n != 128 && n != 256 && n != 1024 {
			t.Errorf("%v has blocks of %d", c.ID(), n)
		}
	}
	if _, ok := ByID(0); ok {
		t.Error("there is a codec 0")
	}
	if _, ok := ByName("nonesuch"); ok {
		t.Error("there is a codec nonesuch")
	}
}
