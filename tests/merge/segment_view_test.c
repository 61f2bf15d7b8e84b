/* Segments that are refused, damaged, or of other builds. */
#include "merge/segment_view.h"

#include "format/encode.h"
#include "generated/routines.h"
#include "merge/one_segment.h"
#include "model/check.h"
#include "tap.h"

static void expect_refused(struct fm_segment_header *header, const char *why)
{
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(!p, "%s is refused", why);
    fm_profile_destroy(p);
}

static void test_refusals(void)
{
    struct fm_segment_header *header = fresh();
    header->magic[0] = 'X';
    expect_refused(header, "another kind of file");
    header = fresh();
    header->version = 7;
    expect_refused(header, "a later version");
    header = fresh();
    header->version = 0;
    expect_refused(header, "no version");
    header = fresh();
    header->header_bytes = 2000;
    expect_refused(header, "a header that is smaller than any");
    header = fresh();
    header->header_bytes = UINT32_MAX;
    expect_refused(header, "a header that is larger than its segment");
    header = fresh();
    header->sections[FM_SECTION_ENTRIES].item_bytes -= 8;
    expect_refused(header, "entries that are smaller than any");
    header = fresh();
    header->sections[FM_SECTION_ENTRIES].offset = UINT64_MAX - 63;
    expect_refused(header, "a section outside");
    header = fresh();
    header->segment_bytes += 64;
    expect_refused(header, "a truncated segment");
    header = fresh();
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->total_ns = UINT64_MAX / 2;
    expect_refused(header, "a call of 300 years");
    header = fresh();
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->key.routine = 60000;
    expect_refused(header, "an unknown routine");
}

/* ---- other builds ---- */

static bool same(const struct fm_profile *a, const struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *of_a, *of_b;
    size_t size_a, size_b;
    bool equal = a && b && !fm_profile_encode_exact(a, &arena, &of_a, &size_a, NULL) &&
                 !fm_profile_encode_exact(b, &arena, &of_b, &size_b, NULL) && size_a == size_b &&
                 !memcmp(of_a, of_b, size_a);
    fm_arena_destroy(&arena);
    return equal;
}

static struct fm_profile *read_whole(struct fm_segment_header *header)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_profile_from_segment(NULL, header, header->segment_bytes, "it", FM_END_UNKNOWN, 0, 0, &profile, &error))
        printf("# %s\n", error.text);
    free(header);
    return profile;
}

/* As a build would lay it out whose header and items are larger, and that has a section of its own in the last slot.
 * What is new is full of ones. */
static struct fm_segment_header *as_newer(const struct fm_segment_header *from)
{
    enum { MORE = 64 };
    size_t size = 4 * from->segment_bytes, at = (sizeof *from + MORE + 63) / 64 * 64;
    struct fm_segment_header *header = aligned_alloc(64, size);
    memset(header, 0xff, size);
    *header = *from;
    header->header_bytes += MORE;
    header->segment_bytes = size;
    for (unsigned id = 0; id < FM_SECTION_COUNT; id++) {
        const struct fm_segment_section *old = &from->sections[id];
        struct fm_segment_section *section = &header->sections[id];
        section->offset = at;
        section->item_bytes += id == FM_SECTION_TEXT || id == FM_SECTION_ROUTINES ? 0 : 8;
        for (size_t i = 0; i < old->capacity; i++)
            memcpy((char *)header + at + i * section->item_bytes, (char *)from + old->offset + i * old->item_bytes,
                   old->item_bytes);
        at += ((size_t)section->capacity * section->item_bytes + 63) / 64 * 64;
    }
    header->sections[FM_SECTION_SLOTS - 1] = (struct fm_segment_section){at, 7, 24};
    return header;
}

static void test_newer_build(void)
{
    struct fm_synthetic full = job;
    full.timers = 3;
    full.paths = 40;
    struct fm_segment_header *own = aligned_alloc(64, fm_synthetic_bytes(&full));
    fm_synthetic_segment(&full, 3, own);
    unsigned larger = 1; /* the header */
    for (unsigned id = 0; id < FM_SECTION_COUNT; id++)
        larger += own->sections[id].capacity && id != FM_SECTION_TEXT && id != FM_SECTION_ROUTINES;
    struct fm_segment_header *newer = as_newer(own);
    struct fm_profile *expected = read_whole(own), *p = read_whole(newer);
    tap_ok(same(p, expected), "a newer build's larger header and items, and a section of its own, change nothing");
    tap_ok(p && p->left_out.sections == 1 && p->left_out.columns == larger && !expected->left_out.sections &&
               !expected->left_out.columns,
           "and are counted as left out");
    fm_profile_destroy(expected);
    fm_profile_destroy(p);
}

static void test_version_1(void)
{
    struct fm_segment_header *header = fresh(), *other = fresh(), *now = fresh();
    const size_t end = offsetof(struct fm_segment_header, text_runtime_version);
    now->text_runtime_version = 0;
    now->header_bytes = offsetof(struct fm_segment_header, voluntary_switches); /* without what was added since */
    header->version = 1;
    header->header_bytes = 984;
    header->routines_fingerprint = 0xc031f6e4;
    memcpy(header->unused_sections, header->sections, 14 * sizeof *header->sections);
    memset((char *)header + end, 0xff, sizeof *header - end); /* another build's, as it were */
    memcpy(other, header, fm_synthetic_bytes(&job));
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0), *expected = read_as(now, FM_END_UNKNOWN, 0, 0);
    tap_ok(same(p, expected) && !*p->job.runtime_version, "a segment of version 1 is read as ever");
    fm_profile_destroy(p);
    fm_profile_destroy(expected);
    other->routines_fingerprint ^= 1;
    expect_refused(other, "one of version 1 with other routines");
}

