#include "format/encode.h"
#include "format/sections.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "format/pack.h"
#include "merge/from_segment.h"
#include "merge/merge.h"
#include "merge/reduction_tree.h"
#include "merge/synthetic.h"
#include "tap.h"

struct bytes {
    unsigned char *at;
    size_t n;
};

/* A copy on the heap, so that the sanitizer sees every step beyond it. */
static struct bytes encoded(const struct fm_profile *profile, bool exact)
{
    struct fm_arena arena = {0};
    const void *at;
    struct bytes bytes = {0};
    enum fm_status status = (exact ? fm_profile_encode_exact : fm_profile_encode)(profile, &arena, &at, &bytes.n, NULL);
    bytes.at = malloc(bytes.n ? bytes.n : 1);
    if (!status)
        memcpy(bytes.at, at, bytes.n);
    fm_arena_destroy(&arena);
    return bytes;
}

static bool same(struct bytes a, struct bytes b)
{
    return a.n == b.n && !memcmp(a.at, b.at, a.n);
}

static struct fm_profile *decoded(struct bytes bytes, struct fm_error *error)
{
    struct fm_profile *profile = NULL;
    return fm_profile_decode(bytes.at, bytes.n, "it", &profile, error) ? NULL : profile;
}

/* A merge of several random profiles. */
static struct fm_profile *any_profile(uint64_t *state)
{
    struct fm_profile *profile = fm_random_profile(state, 9);
    for (uint64_t n = fm_random(state, 6); n; n--) {
        struct fm_profile *other = fm_random_profile(state, 9);
        fm_profile_merge(profile, other, NULL);
        fm_profile_destroy(other);
    }
    return profile;
}

static struct fm_profile *synthetic(uint32_t ranks, uint32_t sites)
{
    struct fm_synthetic job = {ranks, 20, sites, 6, 48, 3, 1, 1, FM_TIMING_PLAIN, 100};
    struct fm_reduction_tree tree = {0};
    struct fm_profile *profile = NULL;
    void *segment = aligned_alloc(64, fm_synthetic_bytes(&job));
    for (uint32_t rank = 0; rank < ranks; rank++) {
        fm_synthetic_segment(&job, rank, segment);
        if (!fm_profile_from_segment(NULL, segment, fm_synthetic_bytes(&job), "s", FM_END_UNKNOWN, 0, 0, &profile,
                                     NULL))
            fm_reduction_tree_add(&tree, profile, NULL);
    }
    fm_reduction_tree_finish(&tree, &profile, NULL);
    free(segment);
    return profile;
}

static void test_round_trip(void)
{
    uint64_t state = 4711;
    int good = 0, rounds = 400;
    for (int i = 0; i < rounds; i++) {
        struct fm_profile *profile = any_profile(&state);
        struct bytes first = encoded(profile, true), small = encoded(profile, false);
        struct fm_profile *again = decoded(first, NULL);
        struct bytes second = again ? encoded(again, true) : (struct bytes){malloc(1), 0};
        struct fm_profile *for_users = decoded(small, NULL);
        struct bytes once_more = for_users ? encoded(for_users, false) : (struct bytes){malloc(1), 0};
        good += again && same(first, second) && for_users && same(small, once_more);
        fm_profile_destroy(again);
        fm_profile_destroy(for_users);
        free(once_more.at);
        fm_profile_destroy(profile);
        free(first.at);
        free(second.at);
        free(small.at);
    }
    tap_ok(good == rounds, "%d random profiles come back the same", rounds);
}

static void test_values(void)
{
    struct fm_profile *profile = synthetic(8, 40);
    struct bytes bytes = encoded(profile, false);
    struct fm_profile *again = decoded(bytes, NULL);
    const struct fm_process *a = &profile->processes[5], *b = again ? &again->processes[5] : a;
    tap_ok(again && a->wall_ns == b->wall_ns && a->pid == b->pid && a->mpi_ns == b->mpi_ns &&
               !strcmp(a->inside, b->inside),
           "a process comes back with its numbers");
    tap_ok(again && !strcmp(again->job.argv[1], "--steps=100") && !strcmp(again->job.env[1].name, "OMP_NUM_THREADS"),
           "so do arguments and environment");
    tap_ok(again && again->n_events == profile->n_events && again->sent.n == 8 * 6 && again->received.n == 8 * 6 &&
               again->routines[0].n_per_rank == 8 && fm_profile_complete(again),
           "events, edges and vectors are all there");
    fm_profile_destroy(again);
    fm_profile_destroy(profile);
    free(bytes.at);
}

