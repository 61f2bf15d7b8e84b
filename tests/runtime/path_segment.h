/* A segment that holds call paths and their sequence alone. Whoever includes this has PATHS and INDEX, how many nodes and
 * places of the index there is room for. */
#ifndef TESTS_MEASURE_PATH_SEGMENT_H
#define TESTS_MEASURE_PATH_SEGMENT_H

#include <string.h>

#include "runtime/signal/context_tree.h"

static struct segment {
    struct fm_segment_header header;
    _Alignas(64) struct fm_segment_path paths[PATHS];
    uint32_t index[INDEX];
    struct fm_segment_sequence sequence;
} segment;
static uint16_t children[PATHS];

/* Of at most `capacity` nodes, and empty as it was. */
static void make_tree_in_segment(struct fm_context_tree *tree, uint32_t capacity)
{
    struct fm_segment_section *sections = segment.header.sections;
    sections[FM_SECTION_PATHS] = (struct fm_segment_section){offsetof(struct segment, paths), capacity,
                                                             sizeof *segment.paths};
    sections[FM_SECTION_PATH_INDEX] = (struct fm_segment_section){offsetof(struct segment, index), INDEX,
                                                                  sizeof *segment.index};
    sections[FM_SECTION_SEQUENCE] = (struct fm_segment_section){offsetof(struct segment, sequence), 1,
                                                                sizeof segment.sequence};
    memset(children, 0, sizeof children);
    fm_context_tree_make(tree, &segment.header, children);
}

#endif
