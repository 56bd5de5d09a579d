package compat

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// vectorField is what files have of a field of vectors (4.10).
type vectorField struct {
	dims, similarity int
	width            int // bytes of a value; 0 without floats
	model            string
	docs, vectors    int
	centre           []float32
	clusters, groups int
}

// readVectorSchema reads what FIELDS and manifests have.
func (c *cursor) readVectorSchema() (v vectorField) {
	v.dims, v.similarity, v.width = c.varint(), c.varint(), c.varint()
	need(v.dims >= 1 && v.dims <= 4096 && v.similarity <= 2 && (v.width == 4 || v.width == 2 || v.width == 0), "%d dimensions, similarity %d, %d bytes", v.dims, v.similarity, v.width)
	v.model = c.str()
	return v
}

// readVectorField reads what FIELDS has.
func (c *cursor) readVectorField(clusters bool) (v vectorField) {
	v = c.readVectorSchema()
	v.docs, v.vectors = c.varint(), c.varint()
	need(v.vectors >= v.docs && (v.docs > 0) == (v.vectors > 0), "%d vectors of %d documents", v.vectors, v.docs)
	for range v.dims {
		if v.vectors > 0 {
			v.centre = append(v.centre, math.Float32frombits(uint32(u16(c.take(2), 0))<<16))
		}
	}
	if clusters {
		v.clusters, v.groups = c.varint(), c.varint()
		need(v.vectors > 0 && v.groups > 0 && v.groups <= v.clusters && v.clusters <= 1<<20, "%d clusters in %d groups", v.clusters, v.groups)
	}
	return v
}

// readVectors reads VECTORS and VECTORFLOATS into p.vectors (4.15), and makes the codes anew.
func (p *parsed) readVectors(codes, floats []byte) {
	p.vectors = map[string][][][]float32{}
	c, f, whole := &cursor{codes}, &cursor{floats}, true
	for _, x := range p.fields {
		if x.kind != 7 || x.vec.vectors == 0 {
			continue
		}
		n, all := x.vec.vectors, make([][][]float32, p.n)
		docs, seen := make([]int, n), 0
		if n == p.n && x.vec.docs == n {
			for i := range docs {
				docs[i] = i
			}
			seen = n
		} else {
			for i, b := 0, c.padded(4*n); i < n; i++ {
				if docs[i] = u32(b, 4*i); i == 0 || docs[i] > docs[i-1] {
					seen++
				}
				need(docs[i] < p.n && (i == 0 || docs[i] >= docs[i-1]), "vector %d of document %d", i, docs[i])
			}
		}
		need(seen == x.vec.docs, "vectors of %d documents", seen)
		plane := (x.vec.dims + 63) / 64 * 32
		metas, upper, lower := c.padded(16*n), c.padded(plane*n), c.padded(plane*n)
		if x.vec.clusters > 0 {
			p.clusters = append(p.clusters, c.readClusters(&x.vec))
		}
		rest := f.padded(x.vec.width * x.vec.dims * n)
		whole = whole && x.vec.width == 0
		for i, doc := range docs {
			meta, high, low := metas[16*i:16*i+16], upper[plane*i:plane*(i+1)], lower[plane*i:plane*(i+1)]
			if x.vec.width == 0 {
				all[doc] = append(all[doc], codeAlone(x.vec.dims, meta, high, low, x.vec.centre))
				continue
			}
			v := make([]float32, x.vec.dims)
			for j := range v {
				if at := x.vec.width * (i*x.vec.dims + j); x.vec.width == 2 {
					v[j] = half(u16(rest, at))
				} else {
					v[j] = math.Float32frombits(uint32(u32(rest, at)))
				}
			}
			ownMeta, ownHigh, ownLow := codeOf(v, x.vec.centre)
			need(bytes.Equal(meta, ownMeta) && bytes.Equal(high, ownHigh) && bytes.Equal(low, ownLow), "the code of vector %d in field %q", i, x.name)
			all[doc] = append(all[doc], v)
		}
		p.vectors[x.name] = all
	}
	need(len(c.b) == 0 && len(f.b) == 0 && (codes != nil) == (len(p.vectors) > 0) && (floats != nil) == !whole, "vectors")
}

// readClusters reads the clusters of a field, and returns their version.
func (c *cursor) readClusters(v *vectorField) (version uint64) {
	points := v.clusters + v.groups
	head, base := c.padded(24), c.padded(4*v.dims)
	metas, planes := c.padded(16*points), c.padded((v.dims+63)/64*32*points)
	groups, ends, lists := c.padded(4*v.groups), c.padded(4*v.clusters), c.padded(4*v.vectors)
	version = binary.LittleEndian.Uint64(head)
	need(xxhash.Sum64(slices.Concat(head[8:20], base, metas, planes, groups)) == version, "the version of clusters")
	for _, at := range []int{16, 20} {
		far := math.Float32frombits(uint32(u32(head, at)))
		need(far >= 0 && far <= math.MaxFloat32, "a mean distance of %v", far)
	}
	ascend := func(b []byte, n int) {
		last := 0
		for ; len(b) > 0; b = b[4:] {
			need(u32(b, 0) >= last, "ends of clusters")
			last = u32(b, 0)
		}
		need(last == n, "clusters end at %d of %d", last, n)
	}
	ascend(groups, v.clusters)
	ascend(ends, v.vectors)
	seen, from := make([]bool, v.vectors), 0
	for i := range v.clusters {
		end := u32(ends, 4*i)
		for at := from; at < end; at++ {
			n := u32(lists, 4*at)
			need(n < v.vectors && !seen[n] && (at == from || n > u32(lists, 4*at-4)), "vector %d in cluster %d", n, i)
			seen[n] = true
		}
		from = end
	}
	return version
}

