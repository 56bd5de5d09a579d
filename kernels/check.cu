// Validation of lists in device memory, before other kernels follow their offsets:
// endpoints ascend and end with the payload, binary-packed blocks are whole vectors, last
// docIDs ascend and are documents of the segment, bucket starts ascend to n.
// norms_of_lengths, which runs once per segment, is here too.
//
// Bound: 12 bytes per block of 128 postings and 4 bytes per bucket of 256, compared with
// about 140 bytes per block for the copy to the device: at memory speed, 0.2% of the time
// of the copy.
#include "list.h"

// ascending reports, for the thread's share of words[0..n), whether they do not decrease,
// end with last, and have no bits of mask.
DEV bool ascending(const uint32_t *words, uint32_t n, uint32_t last, uint32_t mask, int thread, int threads) {
    bool ok = true;
    for (uint32_t i = thread; i < n; i += threads) {
        uint32_t v = words[i];
        if (i && v < words[i - 1]) ok = false;
        if (v & mask) ok = false;
        if (i + 1 == n ? v != last : v > last) ok = false;
    }
    return ok;
}

KERNEL(check_lists, CheckParams, 256, 4) {
    uint32_t i = blockIdx.x;
    if (i >= p.count) return;
    const ListDesc l = at<ListDesc>(p.lists)[at<uint32_t>(p.which)[i]];
    int t = threadIdx.x, nt = blockDim.x;
    uint32_t bad = 0;
    uint32_t docMask = l.docsCodec == CODEC_BP128 || l.docsCodec == CODEC_BP256 ? 3 : 0;
    uint32_t freqMask = l.freqsCodec == CODEC_BP128 || l.freqsCodec == CODEC_BP256 ? 3 : 0;
    if (!ascending(at<uint32_t>(l.docEnds), l.nb + 1, l.docWords, docMask, t, nt)) bad |= CHECK_DOCENDS;
    if (!ascending(at<uint32_t>(l.freqEnds), l.nb + 1, l.freqWords, freqMask, t, nt)) bad |= CHECK_FREQENDS;
    const uint32_t *last = at<uint32_t>(l.last);
    for (uint32_t j = t; j < l.nb; j += nt)
        if (last[j] >= l.maxDoc || (j && last[j] <= last[j - 1])) bad |= CHECK_LAST;
    if (l.hash && !ascending(at<uint32_t>(l.hash), (1u << l.hashBits) + 1, l.n, 0, t, nt)) bad |= CHECK_HASH;
    uint32_t all = 0;
    for (uint32_t b = 1; b <= CHECK_HASH; b <<= 1)
        if (__syncthreads_or(bad & b)) all |= b;
    if (t == 0) at_rw<uint32_t>(p.status)[i] = all;
}

// norms_of_lengths writes the norm of every document: table[length]. The table, with its
// rounding, is computed by query.Scorer.
KERNEL(norms_of_lengths, NormParams, 256, 4) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    uint32_t len;
    if (p.width == 1) len = at<uint8_t>(p.lengths)[i];
    else if (p.width == 2) len = at<uint16_t>(p.lengths)[i];
    else len = at<uint32_t>(p.lengths)[i];
    if (len >= p.tableLen) len = p.tableLen - 1;
    at_rw<float>(p.norms)[i] = at<float>(p.table)[len];
}