static void patch_crc(struct bytes bytes)
{
    uint64_t crc = fm_crc64(bytes.at, bytes.n - 8);
    for (size_t i = 0; i < 8; i++)
        bytes.at[bytes.n - 8 + i] = (unsigned char)(crc >> 8 * i);
}

static void test_truncation(const struct bytes *whole)
{
    size_t refused = 0;
    for (size_t n = 0; n < whole->n; n++) {
        struct bytes cut = {malloc(n ? n : 1), n};
        memcpy(cut.at, whole->at, n);
        struct fm_error error = {0};
        struct fm_profile *profile = decoded(cut, &error);
        refused += !profile && error.status == FM_ERR_INPUT && strstr(error.text, "it is");
        fm_profile_destroy(profile);
        free(cut.at);
    }
    tap_ok(refused == whole->n, "every truncation is refused with a sentence");
}

static void test_flips(const struct bytes *whole)
{
    uint64_t state = 99;
    int refused = 0, flips = 3000;
    for (int i = 0; i < flips; i++) {
        size_t at = fm_random(&state, whole->n);
        unsigned char bit = (unsigned char)(1u << fm_random(&state, 8));
        whole->at[at] ^= bit;
        struct fm_profile *profile = decoded(*whole, NULL);
        refused += !profile;
        fm_profile_destroy(profile);
        whole->at[at] ^= bit;
    }
    tap_ok(refused == flips, "every flipped bit is refused");
}

/* Damage that the checksum does not show: nothing may crash, whatever is accepted must encode again. */
static void test_hostile(const struct bytes *whole)
{
    uint64_t state = 5;
    int accepted = 0, rounds = 3000;
    for (int i = 0; i < rounds; i++) {
        struct bytes copy = {malloc(whole->n), whole->n};
        memcpy(copy.at, whole->at, whole->n);
        for (uint64_t n = 1 + fm_random(&state, 3); n; n--)
            copy.at[20 + fm_random(&state, whole->n - 28)] = (unsigned char)fm_random(&state, 256);
        patch_crc(copy);
        struct fm_profile *profile = decoded(copy, NULL);
        if (profile) {
            struct bytes again = encoded(profile, true);
            struct fm_profile *second = decoded(again, NULL);
            accepted += second != NULL;
            fm_profile_destroy(second);
            free(again.at);
        } else {
            accepted++;
        }
        fm_profile_destroy(profile);
        free(copy.at);
    }
    tap_ok(accepted == rounds, "hostile files are refused or read, never a crash");
}

static void test_versions(const struct bytes *whole)
{
    struct fm_error error;
    whole->at[8] = 9;
    tap_ok(!decoded(*whole, &error) &&
               !strcmp(
                   error.text,
                   "it was written by a newer version of Fathom (format 9; this version reads up to 2): update Fathom"),
           "a later format asks for an update");
    whole->at[8] = 2;
    struct bytes longer = {malloc(whole->n + 7), whole->n + 7};
    size_t body = whole->n - 8;
    memcpy(longer.at, whole->at, body);
    memcpy(longer.at + body, "\x63\x05later", 7); /* section 99 of 5 bytes */
    longer.at[12] = (unsigned char)longer.n;
    longer.at[13] = (unsigned char)(longer.n >> 8);
    longer.at[14] = (unsigned char)(longer.n >> 16);
    patch_crc(longer);
    struct fm_profile *profile = decoded(longer, &error);
    struct bytes again = profile ? encoded(profile, true) : (struct bytes){malloc(1), 0};
    tap_ok(same(again, *whole) && profile && profile->left_out.sections == 1,
           "an unknown section is skipped and counted");
    fm_profile_destroy(profile);
    free(again.at);
    free(longer.at);
    tap_ok(!decoded((struct bytes){(unsigned char *)"hello, this is text", 19}, &error) &&
               !strcmp(error.text, "it is not a Fathom profile"),
           "a foreign file is named so");
}

/* ---- lists of an older and of a newer Fathom ---- */

