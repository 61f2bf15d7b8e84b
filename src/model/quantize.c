/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/quantize.h"

/* Distance between rounded values of this magnitude. */
static uint64_t step_of(uint64_t value, unsigned bits)
{
    return value >> bits ? 1ull << (64 - bits - (unsigned)__builtin_clzll(value)) : 1;
}

uint64_t fm_quantize(uint64_t value, unsigned bits)
{
    uint64_t step = step_of(value, bits), half = step / 2;
    return (value > UINT64_MAX - half ? value : value + half) / step * step;
}

void fm_quantized_range(uint64_t value, uint64_t *min, uint64_t *max)
{
    uint64_t half = 0;
    if (value == fm_quantize(value, FM_QUANTIZED_BITS_LARGE))
        half = step_of(value, FM_QUANTIZED_BITS_LARGE) / 2;
    else if (value == fm_quantize(value, FM_QUANTIZED_BITS))
        half = step_of(value, FM_QUANTIZED_BITS) / 2;
    *min = value - half;
    *max = value > UINT64_MAX - half ? UINT64_MAX : value + half;
}
