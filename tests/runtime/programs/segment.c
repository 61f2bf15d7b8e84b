/* Prints the call paths of a segment: segment FILE. First the header's counts, then for each path with a cost
 *   periods  step;step;...   from the outermost step on: module+offset in its file, hexadecimal */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/segment.h"
#include "model/call_paths.h"

static char *base;
static const struct fm_segment_header *header;

static const void *section(enum fm_segment_section_id id)
{
    return base + header->sections[id].offset;
}

static const char *file_of(const struct fm_segment_module *module)
{
    const char *path = (const char *)section(FM_SECTION_TEXT) + module->text_path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_step(const struct fm_segment_path *path)
{
    const struct fm_segment_module *modules = section(FM_SECTION_MODULES);
    if (path->kind == FM_PATH_GAP)
        printf("gap");
    else if (path->module)
        printf("%s+%llx", file_of(&modules[path->module - 1]), (unsigned long long)path->address);
    else {
        for (uint32_t i = header->n_modules; i-- > 0;)
            if (path->address - modules[i].start < modules[i].end - modules[i].start) {
                printf("%s+%llx", file_of(&modules[i]), (unsigned long long)(path->address - modules[i].bias));
                return;
            }
        printf("unknown+%llx", (unsigned long long)path->address);
    }
}

static void print_path(uint32_t number)
{
    const struct fm_segment_path *paths = section(FM_SECTION_PATHS);
    if (paths[number].parent) {
        print_path(paths[number].parent);
        putchar(';');
    }
    print_step(&paths[number]);
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 1;
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    base = malloc((size_t)bytes);
    if (fread(base, 1, (size_t)bytes, file) != (size_t)bytes)
        return 1;
    header = (const void *)base;
    printf("period_ns %llu\nsamples %llu\npartial %llu\nlost %llu\nfolded %llu\nunsampled_threads %u\nwall_ns %llu\n",
           (unsigned long long)header->sample_period_ns, (unsigned long long)header->samples,
           (unsigned long long)header->samples_partial, (unsigned long long)header->samples_lost,
           (unsigned long long)header->folded_periods, header->unsampled_threads,
           (unsigned long long)(header->ended_mono_ns - header->started_mono_ns));
    const struct fm_segment_path *paths = section(FM_SECTION_PATHS);
    for (uint32_t i = 1; i < header->n_paths; i++) {
        if (!paths[i].kind || !paths[i].periods)
            continue;
        printf("path %llu ", (unsigned long long)paths[i].periods);
        print_path(i);
        putchar('\n');
    }
    return 0;
}
