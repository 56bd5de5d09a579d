// Making presence words (presence.h): mark_docs sets the bits of every posting in words that
// are zero. publish_presence (lists.cu) then makes them visible to other kernels, in a separate
// launch so that all bits have been set.
//
// Bound: decoding (list.h) and at most one atomic operation in L2 per posting; adjacent
// docIDs of a lane in the same word share the operation.
#ifndef PINION_MARK_H
#define PINION_MARK_H
#include "presence.h"

// mark_share is the body of a kernel: a thread block marks its share of the blocks of one list.
DEV void mark_share(const PresenceParams &p) {
    int lane = threadIdx.x & 31;
    uint32_t warp = (blockIdx.x % p.parts) * 8 + (threadIdx.x >> 5);
    if (blockIdx.x / p.parts >= p.nJobs) return;
    const PresenceJob job = at<PresenceJob>(p.jobs)[blockIdx.x / p.parts];
    const ListDesc l = at<ListDesc>(p.lists)[job.list];
    uint32_t *words = at_rw<uint32_t>(job.words), scale = l.presenceScale;
    for (uint32_t j = warp; j < l.nb; j += 8 * p.parts)
        each_docs(l, j, lane, [&](uint32_t, uint4 v, uint32_t count) {
            uint32_t d[4] = {v.x, v.y, v.z, v.w}, last = 0, bits = 0;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (4 * lane + k >= count || d[k] >= l.maxDoc) continue;
                uint32_t w = presence_word(d[k], scale);
                if (bits && w != last) {
                    atomicOr(words + last, bits);
                    bits = 0;
                }
                last = w;
                bits |= presence_bits(d[k], scale);
            }
            if (bits) atomicOr(words + last, bits);
        });
}

#endif
