package compat

import "math"

// entry is what a manifest says of a segment (section 6).
type entry struct {
	num, docs, postings, tokens, deletes, deleted, deletedTokens, values int
	id, deletesID, valuesID                                              string
	length, tail                                                         int
	fields                                                               map[int][4]int // of those with lengths, by id
}

// field is a field of the schema.
type field struct {
	id, kind, index, flags  int
	name, analyzer, options string
	of                      string // the field whose values it has, too
	k1, b, weight           float64
}

// manifest is what a manifest says of an index.
type manifest struct {
	generation, next  int
	analyzer, options string
	stored, keep      int
	fields            []field // of the schema
	segments          []entry
}

// readManifest reads section MANIFEST (section 6) in the form of a minor version.
func readManifest(content []byte, version int) *manifest {
	first := version == 2
	c := &cursor{content}
	m := &manifest{generation: c.varint(), next: c.varint(), analyzer: c.str(), options: c.str()}
	flags := 0
	if !first {
		flags, m.keep = c.varint(), c.varint()
		need(flags < 8 && m.keep <= math.MaxInt32 && c.varint() == 0, "flags %d, %d commits", flags, m.keep)
		m.stored = flags >> 1
		need(m.stored < 3, "stored %d", m.stored)
	}
	if flags&1 != 0 {
		need(m.analyzer == "" && m.options == "" && m.stored == 0, "analyzer or stored beside a schema")
		m.fields = readSchema(c)
	}
	used := map[int]bool{0: true}
	for range c.varint() {
		e := entry{num: c.varint(), id: string(c.take(16)), docs: c.varint(), postings: c.varint(), tokens: c.varint(),
			deletes: c.varint(), deleted: c.varint(), deletedTokens: c.varint()}
		need(!used[e.num] && (e.deletes == 0 || !used[e.deletes]) && e.num < m.next && e.deletes < m.next, "file numbers %d, %d", e.num, e.deletes)
		used[e.num], used[e.deletes] = true, true
		need((e.deletes == 0) == (e.deleted == 0), "%d deleted in file %d", e.deleted, e.deletes)
		if !first {
			e.rest(c, flags&1 != 0, version >= 8)
			need(e.values == 0 || !used[e.values] && e.values < m.next, "file number %d", e.values)
			used[e.values] = true
		}
		m.segments = append(m.segments, e)
	}
	need(len(c.b) == 0, "bytes behind the manifest")
	return m
}

// rest reads what version 0.2 lacks of a segment.
func (e *entry) rest(c *cursor, fields, values bool) {
	if e.deletes != 0 {
		e.deletesID = string(c.take(16))
	}
	if values {
		if e.values = c.varint(); e.values != 0 {
			e.valuesID = string(c.take(16))
		}
	}
	e.length, e.tail = c.varint(), c.varint()
	need(e.tail <= e.length, "tail at %d of %d", e.tail, e.length)
	if !fields {
		return
	}
	need(e.deletedTokens == 0, "deleted tokens beside those of the fields")
	e.fields = map[int][4]int{}
	last := 0
	for range c.varint() {
		id := c.varint()
		need(id > last, "field %d after %d", id, last)
		last = id
		e.fields[id] = [4]int{c.varint(), c.varint(), c.varint(), c.varint()}
	}
}

// readAncestry reads section ANCESTRY (section 6.1) of the manifest of a generation.
func readAncestry(content []byte, generation int) {
	c := &cursor{content}
	last := c.varint() - 1
	n := c.varint()
	need(last >= 0 && n >= 1 && n <= 256, "%d sessions after %d", n, last)
	for range n {
		c.take(8)
		of := c.varint()
		need(of >= 1, "a session of no commits")
		last += of
	}
	need(last == generation, "ancestry of %d", last)
	need(len(c.b) == 0, "bytes behind the ancestry")
}

// readCommitMeta reads section COMMITMETA (section 6.2).
func readCommitMeta(content []byte) map[string]string {
	c := &cursor{content}
	meta := map[string]string{}
	n, size, last := c.varint(), 0, ""
	need(n >= 1, "no keys")
	for range n {
		k, v := c.str(), c.str()
		need(k > last && len(k) <= 255 && v != "", "key %q after %q, value %q", k, last, v)
		meta[k], last = v, k
		size += len(k) + len(v)
	}
	need(size <= 65536 && len(c.b) == 0, "%d bytes of keys and values, and %d behind", size, len(c.b))
	return meta
}

// readSchema reads the schema of a manifest.
func readSchema(c *cursor) (fields []field) {
	next, n := c.varint(), 0
	sources := map[int]int{} // the number of the field whose values one has
	ids, names := map[int]bool{}, map[string]bool{}
	for n = range c.varint() {
		f := field{id: c.varint(), name: c.str(), kind: c.varint(), index: c.varint(), flags: c.varint(), analyzer: c.str(), options: c.str()}
		for _, x := range []*float64{&f.k1, &f.b, &f.weight} {
			*x = math.Float64frombits(u64(c.take(8), 0))
		}
		if f.kind == 7 {
			c.readVectorSchema()
			need(f.flags&^32 == 0, "field %q of vectors: %+v", f.name, f)
		}
		need(f.id > 0 && f.id < next && !ids[f.id] && !names[f.name] && f.name != "" && f.name[0] != '_', "field %d, %q", f.id, f.name)
		ids[f.id], names[f.name] = true, true
		text := f.kind == 1
		most := max(1, map[int]int{1: 4, 2: 2, 6: 3}[f.kind])
		need(f.kind != 6 || f.index == 3 && f.flags == 0 && f.k1 == 0 && f.b == 0, "field %q of impacts: %+v", f.name, f)
		need(f.kind >= 1 && f.kind <= 7 && f.index >= 1 && f.index <= most, "field %q: kind %d, index %d", f.name, f.kind, f.index)
		if f.flags&64 != 0 {
			need(text && f.flags&^2 == 64 && f.index > 1, "field %q has values of another: %+v", f.name, f)
			sources[n] = c.varint()
			f.flags &^= 64
		}
		need((f.flags < 32 || f.kind == 7) && (f.flags&4 == 0 || !text) && (f.flags&^32 < 8 || f.kind == 5), "field %q: flags %d", f.name, f.flags)
		need((f.analyzer != "") == text && (f.flags&2 == 0 || text && f.index >= 3), "field %q: analyzer %q, flags %d", f.name, f.analyzer, f.flags)
		need(f.index > 1 || (f.flags&5 != 0 || f.kind == 7) && f.k1 == 0 && f.b == 0 && f.weight == 0, "field %q is neither indexed nor stored", f.name)
		need(f.k1 >= 0 && f.k1 <= 1e6 && f.b >= 0 && f.b <= 1 && (f.weight == 0 || f.weight >= 1e-6 && f.weight <= 1e6), "field %q: parameters", f.name)
		fields = append(fields, f)
	}
	need(len(fields) > 0 && len(fields) <= 1024, "%d fields", len(fields))
	for n, of := range sources {
		_, chained := sources[of]
		need(of < len(fields) && !chained && fields[of].kind == 1, "field %d has the values of field %d", n, of)
		fields[n].of = fields[of].name
	}
	return fields
}
