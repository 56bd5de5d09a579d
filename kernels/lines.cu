// Whole lists of the linear-regression codecs to docIDs, in device memory or summed.
// Bounds and sources: lines.h.
#include "decode.h"

KERNEL(decode_docs_lrc, DecodeParams, 256, 6) { dense_to_docs<LRC>(p); }
KERNEL(decode_docs_lrcseg, DecodeParams, 256, 6) { dense_to_docs<LRCSEG>(p); }
KERNEL(decode_docs_seglrc, DecodeParams, 256, 6) { dense_to_docs<SEGLRC>(p); }
KERNEL(decode_docs_hslrc, DecodeParams, 256, 4) { dense_to_docs<HSLRC>(p); }
KERNEL(sum_docs_lrc, DecodeParams, 256, 6) { dense_to_sum<LRC>(p); }
KERNEL(sum_docs_lrcseg, DecodeParams, 256, 6) { dense_to_sum<LRCSEG>(p); }
KERNEL(sum_docs_seglrc, DecodeParams, 256, 6) { dense_to_sum<SEGLRC>(p); }
KERNEL(sum_docs_hslrc, DecodeParams, 256, 4) { dense_to_sum<HSLRC>(p); }
