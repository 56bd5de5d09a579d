// Whole lists of the codecs with unary parts to docIDs, in device memory or summed: ef
// and rice. Bounds and sources: unary.h.
#include "decode.h"

KERNEL(decode_docs_ef, DecodeParams, 256, 6) { dense_to_docs<ELIAS>(p); }
KERNEL(decode_docs_rice, DecodeParams, 256, 6) { dense_to_docs<RICE>(p); }
KERNEL(sum_docs_ef, DecodeParams, 256, 6) { dense_to_sum<ELIAS>(p); }
KERNEL(sum_docs_rice, DecodeParams, 256, 6) { dense_to_sum<RICE>(p); }
