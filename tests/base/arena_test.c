#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "tap.h"

static void test_alloc(void)
{
    struct fm_arena arena = {0};
    bool aligned = true, zeroed = true, apart = true;
    char *last = NULL;
    for (size_t size = 1; size < 3000; size += 7) {
        char *memory = fm_arena_alloc(&arena, size);
        aligned &= (uintptr_t)memory % 16 == 0;
        for (size_t i = 0; i < size; i++)
            zeroed &= memory[i] == 0;
        memset(memory, 0x5a, size);
        apart &= memory != last;
        last = memory;
    }
    tap_ok(aligned, "allocations are aligned to 16 bytes");
    tap_ok(zeroed, "allocations are zeroed and do not overlap");
    tap_ok(apart && fm_arena_alloc(&arena, 0), "every allocation, even of nothing, has an address");
    char *large = fm_arena_alloc(&arena, 100 << 20);
    tap_ok(large && !large[(100 << 20) - 1], "a large allocation gets a chunk of its own");
    tap_ok(!fm_arena_alloc(&arena, SIZE_MAX - 5) && !fm_arena_alloc(&arena, SIZE_MAX / 2), "absurd sizes give NULL");
    fm_arena_destroy(&arena);
    tap_ok(!arena.chunks && fm_arena_alloc(&arena, 1), "a destroyed arena is an empty one");
    fm_arena_destroy(&arena);
}

static void test_grow(void)
{
    struct fm_arena arena = {0};
    size_t capacity = 0, other_capacity = 0;
    uint32_t *array = NULL, *other = NULL;
    bool kept = true;
    for (uint32_t n = 0; n < 100000; n++) {
        array = fm_arena_grow(&arena, array, &capacity, n + 1, sizeof *array);
        array[n] = n;
        if (n % 3 == 0) { /* so that the first is not always the newest allocation */
            other = fm_arena_grow(&arena, other, &other_capacity, n / 3 + 1, sizeof *other);
            other[n / 3] = ~n;
        }
    }
    for (uint32_t n = 0; n < 100000; n++)
        kept &= array[n] == n && (n % 3 || other[n / 3] == ~n);
    tap_ok(kept, "growing arrays keep their items");
    tap_ok(!fm_arena_grow(&arena, array, &capacity, SIZE_MAX / 2, sizeof *array), "growing beyond reason gives NULL");
    fm_arena_destroy(&arena);
}

/* Two arrays that share one allocation: growing the first must not run into the second. */
static void test_slices(void)
{
    struct fm_arena arena = {0};
    uint64_t *both = fm_arena_alloc(&arena, 2 * sizeof *both);
    both[0] = 1;
    both[1] = 2;
    size_t capacity = 1;
    uint64_t *second = fm_arena_grow(&arena, both + 1, &capacity, 5, sizeof *both);
    second[1] = 7;
    tap_ok(second != both + 1 && second[0] == 2 && both[1] == 2, "a slice of an allocation is copied when it grows");
    const char *text = fm_arena_strndup(&arena, "abcdef", 3);
    tap_ok(!strcmp(text, "abc"), "strndup cuts and ends its text");
    fm_arena_destroy(&arena);
}

/* What one arena has left is zeroed memory again for the next, and nothing of it is lost. */
static void test_spare(void)
{
    enum { BYTES = 40000, LARGE = 2 << 20 };
    struct fm_arena spare = {0}, first = {.spare = &spare}, second = {.spare = &spare};
    char *left = memset(fm_arena_alloc(&first, BYTES), 7, BYTES);
    memset(fm_arena_alloc(&first, LARGE), 7, LARGE);
    fm_arena_destroy(&first);
    char *again = fm_arena_alloc(&second, BYTES);
    bool zero = true;
    for (int i = 0; i < BYTES; i++)
        zero &= again[i] == 0;
    tap_ok(again == left, "a chunk that is left is used again");
    tap_ok(zero, "and is zeroed");
    tap_ok(!spare.chunks, "a large one goes back to the system");
    fm_arena_destroy(&second);
    tap_ok(spare.chunks, "what is left lives until the spare arena is destroyed");
    fm_arena_destroy(&spare);
    tap_ok(!spare.chunks, "and not longer");
}

int main(void)
{
    test_spare();
    test_alloc();
    test_grow();
    test_slices();
    return tap_done();
}
