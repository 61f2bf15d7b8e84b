/* Trees of segments: right ones, and such that are none. */
#include <stdlib.h>
#include <string.h>

#include "generated/routines.h"
#include "merge/from_segment.h"
#include "merge/synthetic.h"
#include "model/check.h"
#include "tap.h"

enum { PLACES = 3000, PERIOD = 2000000 };

static const struct fm_synthetic job = {
    .ranks = 4, .routines = 4, .sites = 1, .neighbours = 1, .ranks_per_host = 4, .seed = 1, .paths = PLACES};

/* A segment of rank 2 without paths but the root, with the modules of the synthetic one. */
static struct fm_segment_header *fresh(struct fm_segment_path **places)
{
    struct fm_segment_header *header = aligned_alloc(64, fm_synthetic_bytes(&job));
    fm_synthetic_segment(&job, 2, header);
    *places = (void *)((char *)header + header->sections[FM_SECTION_PATHS].offset);
    memset(*places, 0, PLACES * sizeof **places);
    (*places)[0].kind = FM_PATH_ROOT;
    header->n_paths = 1;
    header->sample_period_ns = PERIOD;
    header->samples_lost = header->folded_periods = 0;
    return header;
}

static void put(struct fm_segment_header *header, struct fm_segment_path *places, uint32_t place, uint32_t parent,
                unsigned kind, uint64_t address, uint64_t periods)
{
    places[place] = (struct fm_segment_path){address, parent, (uint16_t)kind, 0, periods};
    if (place >= header->n_paths)
        header->n_paths = place + 1;
}

/* Reads and frees. */
static struct fm_profile *read_all(struct fm_segment_header *header)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_profile_from_segment(NULL, header, fm_synthetic_bytes(&job), "it", FM_END_UNKNOWN, 0, 0, &profile, &error))
        printf("# %s\n", error.text);
    else if (fm_profile_check(profile))
        printf("# %s\n", fm_profile_check(profile));
    free(header);
    return profile;
}

/* "call exe 0x100 0+5" for a node: kind, file, offset, own and all in periods. */
static const char *text_of(const struct fm_path_node *node)
{
    static char text[200];
    static const char *const kinds[] = {"none", "root", "gap", "call", "routine", "leaf"};
    const char *file = strrchr(node->site.module, '/');
    snprintf(text, sizeof text, "%u %s %s%s%llx %llu/%llu", node->parent, kinds[node->kind], node->routine,
             file ? file + 1 : "", (unsigned long long)node->site.offset, (unsigned long long)node->own.sum_ns / PERIOD,
             (unsigned long long)node->all.sum_ns / PERIOD);
    return text;
}

