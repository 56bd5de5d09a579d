//go:build 386 || arm || armbe || amd64p32 || mips || mipsle || mips64p32 || mips64p32le || ppc || riscv || s390 || sparc || mips64 || ppc64 || s390x || sparc64 || arm64be

package format

// Little-endian words are viewed in place, and offsets exceed 32 bits.
var _ = pinion_needs_a_64_bit_little_endian_platform
