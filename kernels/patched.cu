// Whole lists of the patched codecs to docIDs, in device memory or summed: newpfd,
// parapfor, pfordelta. Bounds and sources: patched.h and pfordelta.h.
#include "decode.h"

KERNEL(decode_docs_newpfd, DecodeParams, 256, 6) { dense_to_docs<NEWPFD>(p); }
KERNEL(decode_docs_parapfor, DecodeParams, 256, 6) { dense_to_docs<PARAPFOR>(p); }
KERNEL(decode_docs_pfordelta, DecodeParams, 256, 4) { dense_to_docs<PFORDELTA>(p); }
KERNEL(sum_docs_newpfd, DecodeParams, 256, 6) { dense_to_sum<NEWPFD>(p); }
KERNEL(sum_docs_parapfor, DecodeParams, 256, 6) { dense_to_sum<PARAPFOR>(p); }
KERNEL(sum_docs_pfordelta, DecodeParams, 256, 4) { dense_to_sum<PFORDELTA>(p); }