static bool nodes_are(const struct fm_profile *p, const char *const *texts, size_t n)
{
    bool equal = p && p->paths.n == n && !fm_profile_check(p);
    for (size_t i = 0; p && i < p->paths.n; i++) {
        const char *text = text_of(&p->paths.nodes[i]);
        if (i >= n || strcmp(text, texts[i])) {
            printf("# node %zu is %s, not %s\n", i, text, i < n ? texts[i] : "there");
            equal = false;
        }
    }
    return equal;
}
#define NODES_ARE(p, ...) \
    nodes_are(p, (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static void test_plain(void)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    put(header, places, 1, 5, FM_PATH_LEAF, 0x7f0000000020, 3);
    put(header, places, 2, 5, FM_PATH_LEAF, 0x550000000220, 4);
    put(header, places, 3, 5, FM_PATH_ROUTINE, FM_R_MPI_Wait, 20);
    put(header, places, 4, 5, FM_PATH_ROUTINE, FM_R_MPI_Barrier, 10);
    put(header, places, 5, 7, FM_PATH_CALL, 0x550000000110, 1);
    put(header, places, 7, 0, FM_PATH_CALL, 0x550000000100, 0);
    put(header, places, 8, 0, FM_PATH_GAP, 0, 0);
    put(header, places, 9, 8, FM_PATH_LEAF, 0x123, 2);
    put(header, places, 10, 7, FM_PATH_CALL, 0x550000000500, 0); /* nothing was sampled there */
    put(header, places, 11, 5, FM_PATH_LEAF, 0x220, 6);
    places[11].module = 1; /* unloaded since, and the same place as 2 */
    struct fm_profile *p = read_all(header);
    tap_ok(NODES_ARE(p, "0 root 0 0/46", "0 gap 0 0/2", "1 leaf 123 2/2", "0 call ocean100 0/44",
                     "3 call ocean110 1/44", "4 routine MPI_Barrier0 10/10", "4 routine MPI_Wait0 20/20",
                     "4 leaf ocean220 10/10", "4 leaf libfield.so.15020 3/3"),
           "a tree in any order of places becomes one in depth-first order");
    const struct fm_path_node *wait = &p->paths.nodes[6];
    tap_ok(wait->own.ranks == 1 && wait->own.max_ns == 20 * PERIOD && wait->own.min_ns == 20 * PERIOD &&
               wait->own.max_rank == 2 && wait->own.min_rank == 2 && wait->own.squares[0] == 40000ull * 40000,
           "the costs are those of one rank");
    tap_ok(p->paths.lost == 0 && p->paths.period_ns[0] == PERIOD && p->paths.period_ns[1] == PERIOD, "nothing is lost");
    static const uint32_t nodes[] = {0, 2, 4, 5, 6, 7, 8}; /* of the others one child has all */
    bool shares = p->paths.n_shares == 7;
    for (size_t i = 0; shares && i < 7; i++)
        shares = p->paths.shares[i].node == nodes[i] && p->paths.shares[i].rank == 2 &&
                 p->paths.shares[i].all_ns == p->paths.nodes[nodes[i]].all.sum_ns;
    tap_ok(shares, "ranks tell their shares of what matters");
    fm_profile_destroy(p);
}

/* Many functions: only the heaviest have shares, the first ones of equal. */
static void test_shares(void)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    for (uint32_t i = 1; i <= 100; i++)
        put(header, places, i, 0, FM_PATH_LEAF, 0x550000000000 + i, i == 90 ? 9 : 5);
    struct fm_profile *p = read_all(header);
    const struct fm_path_share *shares = p->paths.shares;
    bool right = p->paths.n_shares == FM_PATH_SHARES && shares[0].node == 0 && shares[63].node == 90;
    for (uint32_t i = 1; right && i < 63; i++)
        right = shares[i].node == i;
    tap_ok(right, "a rank tells of its 64 heaviest nodes");
    fm_profile_destroy(p);
}

static void test_damage(void)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    put(header, places, 1, 0, FM_PATH_CALL, 0x550000000100, 0);
    put(header, places, 2, 1, FM_PATH_LEAF, 0x550000000200, 5);
    put(header, places, 3, 2, FM_PATH_LEAF, 0x550000000210, 1);    /* below a leaf */
    put(header, places, 4, 4, FM_PATH_CALL, 0x550000000110, 2);    /* its own parent */
    put(header, places, 5, 6, FM_PATH_CALL, 0x550000000120, 4);    /* a circle ... */
    put(header, places, 6, 7, FM_PATH_CALL, 0x550000000130, 8);    /* ... */
    put(header, places, 7, 5, FM_PATH_CALL, 0x550000000140, 16);   /* ... of three */
    put(header, places, 8, 7, FM_PATH_LEAF, 0x550000000220, 32);   /* below it */
    put(header, places, 9, 100, FM_PATH_LEAF, 0x550000000230, 64); /* a parent that is not there */
    put(header, places, 10, UINT32_MAX, FM_PATH_LEAF, 0x550000000240, 128);
    put(header, places, 11, 12, FM_PATH_LEAF, 0x550000000250, 256); /* 12 is free, whatever is left there */
    put(header, places, 12, 0, FM_PATH_NONE, 0x550000000250, 1 << 20);
    put(header, places, 13, 0, FM_PATH_KINDS, 0x550000000260, 512);
    put(header, places, 14, 0, FM_PATH_ROOT, 0, 1024);
    put(header, places, 15, 1, FM_PATH_GAP, 0, 2048);
    put(header, places, 16, 1, FM_PATH_ROUTINE, FM_ROUTINE_COUNT, 4096);
    put(header, places, 17, 1, FM_PATH_LEAF, 0x10, 8192);
    places[17].module = 77;
    put(header, places, 18, 16, FM_PATH_LEAF, 0x550000000270, 16384);
    put(header, places, 20, 1, FM_PATH_ROUTINE, UINT64_MAX, 32768);
    header->samples_lost = 1000000;
    struct fm_profile *p = read_all(header);
    tap_ok(NODES_ARE(p, "0 root 0 0/5", "0 call ocean100 0/5", "1 leaf ocean200 5/5"), "what is no tree is dropped");
    tap_ok(p->paths.lost == 1000000 + 65535, "and counted as lost");
    fm_profile_destroy(p);
    header = fresh(&places);
    places[0].kind = FM_PATH_CALL;
    put(header, places, 1, 0, FM_PATH_LEAF, 0x550000000200, 5);
    p = read_all(header);
    tap_ok(p && !p->paths.n && p->paths.lost == 5, "without a root there is no tree");
    fm_profile_destroy(p);
    header = fresh(&places);
    put(header, places, 1, 0, FM_PATH_LEAF, 0x550000000200, UINT64_MAX);
    put(header, places, 2, 0, FM_PATH_LEAF, 0x550000000201, UINT64_MAX);
    header->n_paths = UINT32_MAX;
    p = read_all(header);
    tap_ok(p && p->paths.n == 3 && p->paths.nodes[0].all.sum_ns == UINT64_MAX, "impossible costs stop at the largest");
    fm_profile_destroy(p);
}

