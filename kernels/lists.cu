// What becomes of a list in device memory, apart from decoding it. The first load of a list
// needs these kernels, so they are a small module.
//
// check_lists runs each time a list is loaded: endpoints ascend and end with the payload,
// binary-packed blocks are whole vectors, last docIDs ascend and are documents of the
// segment, bucket starts ascend to n. After it no kernel reads outside a list, whatever
// its payload. The first time, check_blocks (check.h) follows.
//
// Bound: check_lists reads 12 bytes per block of 128 postings and 4 bytes per bucket of
// 256, compared with about 140 bytes per block for the copy to the device: at memory
// speed, 0.2% of the time of the copy.
#include "check.h"
#include "recode.h"

// ascending reports, for the thread's share of words[0], words[stride] and so on, n of them,
// whether each is at least step more than the one before and at most most, and has no bits of
// mask. If exact is set, the last one must be most. A thread has several loads under way: one
// after the other they would take as long as the copy.
DEV bool ascending(const uint32_t *words, uint32_t n, uint32_t stride, uint32_t step, uint32_t most, bool exact, uint32_t mask) {
    const uint32_t loads = 4;
    bool ok = true;
    for (uint32_t from = threadIdx.x; from < n; from += loads * blockDim.x) {
        uint32_t v[loads], before[loads];
#pragma unroll
        for (uint32_t k = 0; k < loads; k++) {
            uint32_t i = from + k * blockDim.x;
            v[k] = i < n ? words[stride * i] : 0;
            before[k] = i && i < n ? words[stride * (i - 1)] : 0;
        }
#pragma unroll
        for (uint32_t k = 0; k < loads; k++) {
            uint32_t i = from + k * blockDim.x;
            if (i >= n) continue;
            if (i && (v[k] < before[k] || v[k] - before[k] < step)) ok = false;
            if (v[k] & mask) ok = false;
            if (exact && i + 1 == n ? v[k] != most : v[k] > most) ok = false;
        }
    }
    return ok;
}

// table_ascends checks the table of buckets in the payload of an hslrc list.
DEV bool table_ascends(const ListDesc &l) {
    uint32_t shift, end = hslrc_table(l.n, at<uint32_t>(l.last)[l.nb - 1], &shift), head = at<uint32_t>(l.docEnds)[0];
    const uint32_t *table = at<uint32_t>(l.docs);
    return head == end + 1 && head <= l.docWords && table[end] == shift && ascending(table, end / 4, 4, 0, l.n, false, 0);
}

KERNEL(check_lists, CheckParams, 512, 2) {
    uint32_t i = blockIdx.x;
    if (i >= p.count) return;
    const ListDesc l = at<ListDesc>(p.descs)[i];
    uint32_t bad = 0;
    uint32_t docMask = l.docsCodec == CODEC_BP128 || l.docsCodec == CODEC_BP256 ? 3 : 0;
    uint32_t freqMask = l.freqsCodec == CODEC_BP128 || l.freqsCodec == CODEC_BP256 ? 3 : 0;
    if (!ascending(at<uint32_t>(l.docEnds), l.nb + 1, 1, 0, l.docWords, true, docMask)) bad |= CHECK_DOCENDS;
    if (!ascending(at<uint32_t>(l.freqEnds), l.nb + 1, 1, 0, l.freqWords, true, freqMask)) bad |= CHECK_FREQENDS;
    if (!l.maxDoc || !ascending(at<uint32_t>(l.last), l.nb, 1, 1, l.maxDoc - 1, false, 0)) bad |= CHECK_LAST;
    if (l.hash && !ascending(at<uint32_t>(l.hash), (1u << l.hashBits) + 1, 1, 0, l.n, true, 0)) bad |= CHECK_HASH;
    if (l.docsCodec == CODEC_HSLRC && !table_ascends(l)) bad |= CHECK_HASH;
    uint32_t all = 0;
    for (uint32_t b = 1; b <= CHECK_HASH; b <<= 1)
        if (__syncthreads_or(bad & b)) all |= b;
    if (threadIdx.x) return;
    at_rw<ListDesc>(p.lists)[at<CheckJob>(p.jobs)[i].list] = l;
    at_rw<CheckStatus>(p.status)[i] = {all, FULL, {0, 0, 0}, 0};
}

