package record

import "github.com/pinion-index/pinion/schema"

// AppendLines appends the values of a record to dst in a form to read: for each a line with the
// field's name, a colon, a space and the value. It leaves out what field does not know. On an
// error it returns dst unchanged.
func AppendLines(dst, b []byte, field func(id uint32) (*schema.Field, bool)) ([]byte, error) {
	out := dst
	for len(b) > 0 {
		v, rest, err := Next(b)
		if err != nil {
			return dst, err
		}
		b = rest
		f, ok := field(v.ID)
		if !ok {
			continue
		}
		x, err := v.Value(0, f.Kind)
		if err != nil {
			return dst, err
		}
		out = append(append(out, f.Name...), ": "...)
		if f.Kind == schema.Text || f.Kind == schema.Keyword {
			out = append(out, x.Bytes()...)
		} else {
			out = append(out, x.String()...)
		}
		out = append(out, '\n')
	}
	return out, nil
}
