package kernels

import (
	"bytes"
	"debug/elf"
	"reflect"
	"testing"
)

// TestCode checks that the code for each architecture has every kernel of its module, and
// that each takes the parameters that the table says: its bank of constants holds them
// after a number of bytes that depends on the architecture.
func TestCode(t *testing.T) {
	for _, arch := range []struct {
		major, minor, runs int // the code is for runs/10.runs%10
		bank               uint64
	}{{8, 0, 80, 0x160}, {8, 6, 80, 0x160}, {8, 9, 80, 0x160}, {9, 0, 90, 0x210}} {
		if !HasCode(arch.major, arch.minor) {
			t.Fatalf("no code for %d.%d", arch.major, arch.minor)
		}
		files := map[string]*elf.File{}
		for _, k := range All() {
			f := files[k.Module()]
			if f == nil {
				b, err := Code(k.Module(), arch.major, arch.minor)
				if err == nil {
					copy(b[20:], []byte{byte(elf.EV_CURRENT), 0, 0, 0}) // nvcc writes another version, which debug/elf refuses
					f, err = elf.NewFile(bytes.NewReader(b))
				}
				if err != nil {
					t.Fatalf("%s for %d.%d: %v", k.Module(), arch.major, arch.minor, err)
				}
				if flags := int(b[48]); flags != arch.runs { // the low byte of e_flags
					t.Errorf("%s for %d.%d is for sm_%d", k.Module(), arch.major, arch.minor, flags)
				}
				files[k.Module()] = f
			}
			text, bank := f.Section(".text."+k.String()), f.Section(".nv.constant0."+k.String())
			if want := arch.bank + uint64(reflect.TypeOf(table[k].params).Size()); text == nil || bank == nil || bank.Size != want {
				t.Errorf("%v for %d.%d: constants %+v, want %d bytes", k, arch.major, arch.minor, bank, want)
			}
		}
	}
	for _, v := range [][2]int{{7, 0}, {7, 5}, {10, 0}, {12, 0}} {
		if HasCode(v[0], v[1]) {
			t.Errorf("there is code for %d.%d", v[0], v[1])
		}
		if _, err := Code("check", v[0], v[1]); err == nil {
			t.Errorf("code for %d.%d: no error", v[0], v[1])
		}
	}
	if _, err := Code("none", 9, 0); err == nil {
		t.Error("a module that there is not: no error")
	}
}