// scan_blocks turns lengths of blocks into endpoints: a thread block a list.
KERNEL(scan_blocks, RecodeParams, 256, 4) {
    __shared__ uint32_t sums[8];
    if (blockIdx.x >= p.count) return;
    const RecodeJob job = at<RecodeJob>(p.jobs)[blockIdx.x];
    if (!recodes(p, job)) return;
    uint32_t nb = at<ListDesc>(p.lists)[job.list].nb, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int part = 0; part < 2; part++) {
        uint32_t *ends = at_rw<uint32_t>(job.ends) + part * (nb + 1), before = 0;
        for (uint32_t from = 0; from < nb; from += 256) {
            uint32_t i = from + threadIdx.x, n = i < nb ? ends[i] : 0, sum = warp_scan(n, lane);
            if (lane == 31) sums[warp] = sum;
            __syncthreads();
            uint32_t all = 0;
            for (uint32_t w = 0; w < 8; w++) {
                if (w < warp) sum += sums[w];
                all += sums[w];
            }
            if (i < nb) ends[i] = before + sum - n;
            before += all;
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            ends[nb] = before;
            at_rw<uint32_t>(p.sizes)[2 * blockIdx.x + part] = before;
        }
    }
}

// publish_recoded copies what precedes the payloads, with the new endpoints, and replaces
// the descriptor: a thread block a list.
KERNEL(publish_recoded, RecodeParams, 256, 4) {
    if (blockIdx.x >= p.count) return;
    const RecodeJob job = at<RecodeJob>(p.jobs)[blockIdx.x];
    if (!job.to || !recodes(p, job)) return;
    ListDesc l = at<ListDesc>(p.lists)[job.list];
    for (uint32_t i = threadIdx.x; i < job.head / 16; i += blockDim.x) at_rw<uint4>(job.to)[i] = at<uint4>(job.from)[i];
    __syncthreads();
    uint64_t moved = job.to - job.from;
    l.docEnds += moved;
    l.freqEnds += moved;
    for (uint32_t i = threadIdx.x; i <= l.nb; i += blockDim.x) {
        at_rw<uint32_t>(l.docEnds)[i] = at<uint32_t>(job.ends)[i];
        at_rw<uint32_t>(l.freqEnds)[i] = at<uint32_t>(job.ends)[l.nb + 1 + i];
    }
    if (threadIdx.x) return;
    l.last += moved;
    l.quads += moved;
    if (l.hash) l.hash += moved;
    l.docs = job.to + job.docsAt;
    l.freqs = job.to + job.freqsAt;
    l.docWords = at<uint32_t>(job.ends)[l.nb];
    l.freqWords = at<uint32_t>(job.ends)[2 * l.nb + 1];
    l.docsCodec = l.freqsCodec = CODEC_BP128;
    at_rw<ListDesc>(p.lists)[job.list] = l;
}

// publish_presence makes the words that mark_docs has written visible to other kernels.
KERNEL(publish_presence, PresenceParams, 256, 4) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.nJobs) return;
    const PresenceJob job = at<PresenceJob>(p.jobs)[i];
    at_rw<ListDesc>(p.lists)[job.list].presence = job.words;
}

// norms_of_lengths writes the norm of every document: table[length]. The table, with its
// rounding, is computed by query.Scorer. It sets over to the greatest length that is not
// in the table, if there is one.
KERNEL(norms_of_lengths, NormParams, 256, 4) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    uint32_t len = length_of(p.lengths, p.width, i);
    if (len >= p.tableLen) {
        atomicMax(at_rw<uint32_t>(p.over), len);
        return;
    }
    at_rw<float>(p.norms)[i] = at<float>(p.table)[len];
}