struct item {
    uint64_t first;
    const char *name;
    uint32_t third, added;
    const char *added_text;
    uint64_t added_later;
};
#define ITEM_FIELD(member, kind_of, is_later)                                                         \
    {                                                                                                 \
        .name = #member, .offset = offsetof(struct item, member), .kind = kind_of, .later = is_later, \
    }
static const struct fm_field older[] = {
    ITEM_FIELD(first, FM_FIELD_U64, 0),
    ITEM_FIELD(name, FM_FIELD_TEXT, 0),
    ITEM_FIELD(third, FM_FIELD_U32, 0),
};
static const struct fm_field newer[] = {
    ITEM_FIELD(first, FM_FIELD_U64, 0),       {.kind = FM_FIELD_RETIRED},
    ITEM_FIELD(third, FM_FIELD_U32, 0),       ITEM_FIELD(added, FM_FIELD_I32, 1),
    ITEM_FIELD(added_text, FM_FIELD_TEXT, 1), ITEM_FIELD(added_later, FM_FIELD_MAYBE, 1),
};
static const struct fm_fields older_fields = {older, 3}, newer_fields = {newer, 6};

static struct fm_left_out pass_over(const struct fm_fields *from, const struct fm_fields *to, const struct item *items,
                                    struct item *read, bool *good)
{
    static const char *strings[] = {"", "text"};
    struct fm_column_writer w = {0};
    struct fm_column_reader r = {.profile = fm_profile_create(), .version = 2, .strings = strings, .n_strings = 2};
    w.collecting = true;
    fm_put_fields(&w, from, items, 2, sizeof *items);
    fm_intern_find(&w.strings, "text")->number = 1;
    w.collecting = false;
    fm_pack_begin(&w.pack, &w.scratch);
    fm_put_fields(&w, from, items, 2, sizeof *items);
    fm_put_number(&w, 4711);
    fm_pack_end(&w.pack);
    r.section_bytes = w.pack.n;
    fm_unpack_begin(&r.unpack, w.pack.bytes, w.pack.n);
    fm_get_fields(&r, to, read, 2, sizeof *read);
    *good = !fm_column_reader_stopped(&r) && fm_unpack_number(&r.unpack) == 4711;
    struct fm_left_out left_out = r.profile->left_out;
    fm_profile_destroy(r.profile);
    fm_arena_destroy(&r.scratch);
    fm_arena_destroy(&w.scratch);
    return left_out;
}

static void test_columns(void)
{
    const struct item items[2] = {{1, "text", 3, 4, "text", 0}, {5, "text", 7, 8, "text", 9}};
    struct item read[2] = {{0}}, again[2] = {{0}};
    bool good;
    struct fm_left_out left_out = pass_over(&newer_fields, &older_fields, items, read, &good);
    tap_ok(good && left_out.columns == 3 && read[1].first == 5 && read[1].third == 7 && !strcmp(read[1].name, ""),
           "columns of a newer Fathom are passed over, and one that it has given up is empty");
    left_out = pass_over(&older_fields, &newer_fields, items, again, &good);
    tap_ok(good && left_out.columns == 0 && again[0].first == 1 && again[1].third == 7 && again[1].added == 0 &&
               !strcmp(again[1].added_text, "") && again[1].added_later == FM_UNKNOWN,
           "columns that an older one does not have are empty, and figures in them not known");
    pass_over(&newer_fields, &newer_fields, items, again, &good);
    tap_ok(good && again[0].added_later == 0 && again[1].added_later == 9, "what is known to be none is not unknown");
}

/* ---- compounds of a newer Fathom ---- */

static struct bytes list_with(const uint64_t *kinds, size_t n_kinds)
{
    static struct fm_rankset no_ranks[1];
    const struct fm_host host = {.name = "", .cpu = "", .cores = 7};
    struct fm_column_writer w = {0};
    fm_pack_begin(&w.pack, &w.scratch);
    fm_put_number(&w, 1);
    fm_put_fields(&w, &fm_host_fields, &host, 1, sizeof host);
    fm_put_number(&w, n_kinds);
    for (size_t i = 0; i < n_kinds; i++)
        fm_put_number(&w, kinds[i]);
    for (size_t i = 0; i < n_kinds; i++)
        if (kinds[i] == 1)
            fm_put_fields(&w, &fm_spread_fields, &(struct fm_spread){1, 2, 3, 4, 5, 6}, 1, sizeof(struct fm_spread));
        else if (kinds[i] == 3)
            fm_put_ranksets(&w, no_ranks, 1, sizeof *no_ranks);
    fm_put_number(&w, 4711);
    fm_pack_end(&w.pack);
    struct bytes bytes = {malloc(w.pack.n), w.pack.n};
    memcpy(bytes.at, w.pack.bytes, w.pack.n);
    fm_arena_destroy(&w.scratch);
    return bytes;
}