// padded takes n bytes, and the zeros up to a multiple of 64 behind them.
func (c *cursor) padded(n int) []byte {
	b := c.take(n)
	for _, z := range c.take(-n & 63) {
		need(z == 0, "padding between vectors")
	}
	return b
}

// codeOf returns the code of x.
func codeOf(x, centre []float32) (meta, upper, lower []byte) {
	d := len(x)
	moved, far := make([]float32, d), 0.0
	for i := range x {
		moved[i] = x[i] - centre[i]
		far += float64(moved[i]) * float64(moved[i])
	}
	far = math.Sqrt(far)
	y := turn(turn(moved, 0), 1)
	var m float32
	for _, v := range y {
		m = max(m, float32(math.Abs(float64(v))))
	}
	step := m / 127
	if step < 0x1p-100 {
		step = 0
	}
	plane := (d + 63) / 64 * 32
	upper, lower = make([]byte, plane), make([]byte, plane)
	var e4, e8 float64
	for i, v := range y {
		code := 128.0
		if step > 0 {
			code = 128 + min(max(math.Round(float64(v)/float64(step)), -127), 127)
		}
		at, shift := 32*(i/64)+i%32, i%64/32*4
		upper[at] |= byte(int(code) / 16 << shift)
		lower[at] |= byte(int(code) % 16 << shift)
		high := float64(v) - float64(float64(step)*(math.Floor(code/16)*16+7.5-128))
		both := float64(v) - float64(float64(step)*(code-128))
		e4 += float64(high * high)
		e8 += float64(both * both)
	}
	for _, v := range []float32{step, float32(far), length(x)} {
		meta = binary.LittleEndian.AppendUint32(meta, math.Float32bits(v))
	}
	for _, e := range []float64{e4, e8} {
		v := math.Float32bits(float32((math.Sqrt(e) + 0x1p-19*far + 0x1p-110) * (1 + 0x1p-21)))
		if v%(1<<16) > 0 {
			v += 1 << 16
		}
		meta = binary.LittleEndian.AppendUint16(meta, uint16(v>>16))
	}
	return meta, upper, lower
}

// length returns the length of x in float32 (8.4): in 16 sums, of which the upper half is added to the lower.
func length(x []float32) float32 {
	var sums [16]float32
	for i, v := range x {
		sums[i%16] += float32(v * v)
	}
	for n := 8; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return float32(math.Sqrt(float64(sums[0])))
}

// turn is a round of the rotation.
func turn(x []float32, round uint64) []float32 {
	y := order(x, round)
	transform(y)
	return y
}

// order returns the values of x as a round takes them, with their signs.
func order(x []float32, round uint64) []float32 {
	next := pcg(0, round)
	p := make([]int, len(x))
	for i := range p {
		p[i] = i
	}
	for j := len(x) - 1; j > 0; j-- {
		k, _ := bits.Mul64(next(), uint64(j+1))
		p[j], p[k] = p[k], p[j]
	}
	y := make([]float32, len(x))
	for i := range y {
		if y[i] = x[p[i]]; next()>>31&1 == 1 {
			y[i] = -y[i]
		}
	}
	return y
}

// transform makes each block of y its Hadamard transform.
func transform(y []float32) {
	for rest := y; len(rest) > 0; {
		n := 1
		for 2*n <= len(rest) {
			n *= 2
		}
		hadamard(rest[:n])
		rest = rest[n:]
	}
}

func hadamard(v []float32) {
	for h := 1; h < len(v); h *= 2 {
		for i := range v {
			if i/h%2 == 0 {
				v[i], v[i+h] = v[i]+v[i+h], v[i]-v[i+h]
			}
		}
	}
	for i := range v {
		v[i] *= float32(1 / math.Sqrt(float64(len(v))))
	}
}

// pcg returns a generator PCG-DXSM of two words.
func pcg(hi, lo uint64) func() uint64 {
	return func() uint64 {
		const mulHi, mulLo, addHi, addLo = 2549297995355413924, 4865540595714422341, 6364136223846793005, 1442695040888963407
		h, l := bits.Mul64(lo, mulLo)
		h += hi*mulLo + lo*mulHi
		l, carry := bits.Add64(l, addLo, 0)
		h, _ = bits.Add64(h, addHi, carry)
		hi, lo = h, l
		h ^= h >> 32
		h *= 0xda942042e4dd58b5
		h ^= h >> 48
		return h * (l | 1)
	}
}

// half returns the value of a finite float16.
func half(b int) float32 {
	exponent, fraction := b>>10&31, b&1023
	need(exponent < 31, "a float16 of %04x", b)
	if exponent > 0 {
		fraction += 1024
	}
	return float32(math.Ldexp(float64(fraction), max(exponent, 1)-25) * float64(1-b>>15*2))
}
