/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/pack.h"

#include <string.h>

enum { FM_MODEL_LIMIT = 60, FM_MODEL_MIN = 512 };

/* ---- models ---- */

static void reset_models(struct fm_bit_model *models, size_t n)
{
    for (size_t i = 0; i < n; i++)
        models[i] = (struct fm_bit_model){32768, 0};
}

static void reset_numbers(struct fm_number_model *model)
{
    reset_models(model->zero, 4);
    reset_models(model->length, 64);
    reset_models(&model->mantissa[0][0], sizeof model->mantissa / sizeof(struct fm_bit_model));
    model->history = 0;
}

static uint32_t probability(const struct fm_bit_model *model)
{
    if (model->one < FM_MODEL_MIN)
        return FM_MODEL_MIN;
    return model->one > 65536 - FM_MODEL_MIN ? 65536 - FM_MODEL_MIN : model->one;
}

/* The nth bit moves the probability by 1 / (n + 1.5): fast at first, stable later. */
static void update(struct fm_bit_model *model, unsigned bit)
{
    int target = bit ? 65535 : 0, step = 2 * model->seen + 3;
    model->one = (uint16_t)(model->one + 2 * (target - model->one) / step);
    if (model->seen < FM_MODEL_LIMIT)
        model->seen++;
}

/* Where the interval [low, high] is split; the lower part means 1. */
static uint32_t split(uint32_t low, uint32_t high, uint32_t one)
{
    return low + (uint32_t)(((uint64_t)(high - low) * one) >> 16);
}

/* ---- bits ---- */

static void put_byte(struct fm_packer *packer, uint8_t byte)
{
    if (packer->n == packer->capacity) {
        uint8_t *bytes = fm_arena_grow(packer->arena, packer->bytes, &packer->capacity, packer->n + 256, 1);
        if (!bytes) {
            packer->failed = true;
            return;
        }
        packer->bytes = bytes;
    }
    packer->bytes[packer->n++] = byte;
}

static void put_bit(struct fm_packer *packer, uint32_t one, unsigned bit)
{
    uint32_t middle = split(packer->low, packer->high, one);
    if (bit)
        packer->high = middle;
    else
        packer->low = middle + 1;
    while (!((packer->low ^ packer->high) >> 24)) {
        put_byte(packer, (uint8_t)(packer->high >> 24));
        packer->low <<= 8;
        packer->high = packer->high << 8 | 255;
    }
}

static void put_modelled(struct fm_packer *packer, struct fm_bit_model *model, unsigned bit)
{
    put_bit(packer, probability(model), bit);
    update(model, bit);
}

static uint32_t next_byte(struct fm_unpacker *unpacker)
{
    if (unpacker->at < unpacker->n)
        return unpacker->bytes[unpacker->at++];
    /* The writer leaves out trailing zero bytes: up to four. */
    if (++unpacker->at > unpacker->n + 4)
        unpacker->failed = true;
    return 0;
}

static unsigned get_bit(struct fm_unpacker *unpacker, uint32_t one)
{
    uint32_t middle = split(unpacker->low, unpacker->high, one);
    unsigned bit = unpacker->code <= middle;
    if (bit)
        unpacker->high = middle;
    else
        unpacker->low = middle + 1;
    while (!((unpacker->low ^ unpacker->high) >> 24)) {
        unpacker->low <<= 8;
        unpacker->high = unpacker->high << 8 | 255;
        unpacker->code = unpacker->code << 8 | next_byte(unpacker);
    }
    return bit;
}

static unsigned get_modelled(struct fm_unpacker *unpacker, struct fm_bit_model *model)
{
    unsigned bit = get_bit(unpacker, probability(model));
    update(model, bit);
    return bit;
}

/* ---- numbers: whether zero, number of bits, the first bits after the leading one, the others ---- */

static void put_number(struct fm_packer *packer, struct fm_number_model *model, uint64_t value)
{
    put_modelled(packer, &model->zero[model->history], value == 0);
    model->history = (model->history << 1 | (value == 0)) & 3;
    if (!value)
        return;
    unsigned length = 63u - (unsigned)__builtin_clzll(value), node = 1;
    for (int i = 5; i >= 0; i--) {
        unsigned bit = length >> i & 1;
        put_modelled(packer, &model->length[node], bit);
        node = node << 1 | bit;
    }
    node = 1;
    for (int i = (int)length - 1; i >= 0; i--) {
        unsigned bit = (unsigned)(value >> i & 1);
        if (node < 1 << FM_PACK_MANTISSA) {
            put_modelled(packer, &model->mantissa[length][node], bit);
            node = node << 1 | bit;
        } else {
            put_bit(packer, 32768, bit);
        }
    }
}

