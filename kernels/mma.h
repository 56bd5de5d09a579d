// The product of a tile of 16 rows of 32 bytes and one of 32 bytes by 8 columns, added to 16 by 8 sums, by the lanes of
// a warp together: mma.m16n8k32 of the PTX ISA, which is exact for integers. Lane l is in row r = l/4 and has place t = l%4
// there:
//
//	a[0], a[1]  bytes 4t to 4t+3 of rows r and r+8
//	a[2], a[3]  the same, of the other 16 bytes
//	b0, b1      bytes 4t to 4t+3 of column r, and of its other 16 bytes
//	d[0], d[1]  sums of row r in columns 2t and 2t+1; d[2], d[3]: of row r+8
#ifndef PINION_MMA_H
#define PINION_MMA_H
#include "cuda.h"

DEV void mma_bytes(int (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#ifdef PINION_EMU
    const int r = emu_self->lane >> 2, t = emu_self->lane & 3;
    uint64_t upper[4], lower[4];
    memcpy(upper, emu_exchange(FULL, (uint64_t)a[2] << 32 | a[0]) + 4 * r, sizeof upper);
    memcpy(lower, emu_exchange(FULL, (uint64_t)a[3] << 32 | a[1]) + 4 * r, sizeof lower);
    const uint64_t *columns = emu_exchange(FULL, (uint64_t)b1 << 32 | b0) + 8 * t;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++) {
            const uint64_t b = columns[4 * j + i];
            d[j] = __dp4a((int)(upper[i] >> 32), (int)(b >> 32), __dp4a((int)upper[i], (int)b, d[j]));
            d[2 + j] = __dp4a((int)(lower[i] >> 32), (int)(b >> 32), __dp4a((int)lower[i], (int)b, d[2 + j]));
        }
#else
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

#endif
