package sim

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pinion-index/pinion/writer"
)

// Every option of a Writer is drawn: none has the same value in all lives.
func TestDrawOptions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	first, differs := reflect.ValueOf(DrawOptions(r, Past{Stored: true, Exists: true, Filled: true})), map[string]bool{}
	for i := range 200 {
		o := reflect.ValueOf(DrawOptions(r, Past{Stored: true, Exists: true, Filled: true, Fields: i%2 == 0}))
		for i := range o.NumField() {
			a, b := first.Field(i), o.Field(i)
			name := o.Type().Field(i).Name
			switch a.Kind() {
			case reflect.Func: // functions cannot be compared
				differs[name] = differs[name] || a.IsNil() != b.IsNil()
			default:
				differs[name] = differs[name] || !a.Equal(b)
			}
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[writer.Options]()) {
		if f.IsExported() && !differs[f.Name] {
			t.Errorf("writer.Options.%s is the same in every life", f.Name)
		}
	}
}