/* Equal nodes below equal nodes, as after an unloaded module: they become one, with all that is below them. */
static void test_equal(void)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    put(header, places, 1, 0, FM_PATH_CALL, 0x550000000100, 0);
    put(header, places, 2, 0, FM_PATH_CALL, 0x100, 0);
    places[2].module = 1;
    put(header, places, 3, 1, FM_PATH_LEAF, 0x550000000300, 1);
    put(header, places, 4, 2, FM_PATH_LEAF, 0x300, 2);
    places[4].module = 1;
    put(header, places, 5, 2, FM_PATH_LEAF, 0x550000000200, 4);
    struct fm_profile *p = read_all(header);
    tap_ok(NODES_ARE(p, "0 root 0 0/7", "0 call ocean100 0/7", "1 leaf ocean200 4/4", "1 leaf ocean300 3/3"),
           "equal nodes become one");
    fm_profile_destroy(p);
}

static void test_modules(void)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    struct fm_segment_module *modules = (void *)((char *)header + header->sections[FM_SECTION_MODULES].offset);
    modules[2] = modules[1]; /* loaded later, where the end of another one had been */
    modules[2].start += 0x8000;
    modules[2].end += 0x8000;
    modules[2].bias = modules[2].start;
    modules[2].text_path = header->text_exe;
    header->n_modules = 3;
    put(header, places, 1, 0, FM_PATH_LEAF, 0x7f0000009000, 1);
    put(header, places, 2, 0, FM_PATH_LEAF, 0x7f0000000010, 2);
    put(header, places, 3, 0, FM_PATH_LEAF, 0x10, 4);
    places[3].module = 2;
    struct fm_profile *p = read_all(header);
    tap_ok(
        NODES_ARE(p, "0 root 0 0/7", "0 leaf 7f0000000010 2/2", "0 leaf ocean1000 1/1", "0 leaf libfield.so.110 4/4"),
        "where modules overlap, the later one is there");
    fm_profile_destroy(p);
}

static void test_depth(void)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    uint32_t last = 0;
    for (uint32_t i = 1; i < PLACES; i++) { /* from the root at the highest numbers down */
        uint32_t place = PLACES - i;
        put(header, places, place, last, FM_PATH_CALL, 0x550000000000 + i, 1);
        last = place;
    }
    struct fm_profile *p = read_all(header);
    tap_ok(p && p->paths.n == FM_CALL_PATHS_DEPTH + 1 && !fm_profile_check(p), "what is too deep is cut");
    tap_ok(p->paths.nodes[0].all.sum_ns == (uint64_t)(PLACES - 1) * PERIOD &&
               p->paths.nodes[FM_CALL_PATHS_DEPTH].own.sum_ns == (uint64_t)(PLACES - FM_CALL_PATHS_DEPTH) * PERIOD &&
               p->paths.folded_ns == (uint64_t)(PLACES - 1 - FM_CALL_PATHS_DEPTH) * PERIOD && !p->paths.lost,
           "its caller gets what it has");
    fm_profile_destroy(p);
}

/* ---- the sequence: cells name nodes, or nothing ---- */

static struct fm_segment_sequence *sequence_of(struct fm_segment_header *header)
{
    return (void *)((char *)header + header->sections[FM_SECTION_SEQUENCE].offset);
}

