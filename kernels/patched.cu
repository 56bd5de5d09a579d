// Kernels that decode whole lists of the patched codecs, newpfd, parapfor and pfordelta,
// to docIDs, stored or summed, and to frequencies. For bounds and sources see patched.h
// and pfordelta.h.
#include "decode.h"

DENSE(newpfd, NEWPFD, 5)
DENSE(parapfor, PARAPFOR, 5)
DENSE(pfordelta, PFORDELTA, 4)
DENSE_FREQS(newpfd, NEWPFD, 5)
DENSE_FREQS(parapfor, PARAPFOR, 5)
DENSE_FREQS(pfordelta, PFORDELTA, 4)
