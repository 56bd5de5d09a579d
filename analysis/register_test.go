package analysis

import (
	"errors"
	"strings"
	"testing"
)

func TestRegister(t *testing.T) {
	if _, err := New("nosuch", ""); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := New("simple", "max=0"); err == nil || errors.Is(err, ErrUnknown) {
		t.Errorf("bad options: %v", err)
	}
	make := func(string) (Analyzer, error) { return New("simple", "") }
	for _, name := range []string{"", "simple", "bad\xff", strings.Repeat("x", MaxNameBytes+1)} {
		if err := Register(name, make); err == nil {
			t.Errorf("name %.10q was registered", name)
		}
	}
	if err := Register("misnamed", make); err != nil {
		t.Fatal(err)
	}
	if _, err := New("misnamed", ""); err == nil || !strings.Contains(err.Error(), `is named "simple"`) {
		t.Errorf("an analyzer of another name: %v", err)
	}
}