/* A tree whose places are not in the order of its nodes: 5 is node 1, 3 node 2, 7 node 3; 8 hangs nowhere, 9 is free. */
static struct fm_segment_header *with_sequence(const uint32_t *cells, size_t n)
{
    struct fm_segment_path *places;
    struct fm_segment_header *header = fresh(&places);
    put(header, places, 5, 0, FM_PATH_CALL, 0x550000000100, 0);
    put(header, places, 3, 5, FM_PATH_LEAF, 0x550000000200, 1);
    put(header, places, 7, 5, FM_PATH_LEAF, 0x550000000300, 2);
    put(header, places, 8, 77, FM_PATH_LEAF, 0x550000000300, 2);
    put(header, places, 9, 5, FM_PATH_NONE, 0, 0);
    memset(sequence_of(header), 0, sizeof(struct fm_segment_sequence));
    memcpy(sequence_of(header)->cells, cells, n * sizeof *cells);
    header->sequence_first = 5000;
    header->sequence_shift = 21;
    return header;
}

static void test_sequence(void)
{
    const uint32_t cells[] = {0, 0, 8, 4, 9, 10, 0, 6, UINT32_MAX, 2000, 4, 0}, right[] = {4, 3, 0, 0, 0, 2, 0, 0, 3};
    const size_t n = sizeof cells / sizeof *cells;
    struct fm_profile *p = read_all(with_sequence(cells, n));
    const struct fm_sequence *s = &p->paths.sequence;
    tap_ok(s->n == 1 && s->rows[0].rank == 2 && s->first == 5002 && s->shift == 21 && s->n_cells == 9 &&
               !memcmp(s->rows[0].cells, right, sizeof right),
           "cells of the sequence name the nodes that places have become, or nothing");
    fm_profile_destroy(p);
    struct fm_segment_header *header = with_sequence(cells, n);
    sequence_of(header)->changes = 1;
    p = read_all(header);
    bool none = !p->paths.sequence.n;
    fm_profile_destroy(p);
    header = with_sequence(cells, n);
    header->sequence_shift = 63;
    p = read_all(header);
    none &= !p->paths.sequence.n;
    fm_profile_destroy(p);
    header = with_sequence(cells, n);
    header->sequence_first = UINT64_MAX >> 21;
    p = read_all(header);
    none &= !p->paths.sequence.n;
    fm_profile_destroy(p);
    p = read_all(with_sequence(cells, 2));
    none &= !p->paths.sequence.n && !p->paths.sequence.n_cells;
    fm_profile_destroy(p);
    header = with_sequence(cells, n);
    header->rank = -1;
    p = read_all(header);
    tap_ok(none && !p->paths.sequence.n, "there is none while it changes, where it is impossible, and of no rank");
    fm_profile_destroy(p);
}

static void test_random(void)
{
    uint64_t state = 7;
    int good = 0, rounds = 300;
    for (int round = 0; round < rounds; round++) {
        struct fm_segment_path *places;
        struct fm_segment_header *header = fresh(&places);
        uint32_t n = 1 + (uint32_t)fm_random(&state, 200);
        uint64_t periods = 0;
        for (uint32_t i = 1; i < n; i++) {
            put(header, places, i, (uint32_t)fm_random(&state, n), (unsigned)(2 + fm_random(&state, 4)),
                0x550000000000 + fm_random(&state, 4), fm_random(&state, 3));
            if (places[i].kind == FM_PATH_ROUTINE)
                places[i].address = fm_random(&state, FM_ROUTINE_COUNT);
            if (fm_random(&state, 2))
                places[i].parent = (uint32_t)fm_random(&state, i);
            periods += places[i].periods;
        }
        struct fm_profile *p = read_all(header);
        const struct fm_call_paths *paths = &p->paths;
        good += !fm_profile_check(p) && paths->lost + (paths->n ? paths->nodes[0].all.sum_ns / PERIOD : 0) == periods;
        fm_profile_destroy(p);
    }
    tap_ok(good == rounds, "of any places each period is in the tree or lost (%d of %d)", good, rounds);
}

int main(void)
{
    test_plain();
    test_shares();
    test_damage();
    test_equal();
    test_modules();
    test_depth();
    test_sequence();
    test_random();
    return tap_done();
}
