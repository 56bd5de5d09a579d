// Whole lists of the patched codecs to docIDs, in device memory or summed: newpfd,
// parapfor, pfordelta. Bounds and sources: patched.h and pfordelta.h.
#include "decode.h"

DENSE(newpfd, NEWPFD, 5)
DENSE(parapfor, PARAPFOR, 5)
DENSE(pfordelta, PFORDELTA, 4)

// decode_freqs_dense decodes frequencies of rice, pfordelta and parapfor.
KERNEL(decode_freqs_dense, DecodeParams, 256, 5) {
    int lane = threadIdx.x & 31;
    uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (tile >= p.nTiles) return;
    Run r = read_run(p, tile, lane, true);
    switch (freqs_kind(r.l.freqsCodec)) {
    case RICE: return freqs_of<RICE>(p, r, lane);
    case PARAPFOR: return freqs_of<PARAPFOR>(p, r, lane);
    case PFORDELTA: return freqs_of<PFORDELTA>(p, r, lane);
    }
}