/* A list of routines behind the segment. */
static struct fm_segment_header *with_routines(const char *list, uint32_t bytes)
{
    struct fm_segment_header *old = fresh(), *header = aligned_alloc(64, old->segment_bytes + 64 * 1024);
    memset(header, 0, old->segment_bytes + 64 * 1024);
    memcpy(header, old, old->segment_bytes);
    header->sections[FM_SECTION_ROUTINES] = (struct fm_segment_section){(old->segment_bytes + 63) / 64 * 64, bytes, 1};
    memcpy(items(header, FM_SECTION_ROUTINES), list, bytes);
    header->segment_bytes += 64 * 1024;
    free(old);
    return header;
}

static void test_added_routines(void)
{
    static const char list[] = "aMPI_Early\0dMPI_Later\0bMPI_Send"; /* the last one is known by another number, too */
    struct fm_segment_header *header = with_routines(list, sizeof list);
    struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    entries[0].key = (struct fm_key){.peer = 16, .routine = FM_ROUTINES_FIXED + 1};
    entries[1].key = (struct fm_key){.peer = 5, .routine = FM_ROUTINES_FIXED + 2};
    entries[2].key = (struct fm_key){.peer = 5, .routine = FM_R_MPI_Send};
    uint64_t calls = entries[0].count, sends = entries[1].count + entries[2].count;
    struct fm_segment_thread *thread = items(header, FM_SECTION_THREADS);
    thread->call_routine = FM_ROUTINES_FIXED + 1 + 1; /* + 1: 0 is none */
    header->leave = FM_LEAVE_ABORT;
    struct fm_profile *p = read_whole(header);
    const struct fm_routine_total *later = p ? routine(p, "MPI_Later") : NULL,
                                  *send = p ? routine(p, "MPI_Send") : NULL;
    bool collective = false;
    for (size_t i = 0; p && i < p->n_events; i++)
        collective |= !strcmp(p->events[i].key.routine, "MPI_Later") && p->events[i].key.comm_size == 16;
    tap_ok(later && later->stats.count == calls + 1 && collective && !strcmp(p->processes[0].inside, "MPI_Later"),
           "a routine that only the segment knows keeps its name and its class");
    tap_ok(send && send->stats.count == sends && !fm_profile_check(p), "two numbers of one name are one routine");
    fm_profile_destroy(p);
    header = with_routines(list, sizeof list);
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->key.routine = FM_ROUTINES_FIXED + 3;
    tap_ok(!read_whole(header), "a number behind the list is refused");
    header = with_routines("\0\0\377\377", 4);
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->key.routine = FM_ROUTINES_FIXED + 1;
    p = read_whole(header);
    tap_ok(p && routine(p, "?") && !fm_profile_check(p), "a list that is none gives no name");
    fm_profile_destroy(p);
}

static void test_empty_section(void)
{
    struct fm_segment_header *header = fresh();
    header->sections[FM_SECTION_TEXT] = (struct fm_segment_section){.offset = UINT64_MAX - 63};
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(p && !*p->job.exe, "the offset of an empty section does not matter");
    fm_profile_destroy(p);
}

static void test_corruption(void)
{
    uint64_t state = 77;
    size_t size = fm_synthetic_bytes(&job);
    int in_order = 0, rounds = 4000, read = 0;
    struct fm_segment_header *whole = fresh();
    whole->n_snapshots = 2;
    for (int round = 0; round < rounds; round++) {
        struct fm_segment_header *header = aligned_alloc(64, size);
        memcpy(header, whole, size);
        for (uint64_t n = 1 + fm_random(&state, 8); n; n--) {
            /* half of the damage in the header, words rather than bytes in every other round */
            size_t at = fm_random(&state, fm_random(&state, 2) ? sizeof *header : size - 8) / 4 * 4;
            uint64_t word = fm_random(&state, 3) ? fm_random(&state, UINT64_MAX) : fm_random(&state, 300);
            memcpy((char *)header + at, &word, round % 2 ? 8 : 1);
        }
        struct fm_profile *p = NULL;
        if (!fm_profile_from_segment(NULL, header, size, "it", FM_END_UNKNOWN, 0, 0, &p, NULL)) {
            in_order += !fm_profile_check(p);
            read++;
            fm_profile_destroy(p);
        }
        free(header);
    }
    free(whole);
    tap_ok(in_order == read && read > 100, "of %d damaged segments %d are read, all in order, without a crash", rounds,
           read);
}

/* Seeds of an older format would be refused at once, and the fuzzer would see nothing else. */
static void test_seeds(void)
{
    char path[4096], bytes[1 << 16];
    int good = 0;
    for (int i = 0; i < 2; i++) {
        const char *source = getenv("FATHOM_SOURCE");
        snprintf(path, sizeof path, "%s/tests/fuzz/corpus/segment/%d", source ? source : ".", i);
        FILE *file = fopen(path, "rb");
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        struct fm_profile *p = NULL;
        good += !fm_profile_from_segment(NULL, bytes, size, path, FM_END_UNKNOWN, 0, 0, &p, NULL) && p->n_timers;
        fm_profile_destroy(p);
        if (file)
            fclose(file);
    }
    tap_ok(good == 2, "the seeds of the fuzzer are segments (make seeds writes them anew)");
}

int main(void)
{
    test_refusals();
    test_newer_build();
    test_version_1();
    test_added_routines();
    test_empty_section();
    test_corruption();
    test_seeds();
    return tap_done();
}
