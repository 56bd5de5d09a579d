package gpu

import (
	"github.com/pinion-index/pinion/internal/gpu/layout"
	"github.com/pinion-index/pinion/internal/kernels"
)

// spreadBlocks is the number of blocks that a warp of SpreadDocs decodes.
const spreadBlocks = 8

// decoded is a list of a batch, which is decoded once.
type decoded struct {
	o    *posting
	slot uint32
	at   kernels.Ptr
}

// layOutMerged prepares the kernels that decode and merge the lists of the jobs. first
// holds the first tile of each query; a tile is 128 docIDs of a first list.
func (c *Conjunction) layOutMerged(l *batch, size int, tiles []kernels.Tile, first []uint32) error {
	x, st := c.x, &c.st
	seen, order := map[any]*decoded{}, []*decoded(nil)
	var lists, hits int64
	spreads, jobs, merges := 0, 0, 0
	for i := range l.jobs {
		ch := &l.jobs[i]
		na := int64(0)
		for t := range ch.plan.weights {
			o := &ch.plan.lists[t*len(x.docs.Views)+ch.seg]
			if seen[o.source()] == nil {
				d := &decoded{o: o}
				seen[o.source()] = d
				order = append(order, d)
				lists += 4*int64(o.n) + 16
				spreads += int(blocksOf(o)+spreadBlocks-1) / spreadBlocks
			}
			if t == 0 {
				na = int64(o.n)
				continue
			}
			jobs++
			merges += mergeTiles(na, int64(o.n))
		}
		hits += 4 * na
	}
	room := int64(len(tiles)) * 128
	if err := fits(room); err != nil {
		return err
	}
	size += 8*(len(tiles)+spreads+merges) + 16*len(order) + 40*(jobs+len(l.jobs)) + 4096
	if err := x.stages.Room(st, size, lists+hits+4*room+8*int64(len(tiles))+8*int64(c.slots)+512, c.outSize(room)); err != nil {
		return err
	}
	for i := range l.jobs {
		l.addTerms(&l.jobs[i])
		ch := &l.jobs[i]
		for t, o := range ch.drive {
			seen[o.source()].slot = l.terms[ch.first+t].List
		}
	}
	m := &merging{room: hits, hits: st.Scratch(hits)}
	c.mergeJobs(m, l, seen, order)
	c.p = kernels.IntersectParams{Counts: st.Scratch(4 * int64(len(tiles))), Out: st.Scratch(4 * room), NTiles: uint32(len(tiles)), Stride: 128}
	m.collect.Queries, m.collect.Tiles = layout.Put(st.Buffers, l.queries()), layout.Put(st.Buffers, tiles)
	m.collect.Counts, m.collect.Out, m.collect.NTiles = c.p.Counts, c.p.Out, uint32(len(tiles))
	c.merging = m
	c.gather(l, first, room)
	return nil
}

// mergeTiles returns the number of thread blocks that intersect lists of na and nb
// docIDs.
func mergeTiles(na, nb int64) int {
	return int((na + nb + kernels.MergeTile - 1) / kernels.MergeTile)
}

// mergeJobs prepares the lists to decode and the pairs to merge.
func (c *Conjunction) mergeJobs(m *merging, l *batch, seen map[any]*decoded, order []*decoded) {
	st := &c.st
	var decodes []kernels.DecodeJob
	var blocks, tiles []kernels.Tile
	for i, d := range order {
		d.at = st.Scratch(4 * int64(d.o.n))
		decodes = append(decodes, kernels.DecodeJob{Out: d.at, List: d.slot})
		for b := uint32(0); b < blocksOf(d.o); b += spreadBlocks {
			blocks = append(blocks, kernels.Tile{Job: uint32(i), First: b})
		}
	}
	var jobs, firsts []kernels.MergeJob
	at := m.hits
	for i := range l.jobs {
		drive := l.jobs[i].drive
		job := kernels.MergeJob{A: seen[drive[0].source()].at, Hits: at, NA: drive[0].n}
		firsts = append(firsts, job)
		for _, o := range drive[1:] {
			job.B, job.NB = seen[o.source()].at, o.n
			for t := range mergeTiles(int64(job.NA), int64(job.NB)) {
				tiles = append(tiles, kernels.Tile{Job: uint32(len(jobs)), First: uint32(t) * kernels.MergeTile})
			}
			jobs = append(jobs, job)
		}
		at += 4 * kernels.Ptr(job.NA)
	}
	m.spread = kernels.DecodeParams{Lists: c.x.lists.Table, Jobs: layout.Put(st.Buffers, decodes), Tiles: layout.Put(st.Buffers, blocks),
		NTiles: uint32(len(blocks)), TileBlocks: spreadBlocks}
	m.merge = kernels.MergeParams{Jobs: layout.Put(st.Buffers, jobs), Tiles: layout.Put(st.Buffers, tiles), NTiles: uint32(len(tiles))}
	m.collect.Jobs = layout.Put(st.Buffers, firsts)
}