static uint64_t get_number(struct fm_unpacker *unpacker, struct fm_number_model *model)
{
    unsigned zero = get_modelled(unpacker, &model->zero[model->history]);
    model->history = (model->history << 1 | zero) & 3;
    if (zero)
        return 0;
    unsigned node = 1;
    for (int i = 0; i < 6; i++)
        node = node << 1 | get_modelled(unpacker, &model->length[node]);
    unsigned length = node & 63;
    uint64_t value = 1;
    node = 1;
    for (int i = (int)length - 1; i >= 0; i--) {
        unsigned bit;
        if (node < 1 << FM_PACK_MANTISSA) {
            bit = get_modelled(unpacker, &model->mantissa[length][node]);
            node = node << 1 | bit;
        } else {
            bit = get_bit(unpacker, 32768);
        }
        value = value << 1 | bit;
    }
    return value;
}

void fm_pack_begin(struct fm_packer *packer, struct fm_arena *arena)
{
    *packer = (struct fm_packer){.arena = arena, .high = UINT32_MAX};
    reset_numbers(&packer->single);
}

/* Writes the fewest bytes that, followed by zeros, are in the interval. */
void fm_pack_end(struct fm_packer *packer)
{
    uint32_t low = packer->low;
    for (int shift = 24; low && shift >= 0; shift -= 8) {
        uint64_t up = ((uint64_t)low + (1u << shift) - 1) >> shift << shift;
        if (up <= packer->high) {
            for (int at = 24; at >= shift; at -= 8)
                put_byte(packer, (uint8_t)(up >> at));
            return;
        }
    }
}

void fm_pack_number(struct fm_packer *packer, uint64_t value)
{
    put_number(packer, &packer->single, value);
}

void fm_unpack_begin(struct fm_unpacker *unpacker, const void *bytes, size_t n)
{
    *unpacker = (struct fm_unpacker){.bytes = bytes, .n = n, .high = UINT32_MAX};
    reset_numbers(&unpacker->single);
    for (int i = 0; i < 4; i++)
        unpacker->code = unpacker->code << 8 | next_byte(unpacker);
}

uint64_t fm_unpack_number(struct fm_unpacker *unpacker)
{
    return get_number(unpacker, &unpacker->single);
}

/* ---- text: bytes, with a binary tree of bit models ---- */

void fm_pack_text(struct fm_packer *packer, const char *text, size_t length)
{
    struct fm_bit_model tree[256];
    reset_models(tree, 256);
    for (size_t i = 0; i < length; i++) {
        unsigned node = 1;
        for (int shift = 7; shift >= 0; shift--) {
            unsigned bit = (unsigned char)text[i] >> shift & 1;
            put_modelled(packer, &tree[node], bit);
            node = node << 1 | bit;
        }
    }
}

void fm_unpack_text(struct fm_unpacker *unpacker, char *text, size_t length)
{
    struct fm_bit_model tree[256];
    reset_models(tree, 256);
    for (size_t i = 0; i < length && !unpacker->failed; i++) {
        unsigned node = 1;
        for (int shift = 7; shift >= 0; shift--)
            node = node << 1 | get_modelled(unpacker, &tree[node]);
        text[i] = (char)(node & 255);
    }
}

/* ---- columns ---- */

/* Rounds to ten leading bits, as a small number with the same order; 0..1023 are unchanged. */
static uint64_t to_short(uint64_t value)
{
    if (value < 1024)
        return value;
    unsigned shift = 54u - (unsigned)__builtin_clzll(value);
    uint64_t half = 1ull << (shift - 1);
    uint64_t leading = value > UINT64_MAX - half ? value >> shift : (value + half) >> shift; /* may become 1024, */
    return ((uint64_t)shift << 9) + leading;                                                 /* which keeps the order */
}

