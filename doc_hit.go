package pinion

import (
	"fmt"
	"reflect"

	"github.com/pinion-index/pinion/internal/structs"
	"github.com/pinion-index/pinion/schema"
)

// implicitName is the name by which values and passages have the field of the implicit schema.
const implicitName = "text"

// nameOf returns the name that a field of a schema or a request has in hits.
func nameOf(field string) string {
	if field == "" {
		return implicitName
	}
	return field
}

// Value returns the first value that the hit has in a field of Request.Fields, as schema.Value.Any does: a string, int64, float64 or time.Time.
// It is nil if there is none. The field of the implicit schema is "text".
func (h *Hit) Value(field string) any {
	for i := range h.Values {
		if h.Values[i].Name == nameOf(field) {
			return h.Values[i].Any()
		}
	}
	return nil
}

// All returns all values that the hit has in a field of Request.Fields, as Value does.
func (h *Hit) All(field string) (all []any) {
	for i := range h.Values {
		if h.Values[i].Name == nameOf(field) {
			all = append(all, h.Values[i].Any())
		}
	}
	return all
}

// Decode sets the fields of the struct that v points to: the id, and those of which the hit has values, for which Request.Fields name
// the fields of the index. Others stay as they are. Tags give names as for schema.For. Slices and arrays take several values, numbers
// those that they have exactly, strings also times, and what has UnmarshalText keywords and texts. The error, for what does not fit,
// names document, type and field and matches ErrInvalid.
func (h *Hit) Decode(v any) error {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Pointer || r.IsNil() {
		return fmt.Errorf("%w: Decode needs a pointer to a struct, and has a %T", ErrInvalid, v)
	}
	plan, err := structs.Of(r.Type().Elem())
	if err != nil {
		return err
	}
	return decode(r.Elem(), plan, h.ID, h.Values)
}

// decode sets the fields of a struct for which a document has values.
func decode(r reflect.Value, plan *structs.Plan, id string, values []schema.Value) error {
	if plan.ID != nil {
		r.FieldByIndex(plan.ID).SetString(id)
	}
	var own []schema.Value
	for i := range plan.Fields {
		f := &plan.Fields[i]
		own = own[:0]
		for j := range values {
			if values[j].Name == f.Name {
				own = append(own, values[j])
			}
		}
		if len(own) == 0 {
			continue
		}
		if err := assign(r.FieldByIndex(f.Index), own); err != nil {
			return fmt.Errorf("%w: document %q, %v, field %s: %w", ErrInvalid, id, plan.Type, f.Go, err)
		}
	}
	return nil
}
