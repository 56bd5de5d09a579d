// cut_tiles, a warp per part, writes the tiles of rank. Bound: 12 bytes written a tile, instead
// of as many that the host writes and copies.
#include "cuda.h"
#include "params.h"

KERNEL(cut_tiles, TileParams, 256, 8) {
    uint32_t i = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (i >= p.nParts) return;
    const RankPart o = at<RankPart>(p.parts)[i];
    RankTile *tiles = at_rw<RankTile>(p.tiles) + o.at;
    uint32_t n = (o.to - o.from + p.run - 1) / p.run;
    for (uint32_t k = lane; k < n; k += 32) tiles[k] = {o.query, o.from + k * p.run, o.to};
}
