// The kernel of check.h for lists of any codec.
#include "check.h"

KERNEL(check_blocks, CheckParams, 256, 2) { check_tile(p); }