static uint64_t from_short(uint64_t number)
{
    if (number < 1024)
        return number;
    uint64_t shift = (number >> 9) - 1, leading = (number & 511) | 512;
    return shift < 55 ? leading << shift : UINT64_MAX;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static unsigned bits_of(uint64_t value)
{
    return value ? 64u - (unsigned)__builtin_clzll(value) : 0;
}

static size_t reference(const uint32_t *before, size_t i)
{
    return before ? before[i] : i - 1;
}

/* Zigzag encoding of signed differences: 0, -1, 1, -2, 2 ... */
static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unzigzag(uint64_t encoded)
{
    return encoded >> 1 ^ (0 - (encoded & 1));
}

static uint64_t divide_signed(uint64_t difference, uint64_t scale)
{
    return difference >> 63 ? 0 - (0 - difference) / scale : difference / scale;
}

struct shape {
    uint64_t base;  /* smallest value, or the first one */
    uint64_t scale; /* common divisor of all differences, at least 1 */
    uint64_t min;   /* smallest encoded difference */
    uint64_t cost;
};

static struct shape shape_from_min(const uint64_t *values, size_t n)
{
    struct shape shape = {.base = UINT64_MAX};
    for (size_t i = 0; i < n; i++)
        if (values[i] < shape.base)
            shape.base = values[i];
    for (size_t i = 0; i < n && shape.scale != 1; i++)
        shape.scale = common_divisor(values[i] - shape.base, shape.scale);
    if (!shape.scale)
        shape.scale = 1;
    for (size_t i = 0; i < n; i++)
        shape.cost += bits_of((values[i] - shape.base) / shape.scale);
    return shape;
}

static struct shape shape_from_earlier(const uint64_t *values, size_t n, const uint32_t *before)
{
    struct shape shape = {.base = values[0], .min = UINT64_MAX};
    for (size_t i = 1; i < n && shape.scale != 1; i++) {
        uint64_t difference = values[i] - values[reference(before, i)];
        shape.scale = common_divisor(difference >> 63 ? 0 - difference : difference, shape.scale);
    }
    if (!shape.scale)
        shape.scale = 1;
    for (size_t i = 1; i < n; i++) {
        uint64_t encoded = zigzag(divide_signed(values[i] - values[reference(before, i)], shape.scale));
        if (encoded < shape.min)
            shape.min = encoded;
    }
    for (size_t i = 1; i < n; i++)
        shape.cost += bits_of(zigzag(divide_signed(values[i] - values[reference(before, i)], shape.scale)) - shape.min);
    return shape;
}

enum { FM_COLUMN_FROM_EARLIER = 1, FM_COLUMN_ROUNDED = 2 };

void fm_pack_column(struct fm_packer *packer, uint64_t *values, size_t n, const uint32_t *before, bool rounded)
{
    if (!n)
        return;
    for (size_t i = 0; rounded && i < n; i++)
        values[i] = to_short(values[i]);
    struct shape shape = shape_from_min(values, n), other = n > 1 ? shape_from_earlier(values, n, before) : shape;
    unsigned mode = (rounded ? FM_COLUMN_ROUNDED : 0) | (other.cost < shape.cost ? FM_COLUMN_FROM_EARLIER : 0);
    if (mode & FM_COLUMN_FROM_EARLIER)
        shape = other;
    fm_pack_number(packer, mode);
    fm_pack_number(packer, shape.base);
    fm_pack_number(packer, shape.scale - 1);
    reset_numbers(&packer->column);
    if (!(mode & FM_COLUMN_FROM_EARLIER)) {
        for (size_t i = 0; i < n; i++)
            put_number(packer, &packer->column, (values[i] - shape.base) / shape.scale);
        return;
    }
    fm_pack_number(packer, shape.min);
    for (size_t i = 1; i < n; i++) {
        uint64_t difference = divide_signed(values[i] - values[reference(before, i)], shape.scale);
        put_number(packer, &packer->column, zigzag(difference) - shape.min);
    }
}

void fm_unpack_column(struct fm_unpacker *unpacker, uint64_t *values, size_t n, const uint32_t *before)
{
    if (!n)
        return;
    uint64_t mode = fm_unpack_number(unpacker), base = fm_unpack_number(unpacker);
    uint64_t scale = fm_unpack_number(unpacker) + 1;
    reset_numbers(&unpacker->column);
    if (mode & FM_COLUMN_FROM_EARLIER) {
        uint64_t min = fm_unpack_number(unpacker);
        values[0] = base;
        for (size_t i = 1; i < n && !unpacker->failed; i++) {
            uint64_t difference = unzigzag(get_number(unpacker, &unpacker->column) + min) * scale;
            values[i] = values[reference(before, i)] + difference;
        }
    } else {
        for (size_t i = 0; i < n && !unpacker->failed; i++)
            values[i] = base + get_number(unpacker, &unpacker->column) * scale;
    }
    for (size_t i = 0; mode & FM_COLUMN_ROUNDED && i < n && !unpacker->failed; i++)
        values[i] = from_short(values[i]);
}
