/* Which files and classes of files a profile keeps does not depend on the order of merging, and no sum gets lost. */
#include <stdlib.h>
#include <string.h>

#include "format/encode.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "model/check.h"
#include "model/file_class.h"
#include "tap.h"

enum { PROFILES = 4, CLASSES = 400, FILES = 100 };

static struct fm_profile *profile_of(uint32_t rank)
{
    uint64_t state = rank + 1;
    struct fm_range range = {rank, rank};
    struct fm_profile *p = fm_profile_create();
    p->job.key = "job";
    for (size_t i = 0; i < CLASSES; i++) {
        char name[40], path[60];
        snprintf(name, sizeof name, "class %03u", (unsigned)fm_random(&state, 1000));
        struct fm_class_of_files class = {.name = name, .files = 1, .io = {.reads = 1 + i}, .ranks = {&range, 1, 1}};
        fm_spread_add(&class.time_ns, i, rank);
        fm_merge_list(p, &fm_list_file_classes, &class, 1);
        snprintf(path, sizeof path, "/file %u", (unsigned)fm_random(&state, FILES));
        struct fm_file file = {
            .class = i % 2 ? name : "class 000", .path = path, .io = {.reads = 1}, .ranks = {&range, 1, 1}};
        fm_merge_list(p, &fm_list_files, &file, 1);
    }
    fm_profile_limit_files(p);
    return p;
}

static uint64_t reads_of(const struct fm_profile *p)
{
    uint64_t reads = 0;
    for (size_t i = 0; i < p->n_file_classes; i++)
        reads += p->file_classes[i].io.reads;
    return reads;
}

/* Merges them as a tree: the first `split` in order, the others the other way round. */
static struct fm_profile *merged(unsigned split)
{
    struct fm_profile *halves[2] = {fm_profile_create(), fm_profile_create()};
    for (uint32_t i = 0; i < PROFILES; i++) {
        struct fm_profile *one = profile_of(i < split ? i : PROFILES - 1 - (i - split));
        fm_profile_merge(halves[i >= split], one, NULL);
        fm_profile_destroy(one);
    }
    fm_profile_merge(halves[1], halves[0], NULL);
    fm_profile_destroy(halves[0]);
    return halves[1];
}

static bool equal(const struct fm_profile *a, const struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *x = NULL, *y = NULL;
    size_t n_x = 0, n_y = 0;
    bool same = fm_profile_encode(a, &arena, &x, &n_x, NULL) == FM_OK &&
                fm_profile_encode(b, &arena, &y, &n_y, NULL) == FM_OK && n_x == n_y && memcmp(x, y, n_x) == 0;
    fm_arena_destroy(&arena);
    return same;
}

static bool few_of_each(const struct fm_profile *p)
{
    size_t of_class = 0;
    for (size_t i = 0; i < p->n_files; i++) {
        of_class = i && !strcmp(p->files[i].class, p->files[i - 1].class) ? of_class + 1 : 1;
        if (of_class > FM_FILES_OF_CLASS)
            return false;
    }
    return true;
}

int main(void)
{
    struct fm_profile *whole = merged(0);
    uint64_t reads = 0;
    for (uint32_t i = 0; i < PROFILES; i++) {
        struct fm_profile *one = profile_of(i);
        reads += reads_of(one);
        fm_profile_destroy(one);
    }
    tap_ok(!fm_profile_check(whole), "the result is valid");
    tap_ok(whole->n_file_classes == FM_FILE_CLASSES + 1, "it has as many classes as a profile keeps");
    tap_ok(strcmp(whole->file_classes[FM_FILE_CLASSES].name, FM_OTHER_FILES) == 0, "and one for all others");
    tap_ok(reads_of(whole) == reads, "no read is lost");
    tap_ok(few_of_each(whole) && whole->n_files > FM_FILES_OF_CLASS, "it has some files of each class");
    for (unsigned split = 1; split <= PROFILES; split++) {
        struct fm_profile *other = merged(split);
        tap_ok(equal(whole, other), "the same in another order (%u)", split);
        fm_profile_destroy(other);
    }
    fm_profile_destroy(whole);
    return tap_done();
}
