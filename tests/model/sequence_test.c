/* Sequences on their grids: thinned exactly, joined, bounded in ranks whatever the order, and checked. */
#include "model/sequence.h"

#include <string.h>

#include "format/encode.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "model/profile.h"
#include "tap.h"

/* A profile of one rank with a tree of n leaves; cell i has the node i % n + 1, which is a leaf. */
static struct fm_profile *made(uint32_t rank, uint32_t shift, uint64_t first, uint32_t n_cells, uint32_t n)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_call_paths *paths = &p->paths;
    struct fm_sequence *s = &paths->sequence;
    p->job.key = "job";
    paths->nodes = fm_arena_alloc(&p->arena, (n + 1) * sizeof *paths->nodes);
    paths->nodes[0] = (struct fm_path_node){.kind = FM_PATH_ROOT, .site = {"", "", 0}, .routine = ""};
    for (uint32_t i = 1; i <= n; i++)
        paths->nodes[i] = (struct fm_path_node){
            .kind = FM_PATH_LEAF, .site = {"a.out", "", 16 * i}, .routine = "", .own = fm_path_cost_of(1000, rank)};
    paths->n = paths->capacity = n + 1;
    fm_call_paths_inclusive(paths, rank);
    *s = (struct fm_sequence){.shift = shift, .first = first, .n_cells = n_cells, .n = 1, .capacity = 1};
    s->rows = fm_arena_alloc(&p->arena, sizeof *s->rows);
    s->rows[0] = (struct fm_sequence_row){rank, fm_arena_alloc(&p->arena, FM_SEQUENCE_CELLS * sizeof(uint32_t))};
    for (uint32_t i = 0; i < n_cells; i++)
        s->rows[0].cells[i] = i % n + 2;
    return p;
}

static struct fm_profile *merged(struct fm_profile *into, struct fm_profile *from)
{
    if (fm_profile_merge(into, from, NULL))
        printf("# merge failed\n");
    fm_profile_destroy(from);
    return into;
}

/* ---- */

static void check_thinning(void)
{
    struct fm_profile *p = merged(made(0, 20, 1001, 100, 7), made(1, 23, 130, 3, 7));
    const struct fm_sequence *s = &p->paths.sequence;
    unsigned wrong = 0;
    for (uint32_t i = 0; i < s->n_cells; i++) {
        uint64_t cell = s->first + i, fine = cell << 3;
        uint32_t right = fine >= 1001 && fine < 1101 ? (uint32_t)(fine - 1001) % 7 + 2 : 0;
        uint32_t other = cell >= 130 && cell < 133 ? (uint32_t)(cell - 130) % 7 + 2 : 0;
        wrong += s->rows[0].cells[i] != right || s->rows[1].cells[i] != other;
    }
    tap_ok(s->shift == 23 && s->first == 125 && s->n_cells == 13 && s->n == 2 && !wrong,
           "the longer cells of two; each has what was at its beginning");
    fm_profile_destroy(p);
    p = merged(made(0, 20, 0, 1024, 7), made(1, 20, 3000, 10, 7));
    s = &p->paths.sequence;
    tap_ok(s->shift == 22 && s->first == 0 && s->n_cells == (3009 >> 2) + 1 && s->rows[1].cells[750] == 2,
           "cells become longer until all time fits");
    fm_profile_destroy(p);
}

/* Leaves that only one has stand before, between and behind those of the other. */
static void check_numbers(void)
{
    struct fm_profile *p = made(0, 10, 50, 12, 4), *other = made(1, 10, 50, 12, 6);
    unsigned wrong = 0;
    for (uint32_t i = 1; i <= 6; i++)
        other->paths.nodes[i].site.offset = 10 + 13 * i;
    merged(p, other);
    const struct fm_call_paths *paths = &p->paths;
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t *mine = paths->sequence.rows[0].cells, *theirs = paths->sequence.rows[1].cells;
        wrong += paths->nodes[mine[i] - 1].site.offset != 16 * (i % 4 + 1) ||
                 paths->nodes[theirs[i] - 1].site.offset != 10 + 13 * (i % 6 + 1);
    }
    tap_ok(paths->n == 11 && !wrong, "cells go with their nodes");
    fm_profile_destroy(p);
}

static void check_same_rank(void)
{
    struct fm_profile *p = merged(made(3, 10, 50, 4, 4), made(3, 10, 52, 4, 4));
    const struct fm_sequence *s = &p->paths.sequence;
    const uint32_t right[] = {2, 3, 4, 5, 4, 5};
    tap_ok(s->n == 1 && s->n_cells == 6 && !memcmp(s->rows[0].cells, right, sizeof right),
           "two processes of a rank are in one row");
    fm_profile_destroy(p);
}

/* ---- many ranks ---- */

enum { MANY = 200 };

static struct fm_profile *many(uint32_t step)
{
    struct fm_profile *p = fm_profile_create();
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t rank = i * step % MANY;
        merged(p, made(rank, 10 + rank % 3, 1000, 20, 3));
    }
    return p;
}

