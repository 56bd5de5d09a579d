package pinion

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/internal/structs"
	"github.com/pinion-index/pinion/schema"
)

// assign sets a field of a struct to the values that a document has in a field, which are not none.
func assign(to reflect.Value, values []schema.Value) error {
	t := to.Type()
	switch {
	case t.Kind() == reflect.Pointer && !t.Implements(structs.Unmarshaler):
		v := reflect.New(t.Elem())
		if err := assign(v.Elem(), values); err != nil {
			return err
		}
		to.Set(v)
		return nil
	case t == reflect.TypeFor[[]schema.Impact](), t == reflect.TypeFor[map[string]float64](), isScalar(t):
	case t.Kind() == reflect.Slice:
		list := reflect.MakeSlice(t, len(values), len(values))
		for i := range values {
			if err := assign(list.Index(i), values[i:i+1]); err != nil {
				return err
			}
		}
		to.Set(list)
		return nil
	case t.Kind() == reflect.Array:
		if len(values) > t.Len() {
			return fmt.Errorf("%d values do not fit a %v", len(values), t)
		}
		to.SetZero()
		for i := range values {
			if err := assign(to.Index(i), values[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		all := make([]any, len(values))
		for i := range values {
			all[i] = values[i].Any()
		}
		if to.Set(reflect.ValueOf(all)); len(all) == 1 {
			to.Set(reflect.ValueOf(all[0]))
		}
		return nil
	}
	if len(values) > 1 {
		return fmt.Errorf("%d values do not fit a %v", len(values), t)
	}
	ok, err := assignOne(to, values[0])
	if err == nil && !ok {
		err = fmt.Errorf("the value %.80q of kind %v does not fit a %v", values[0].String(), values[0].Kind, t)
	}
	return err
}

// isScalar reports whether a type has one value, though it may be a slice or an array.
func isScalar(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 || reflect.PointerTo(t).Implements(structs.Unmarshaler)
}

// assignOne sets to to the value v. It reports whether that fits.
func assignOne(to reflect.Value, v schema.Value) (ok bool, err error) {
	t := to.Type()
	if t == structs.Time {
		if v.Kind == schema.Time {
			to.Set(reflect.ValueOf(v.Time()))
		}
		return v.Kind == schema.Time, nil
	}
	n := kind.Of(uint8(v.Kind))
	switch {
	case v.Kind == schema.Text || v.Kind == schema.Keyword:
		return assignText(to, v)
	case n == nil:
		return false, nil
	case n.Integer != nil:
		return assignInteger(to, n.Integer(v.Bits())), nil
	case n.Float != nil:
		return assignFloat(to, n.Float(v.Bits())), nil
	case t.Kind() == reflect.String && t != structs.Number:
		to.SetString(v.String())
		return true, nil
	}
	return false, nil
}

func assignText(to reflect.Value, v schema.Value) (ok bool, err error) {
	t := to.Type()
	switch {
	case t == structs.Number:
		return false, nil
	case t.Kind() == reflect.String:
		to.SetString(strings.Clone(v.String()))
		return true, nil
	case t.Kind() == reflect.Pointer && t.Implements(structs.Unmarshaler):
		p := reflect.New(t.Elem())
		to.Set(p)
		return true, p.Interface().(encoding.TextUnmarshaler).UnmarshalText(v.Bytes())
	case to.CanAddr() && to.Addr().Type().Implements(structs.Unmarshaler):
		return true, to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(v.Bytes())
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		to.SetBytes([]byte(v.String()))
		return true, nil
	case t.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(v.String())
		if err != nil {
			return false, nil
		}
		to.SetBool(b)
		return true, nil
	}
	return false, nil
}

func assignFloat(to reflect.Value, x float64) bool {
	switch {
	case to.CanFloat():
		if to.OverflowFloat(x) || to.Kind() == reflect.Float32 && float64(float32(x)) != x {
			return false
		}
		to.SetFloat(x)
		return true
	case to.Type() == structs.Number:
		to.SetString(strconv.FormatFloat(x, 'g', -1, 64))
		return true
	}
	return x == math.Trunc(x) && x >= -1<<63 && x < 1<<63 && assignInteger(to, int64(x))
}

func assignInteger(to reflect.Value, n int64) bool {
	switch {
	case to.CanInt() && !to.OverflowInt(n):
		to.SetInt(n)
	case to.CanUint() && n >= 0 && !to.OverflowUint(uint64(n)):
		to.SetUint(uint64(n))
	case to.CanFloat() && float64(n) < 1<<63 && int64(float64(n)) == n && (to.Type().Kind() == reflect.Float64 || n == int64(float32(n))):
		to.SetFloat(float64(n))
	case to.Type() == structs.Number:
		to.SetString(strconv.FormatInt(n, 10))
	default:
		return false
	}
	return true
}
