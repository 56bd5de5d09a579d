package residency

// Lists in other codecs with blocks of 128 are written in bp128 when they have been loaded
// and checked (kernels/recode.h): queries decode bp128 fastest. The device measures the
// blocks while it checks them; once the host knows the sizes, it finds room, and the
// device writes the lists there. A list for which there is no room without evicting others
// stays as it is.

import "github.com/pinion-index/pinion/internal/kernels"

// Recodes reports whether a list is one to write in bp128.
func Recodes(d *kernels.ListDesc) bool {
	fast := kernels.CodecsOf(kernels.Raw, kernels.BP128, kernels.BP256)
	return d.LogBlock == 7 && kernels.CodecsOf(d.DocsCodec, d.FreqsCodec)&^fast != 0
}

// measure begins to measure the lists from first on that are to be recoded, after their
// checks.
func (ld *loading) measure(first int) {
	l, r := ld.l, &ld.recoding
	var words int64
	for _, v := range ld.lists[first:] {
		if v.recodes {
			words += 2 * (int64(v.Blocks) + 1)
		}
	}
	if words == 0 {
		return
	}
	l.Mu.Lock()
	ends, ok := l.spare(4 * words)
	l.Mu.Unlock()
	if !ok {
		return
	}
	r.ends = append(r.ends, span{ends, 4 * words})
	from, tiles, codecs := r.n, uint32(0), kernels.CodecSet(0)
	for i := first; i < len(ld.lists); i++ {
		v := &ld.lists[i]
		if !v.recodes {
			continue
		}
		tiles += (v.Blocks + kernels.CheckTile - 1) / kernels.CheckTile
		r.jobs[r.n] = kernels.RecodeJob{Ends: ends, From: v.At, List: v.Slot, Check: uint32(i), Tiles: tiles, Head: v.head}
		ends += kernels.Ptr(8 * (v.Blocks + 1))
		r.lists = append(r.lists, i)
		r.n++
		codecs |= v.Codecs
	}
	r.from |= codecs
	p := ld.recodeParams(from)
	p.NTiles = tiles
	ld.checks.CopyIn(p.Jobs, kernels.Slice(r.jobs[from:r.n]))
	ld.checks.Launch(kernels.For(kernels.MeasurePostings, codecs), int(tiles+7)/8, 0, kernels.Bytes(&p))
	ld.checks.Launch(kernels.ScanBlocks, r.n-from, 0, kernels.Bytes(&p))
}

// recodeParams are the parameters for the jobs from from on, without NTiles.
func (ld *loading) recodeParams(from int) kernels.RecodeParams {
	return kernels.RecodeParams{Lists: ld.l.Table, Jobs: ld.scratch + kernels.Ptr(recodeAt+recodeSize*from), Status: ld.scratch + kernels.Ptr(statusAt),
		Sizes: ld.scratch + kernels.Ptr(sizesAt+sizeSize*from), Count: uint32(ld.recoding.n - from)}
}

// recode writes the measured lists that are not among bad in bp128, as far as there is
// room, and waits for it. Their old places are unused afterwards.
func (ld *loading) recode(bad []error) error {
	l, r := ld.l, &ld.recoding
	var total int64
	tiles := uint32(0)
	size := func(j int) int64 {
		return (int64(r.jobs[j].Head) + 4*int64(r.sizes[j][0]) + 4*int64(r.sizes[j][1]) + 63) &^ 63
	}
	for j := range r.n {
		v := &ld.lists[r.lists[j]]
		tiles += (v.Blocks + kernels.CheckTile - 1) / kernels.CheckTile
		r.jobs[j].Tiles, r.jobs[j].DocsAt, r.jobs[j].FreqsAt = tiles, r.jobs[j].Head, r.jobs[j].Head+4*r.sizes[j][0]
		if bad[r.lists[j]] == nil {
			total += size(j)
		}
	}
	l.Mu.Lock()
	at, all := kernels.Ptr(0), false
	if !l.Isolate {
		at, all = l.spare(total)
	}
	some := all
	for j := range r.n {
		if bad[r.lists[j]] != nil {
			continue
		}
		if all {
			r.jobs[j].To = at
			at += kernels.Ptr(size(j))
		} else if p, ok := l.spare(size(j)); ok {
			r.jobs[j].To, some = p, true
		}
	}
	l.Mu.Unlock()
	if !some {
		return nil
	}
	p := ld.recodeParams(0)
	p.NTiles = tiles
	ld.checks.CopyIn(p.Jobs, kernels.Slice(r.jobs[:r.n]))
	ld.checks.Launch(kernels.For(kernels.RecodePostings, r.from), int(tiles+7)/8, 0, kernels.Bytes(&p))
	ld.checks.Launch(kernels.PublishRecoded, r.n, 0, kernels.Bytes(&p))
	err := Flush(l.dev, &ld.checks)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for j := range r.n {
		if r.jobs[j].To == 0 {
			continue
		}
		if err != nil {
			l.Release(r.jobs[j].To, size(j))
			continue
		}
		v := &ld.lists[r.lists[j]]
		ld.unused = append(ld.unused, span{v.At, v.Size})
		v.At, v.Size = r.jobs[j].To, size(j)
		v.Codecs, v.Elements = kernels.CodecsOf(kernels.BP128), false
	}
	return err
}