static void test_compounds(void)
{
    static const struct {
        uint64_t kinds[3];
        size_t n;
        bool good, whole;
        uint32_t left_out;
        const char *what;
    } cases[] = {
        {{3}, 1, true, true, 0, "the compounds that are known"},
        {{3, 1, 3}, 3, true, true, 2, "more than are known are passed over"},
        {{3, 9, 3}, 3, true, false, 1, "behind one of an unknown kind nothing more is read"},
        {{1}, 1, false, false, 0, "one of another kind is damage"},
        {{0}, 0, true, true, 0, "fewer than are known are empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *strings[] = {""};
        struct bytes bytes = list_with(cases[i].kinds, cases[i].n);
        struct fm_column_reader r = {.profile = fm_profile_create(), .version = 2, .strings = strings, .n_strings = 1};
        r.section_bytes = bytes.n;
        fm_unpack_begin(&r.unpack, bytes.at, bytes.n);
        fm_get_list(&r, &fm_list_hosts);
        bool good = !fm_column_reader_stopped(&r);
        tap_ok(good == cases[i].good && r.profile->left_out.columns == cases[i].left_out &&
                   (!good || r.profile->hosts[0].cores == 7) &&
                   (!cases[i].whole || fm_unpack_number(&r.unpack) == 4711),
               cases[i].what);
        fm_profile_destroy(r.profile);
        fm_arena_destroy(&r.scratch);
        free(bytes.at);
    }
}

static void test_damage(void)
{
    uint64_t state = 12;
    struct fm_profile *profile = any_profile(&state), *more = synthetic(3, 10);
    profile->job.key = "";
    fm_profile_merge(profile, more, NULL);
    struct bytes whole = encoded(profile, true);
    test_truncation(&whole);
    test_flips(&whole);
    test_hostile(&whole);
    test_versions(&whole);
    fm_profile_destroy(profile);
    fm_profile_destroy(more);
    free(whole.at);
}

static void test_sizes(void)
{
    struct fm_profile *few = synthetic(64, 60), *many = synthetic(128, 60); /* as many have a sequence */
    struct bytes of_few = encoded(few, false), of_many = encoded(many, false);
    double per_rank = (double)(of_many.n - of_few.n) / 64;
    printf("# 64 ranks %zu bytes, 128 ranks %zu bytes: %.1f bytes a rank\n", of_few.n, of_many.n, per_rank);
    tap_ok(per_rank <= 200, "a rank more costs at most 200 bytes");
    free(of_few.at);
    free(of_many.at);
    fm_profile_destroy(few);
    fm_profile_destroy(many);
}

static bool near(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= a / 1000;
}

static void test_large(void)
{
    struct fm_profile *profile = synthetic(4200, 12);
    struct bytes bytes = encoded(profile, false), exact = encoded(profile, true);
    struct fm_profile *again = decoded(bytes, NULL), *whole = decoded(exact, NULL);
    struct bytes once_more = encoded(again, false);
    bool rounded = true;
    size_t vectors = 0;
    for (size_t i = 0; i < again->n_processes; i++)
        rounded &= near(profile->processes[i].wall_ns, again->processes[i].wall_ns) &&
                   near(profile->processes[i].mpi_ns, again->processes[i].mpi_ns);
    for (size_t i = 0; i < again->n_routines; i++)
        vectors += again->routines[i].n_per_rank == 4200;
    tap_ok(rounded, "a large job's values are kept within 0.1 %%");
    tap_ok(vectors >= 1 && vectors <= 8, "it keeps vectors of %zu heavy routines", vectors);
    tap_ok(again->sent.n == 4096 && again->sent.dropped == 4200 * 6 - 4096 && again->received.n == 4096 &&
               again->sent.dropped_messages == again->sent.dropped * 10000,
           "it keeps the heaviest edges and sums the others");
    tap_ok(same(bytes, once_more), "writing it again loses nothing more");
    tap_ok(whole->sent.n == 4200 * 6 && whole->processes[77].pid == profile->processes[77].pid &&
               whole->processes[77].wall_ns == profile->processes[77].wall_ns,
           "the exact form loses nothing");
    fm_profile_destroy(profile);
    fm_profile_destroy(again);
    fm_profile_destroy(whole);
    free(bytes.at);
    free(exact.at);
    free(once_more.at);
}

enum { VALUES = 100000 };

/* What a rounded column keeps of the values. */
static void round_values(uint64_t values[VALUES])
{
    struct fm_arena arena = {0};
    struct fm_packer packer;
    struct fm_unpacker unpacker;
    fm_pack_begin(&packer, &arena);
    fm_pack_column(&packer, values, VALUES, NULL, true);
    fm_pack_end(&packer);
    fm_unpack_begin(&unpacker, packer.bytes, packer.n);
    fm_unpack_column(&unpacker, values, VALUES, NULL);
    fm_arena_destroy(&arena);
}

static void test_rounding(void)
{
    static uint64_t values[VALUES], once[VALUES], twice[VALUES];
    uint64_t state = 3;
    bool good = true;
    for (size_t i = 0; i < VALUES; i++)
        values[i] = i ? fm_random(&state, UINT64_MAX) >> fm_random(&state, 64) : UINT64_MAX;
    memcpy(once, values, sizeof once);
    round_values(once);
    memcpy(twice, once, sizeof twice);
    round_values(twice);
    for (size_t i = 0; i < VALUES; i++)
        good &= (values[i] > once[i] ? values[i] - once[i] : once[i] - values[i]) <= values[i] / 1000 &&
                twice[i] == once[i];
    tap_ok(good, "rounding keeps 0.1 %% and is final");
}

static void test_files(void)
{
    char directory[] = "/tmp/fathom-encode-XXXXXX", path[64], other[64];
    struct fm_error error;
    struct fm_profile *profile = synthetic(4, 10), *again = NULL;
    if (!mkdtemp(directory))
        return;
    snprintf(path, sizeof path, "%s/a.fathom", directory);
    snprintf(other, sizeof other, "%s/none/a.fathom", directory);
    tap_ok(!fm_profile_write(profile, path, &error) && !fm_profile_read(path, &again, &error) &&
               again->n_events == profile->n_events,
           "a written file can be read");
    fm_profile_destroy(again);
    struct fm_progress progress = {0};
    tap_ok(!fm_profile_read_watched(path, &progress, &again, &error) &&
               fm_progress_fraction(&progress) > FM_READ_FILE_PERCENT / 100.0 &&
               fm_progress_fraction(&progress) <= FM_READ_PERCENT / 100.0,
           "how far it is: %g", fm_progress_fraction(&progress));
    fm_profile_destroy(again);
    progress.done = 0;
    tap_ok(fm_profile_read_watched(other, &progress, &again, &error) && fm_progress_fraction(&progress) == 0,
           "nothing is done of a missing file");
    fm_progress_set(&progress, 20, 60, 5, 10);
    tap_ok(fm_progress_fraction(&progress) == 0.4, "half of a part");
    fm_progress_set(&progress, 20, 60, 11, 10);
    tap_ok(fm_progress_fraction(&progress) == 0.6, "a file that has grown");
    tap_ok(fm_profile_write(profile, other, &error) == FM_ERR_SYSTEM && strstr(error.text, "No such file"),
           "a missing directory: %s", error.text);
    tap_ok(fm_profile_read(other, &again, &error) == FM_ERR_SYSTEM, "a missing file: %s", error.text);
    tap_ok(fm_profile_read(directory, &again, &error) == FM_ERR_SYSTEM, "a directory: %s", error.text);
    tap_ok(fm_profile_write(profile, directory, &error) == FM_ERR_SYSTEM, "a directory in the way: %s", error.text);
    fm_profile_destroy(profile);
    unlink(path);
    tap_ok(!rmdir(directory), "no temporary file stays behind");
}

int main(void)
{
    test_round_trip();
    test_values();
    test_columns();
    test_compounds();
    test_damage();
    test_sizes();
    test_large();
    test_rounding();
    test_files();
    return tap_done();
}