static void check_ranks(void)
{
    struct fm_profile *up = many(1), *mixed = many(77); /* 77 and 200 have no divisor in common */
    const struct fm_sequence *a = &up->paths.sequence, *b = &mixed->paths.sequence;
    unsigned wrong = a->n != 50 || b->n != 50 || a->n_cells != b->n_cells || a->first != b->first;
    for (size_t i = 0; i < a->n && !wrong; i++)
        wrong += a->rows[i].rank != 4 * i || b->rows[i].rank != 4 * i ||
                 memcmp(a->rows[i].cells, b->rows[i].cells, a->n_cells * sizeof(uint32_t));
    tap_ok(!wrong && a->rank_shift == 2 && b->rank_shift == 2,
           "of 200 ranks every fourth, in whatever order they came");
    merged(up, made(1, 10, 1000, 20, 3));
    tap_ok(up->paths.sequence.n == 50, "a rank that was left out does not come back");
    fm_profile_destroy(up);
    fm_profile_destroy(mixed);
}

/* ---- files ---- */

static struct fm_profile *again(const struct fm_profile *p, bool exact, struct fm_arena *arena)
{
    struct fm_profile *read = NULL;
    const void *bytes;
    size_t size;
    enum fm_status status = exact ? fm_profile_encode_exact(p, arena, &bytes, &size, NULL)
                                  : fm_profile_encode(p, arena, &bytes, &size, NULL);
    if (status || fm_profile_decode(bytes, size, "it", &read, NULL))
        printf("# it cannot be read\n");
    return read;
}

static bool same(const struct fm_sequence *a, const struct fm_sequence *b)
{
    bool equal = a->shift == b->shift && a->first == b->first && a->n_cells == b->n_cells && a->n == b->n &&
                 a->rank_shift == b->rank_shift;
    for (size_t i = 0; equal && i < a->n; i++)
        equal = a->rows[i].rank == b->rows[i].rank &&
                !memcmp(a->rows[i].cells, b->rows[i].cells, a->n_cells * sizeof(uint32_t));
    return equal;
}

static void check_files(void)
{
    struct fm_arena arena = {0};
    struct fm_profile *p = fm_profile_create();
    for (uint32_t i = 0; i < 64; i++)
        merged(p, made(i, 10, 1000, 1024, 3));
    struct fm_profile *whole = again(p, true, &arena), *less = again(p, false, &arena), *same_less;
    tap_ok(whole && same(&whole->paths.sequence, &p->paths.sequence), "read(write(p)) == p");
    const struct fm_sequence *s = &less->paths.sequence;
    unsigned wrong = s->shift != 12 || s->n != 64 || s->n * s->n_cells > FM_SEQUENCE_IN_FILE || s->n_cells != 256;
    for (uint32_t i = 0; i < s->n_cells && !wrong; i++)
        wrong += s->rows[9].cells[i] != ((s->first + i) * 4 - 1000) % 3 + 2;
    tap_ok(!wrong, "a file for users has fewer cells (%u of %u)", s->n_cells, p->paths.sequence.n_cells);
    same_less = again(less, false, &arena);
    tap_ok(same(&same_less->paths.sequence, s), "and loses nothing more when it is written again");
    fm_profile_destroy(p);
    fm_profile_destroy(whole);
    fm_profile_destroy(less);
    fm_profile_destroy(same_less);
    fm_arena_destroy(&arena);
}

static void check_checks(void)
{
    struct fm_profile *p = merged(made(0, 10, 50, 4, 4), made(2, 10, 52, 4, 4));
    struct fm_sequence *s = &p->paths.sequence;
    size_t n = p->paths.n;
    bool good = !fm_sequence_check(s, n), found = fm_sequence_check(s, n - 1); /* names the last node */
    s->rows[1].rank = 0;
    found &= fm_sequence_check(s, n) != NULL;
    s->rows[1].rank = 3;
    s->rank_shift = 1;
    found &= fm_sequence_check(s, n) != NULL;
    s->rank_shift = 0;
    s->first = UINT64_MAX >> 10;
    found &= fm_sequence_check(s, n) != NULL;
    s->first = 50;
    s->shift = 63;
    found &= fm_sequence_check(s, n) != NULL;
    s->shift = 10;
    s->n_cells = 1025;
    found &= fm_sequence_check(s, n) != NULL;
    s->n_cells = 0;
    found &= fm_sequence_check(s, n) != NULL;
    tap_ok(good && found, "what is impossible is found");
    fm_profile_destroy(p);
}

int main(void)
{
    tap_ok(fm_sequence_shift_of(1) == 0 && fm_sequence_shift_of(1024) == 10 && fm_sequence_shift_of(1025) == 11,
           "cells are not shorter than a period");
    check_thinning();
    check_numbers();
    check_same_rank();
    check_ranks();
    check_files();
    check_checks();
    return tap_done();
}
