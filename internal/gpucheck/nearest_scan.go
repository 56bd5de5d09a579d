package main

import (
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/cuda"
	"github.com/pinion-index/pinion/internal/kernels"
)

// scanAlone measures the kernels that compare codes, with a floor that none reaches.
func (b *nearestBench) scanAlone(dev cuda.Device) error {
	info := dev.Info()
	const vectors = 1 << 22
	chunks := (b.dims + kernels.NearChunk - 1) / kernels.NearChunk
	const queries = 1024
	size := int64(vectors) * int64(64*chunks)
	codes := int64(queries * kernels.NearChunk * chunks)
	at, err := dev.Alloc(size + 16*vectors + codes + queries*(64+16+8+4+4) + 4096)
	if err != nil {
		return err
	}
	defer dev.Free(at)
	next := at
	take := func(n int64) kernels.Ptr {
		p := next
		next += kernels.Ptr((n + 255) &^ 255)
		return p
	}
	p := kernels.NearParams{High: take(size), Metas: take(16 * vectors), Codes: take(codes), Queries: take(64 * queries), Terms: take(16 * queries), Floors: take(8 * queries),
		Counts: take(8 * queries), End: vectors, Cap: 1, Chunks: uint32(chunks), By: 1}
	fill := cuda.Batch{}
	fill.FillWords(p.High, 0x7a3c95e1, size)
	fill.FillWords(p.Metas, 0x3f800000, 16*vectors)
	fill.FillWords(p.Codes, 0x13f907e2, codes)
	fill.FillWords(p.Queries, 0x3ff00000, 64*queries)
	fill.FillWords(p.Floors, 0xfeffffff, 8*queries)
	fill.Fill(p.Counts, 8*queries)
	if err := dev.Submit(&fill); err != nil {
		return err
	}
	for _, v := range []struct {
		kernel       kernels.Kernel
		rows, tiles  int
		blocks, most int
	}{{kernels.NearScan, 32, 8, 2, 1024}, {kernels.NearScanFew, 16, 1, 4, 8}} {
		for _, n := range []int{8, 64, 128, 512, 1024} {
			if n > v.most || n < 8*v.tiles {
				continue
			}
			p.NQueries, p.Groups = uint32(n), uint32((n+8*v.tiles-1)/(8*v.tiles))
			grid := int(p.Groups) * max(1, info.Multiprocessors*v.blocks/int(p.Groups))
			var took []float32
			for range 7 {
				batch := cuda.Batch{}
				batch.Launch(kernels.NearBegin, (n+255)/256, 0, kernels.Bytes(&p))
				batch.Record(0)
				batch.Launch(v.kernel, grid, kernels.NearShared(v.tiles, chunks), kernels.Bytes(&p))
				batch.Record(1)
				if err := dev.Submit(&batch); err != nil {
					return err
				}
				if err := dev.Wait(0); err != nil {
					return err
				}
				ms, err := dev.Elapsed(0, 1)
				if err != nil {
					return err
				}
				took = append(took, ms)
			}
			slices.Sort(took)
			s := float64(took[len(took)/2]) / 1e3
			fmt.Fprintf(b.log, "%v: %d queries, %d vectors: %.3f ms, %.0f T operations/s, %.2f TB/s read once\n", v.kernel, n, vectors, s*1e3,
				2*float64(n)*float64(vectors)*float64(chunks*kernels.NearChunk)/s/1e12, float64(size)/s/1e12)
		}
	}
	return nil
}
