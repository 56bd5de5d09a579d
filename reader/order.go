package reader

// Order returns the field by whose column the documents of each segment are sorted: by the least
// value of each in ascending order, or by the greatest in descending order; those without a value
// come last. ok is false if they are in the order in which they were added, or in any.
func (s *Snapshot) Order() (field string, desc, ok bool) {
	if s.view == nil {
		return "", false, false
	}
	o := s.view.commit.Order
	if o.Field == 0 {
		return "", false, false
	}
	f, ok := s.view.commit.Schema.ByID(o.Field)
	if !ok {
		return "", false, false
	}
	return f.Name, o.Desc, true
}
