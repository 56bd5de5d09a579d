package indexdir

import (
	"errors"
	"io"
	"testing"

	"github.com/pinion-index/pinion/store"
)

// A directory that syncs outputs together tells them so, and one that was lost once fails again.
func TestOutputsSynced(t *testing.T) {
	dir := store.Dir(t.TempDir())
	lock := &Lock{}
	var outputs []*output
	for _, name := range []string{"a", "b"} {
		f, err := dir.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		o := &output{File: f, lock: lock, open: true}
		defer o.release()
		if _, err := o.WriteAt([]byte("content"), 0); err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, o)
	}
	if err := dir.Sync(outputs[0], outputs[1]); err != nil {
		t.Fatal(err)
	}
	for i, o := range outputs {
		if _, synced, lost := o.state(); !synced || lost != nil {
			t.Errorf("output %d: synced %t, lost %v", i, synced, lost)
		}
	}
	outputs[1].Ended(io.ErrShortWrite)
	if err := dir.Sync(outputs[0], outputs[1]); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}
