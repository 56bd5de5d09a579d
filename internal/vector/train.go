package vector

import (
	"math"
	"math/rand/v2"
	"sync"
)

// trainRounds is how often Train moves points to the means of their clusters.
const trainRounds = 8

// Train returns about k clusters of n vectors, more than 0: k-means (Lloyd, Least squares quantization in PCM, 1982) into about the root of k
// groups, and then of each group. The same vectors give the same clusters, whatever the number of threads.
func Train(dims int, by Similarity, k, n, threads int, at func(i int) []float32) *Clusters {
	c := &Clusters{Dims: dims, By: by}
	t := training{c: c, at: at, threads: max(threads, 1), points: make([]point, n)}
	c.Base = Mean(dims, func(yield func([]float32) bool) {
		room := make([]float32, dims)
		for i := range n {
			if !yield(unitOf(room, at(i), by)) {
				return
			}
		}
	})
	t.each(n, func() func(i int) {
		coder, room := c.coder(), make([]float32, dims)
		return func(i int) { t.points[i] = pointOf(coder, unitOf(room, at(i), by), nil) }
	})
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	groups, _ := t.divide(all, int(math.Round(math.Sqrt(float64(k)))))
	metas, high := c.Metas, c.High
	c.Metas, c.High = nil, nil
	far := 0.0
	for _, members := range groups {
		if len(members) > 0 {
			_, own := t.divide(members, (k*len(members)+n/2)/n)
			far += own
		}
		c.Ends = append(c.Ends, uint32(len(c.Metas)))
	}
	c.Metas, c.High = append(c.Metas, metas...), append(c.High, high...)
	c.Spread = float32(far / float64(n))
	return c
}

// training is a Train on its way.
type training struct {
	c       *Clusters
	at      func(i int) []float32
	threads int
	points  []point // of all vectors
}

// each calls what start returns for numbers below n, on several goroutines.
func (t *training) each(n int, start func() func(i int)) {
	var wait sync.WaitGroup
	for w := range t.threads {
		wait.Go(func() {
			f := start()
			for i := w * n / t.threads; i < (w+1)*n/t.threads; i++ {
				f(i)
			}
		})
	}
	wait.Wait()
}

// divide divides vectors into at most k clusters, but at least one, whose points it appends to those of c. It returns the vectors of each, and
// the sum of their distances from the points.
func (t *training) divide(members []uint32, k int) (groups [][]uint32, far float64) {
	k = min(max(k, 1), len(members))
	d := dividing{training: t, members: members, from: len(t.c.Metas), means: make([][]float32, k),
		of: make([]uint32, len(members)), far: make([]float64, len(members)), groups: make([][]uint32, k)}
	random := rand.New(rand.NewPCG(uint64(len(members)), uint64(k)))
	for i, j := range random.Perm(len(members))[:k] {
		d.means[i] = unitOf(make([]float32, t.c.Dims), t.at(int(members[j])), t.c.By)
	}
	d.place()
	for range trainRounds {
		d.move()
		d.place()
	}
	for _, x := range d.far {
		far += x
	}
	return d.groups, far
}

// dividing is a divide on its way.
type dividing struct {
	*training
	members []uint32
	from    int         // number of the first point
	means   [][]float32 // what the points are the codes of
	of      []uint32    // the group of each member, and its distance from the point
	far     []float64
	groups  [][]uint32
}

// place makes points of the means, and puts each member into the group of the nearest.
func (d *dividing) place() {
	c, k := d.c, len(d.means)
	coder := c.coder()
	c.Metas, c.High = c.Metas[:d.from], c.High[:d.from*PlaneSize(c.Dims)]
	var low []byte
	for _, mean := range d.means {
		var m Meta
		c.High, low, m = coder.Encode(c.High, low[:0], mean)
		c.Metas = append(c.Metas, m)
	}
	d.each(len(d.members), func() func(i int) {
		near := make([]float64, k)
		return func(i int) {
			p := &d.points[d.members[i]]
			c.nearness(near, p, d.from, d.from+k, true)
			best := 0
			for j, x := range near {
				if x > near[best] {
					best = j
				}
			}
			d.of[i], d.far[i] = uint32(best), p.distance(near[best])
		}
	})
	for g := range d.groups {
		d.groups[g] = d.groups[g][:0]
	}
	for i, g := range d.of {
		d.groups[g] = append(d.groups[g], d.members[i])
	}
}

// move moves means to those of their groups. One without members goes to the member that is farthest from its own.
func (d *dividing) move() {
	for g := range d.groups {
		if len(d.groups[g]) > 0 {
			continue
		}
		farthest := 0
		for i, x := range d.far {
			if x > d.far[farthest] {
				farthest = i
			}
		}
		d.far[farthest] = 0
		unitOf(d.means[g], d.at(int(d.members[farthest])), d.c.By)
	}
	d.each(len(d.means), func() func(g int) {
		sum, room := make([]float64, d.c.Dims), make([]float32, d.c.Dims)
		return func(g int) {
			if len(d.groups[g]) == 0 {
				return
			}
			clear(sum)
			for _, m := range d.groups[g] {
				for i, x := range unitOf(room, d.at(int(m)), d.c.By) {
					sum[i] += float64(x)
				}
			}
			for i, s := range sum {
				d.means[g][i] = float32(s / float64(len(d.groups[g])))
			}
		}
	})
}
