/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/peak.h"

#if defined __x86_64__
#include <cpuid.h>
#elif defined __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "base/platform.h"
#endif

#if defined __x86_64__
/* Which registers the kernel saves, and so lets programs use. Faults without OSXSAVE. */
static uint32_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

struct fm_vectors fm_vectors_here(void)
{
    enum { SAVED_AVX = 0x6, SAVED_AVX512 = 0xe6 };
    struct fm_vectors sse = {16, false}, avx = {32, false}, avx2 = {32, true}, avx512 = {64, true};
    uint32_t a, b = 0, c = 0, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
        return sse;
    uint32_t saved = saved_registers(), features = c;
    if ((saved & SAVED_AVX) != SAVED_AVX)
        return sse;
    if (!(features & bit_FMA) || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
        return avx;
    return b & bit_AVX512F && (saved & SAVED_AVX512) == SAVED_AVX512 ? avx512 : avx2;
}
#elif defined __aarch64__
struct fm_vectors fm_vectors_here(void)
{
    enum { ASIMD_BYTES = 16 };
    unsigned long features = getauxval(AT_HWCAP);
    uint32_t bytes = features & HWCAP_ASIMD ? ASIMD_BYTES : 0;
    if (features & HWCAP_SVE) {
        long length = fm_kernel(SYS_prctl, PR_SVE_GET_VL);
        uint32_t sve = length > 0 ? (uint32_t)length & PR_SVE_VL_LEN_MASK : 0;
        bytes = sve > bytes ? sve : bytes;
    }
    return (struct fm_vectors){bytes, true};
}
#endif

uint32_t fm_vectors_peak(struct fm_vectors vectors)
{
    enum { UNITS = 2 };
    return UNITS * (vectors.bytes / (uint32_t)sizeof(double)) * (vectors.fma ? 2 : 1);
}
