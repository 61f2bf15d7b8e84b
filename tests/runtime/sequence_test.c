/* The sequence in a segment: against a plain list of all moments. */
#include "runtime/signal/sequence.h"

#include <stddef.h>
#include <string.h>

#include "model/call_paths.h"
#include "tap.h"

enum { SHIFT = 10, PERIOD = 700, MOMENTS = 64 * FM_SEQUENCE_CELLS };

static struct segment {
    struct fm_segment_header header;
    _Alignas(64) struct fm_segment_sequence sequence;
} segment;
static struct fm_timeline timeline;
static uint32_t moments[MOMENTS]; /* what the finest cells would have */

static void begin(uint64_t start)
{
    memset(&segment, 0, sizeof segment);
    memset(moments, 0, sizeof moments);
    segment.header.sections[FM_SECTION_SEQUENCE] = (struct fm_segment_section){offsetof(struct segment, sequence), 1,
                                                                               sizeof segment.sequence};
    segment.header.started_real_ns = start;
    segment.header.started_mono_ns = 5000;
    segment.header.sample_period_ns = PERIOD;
    segment.header.sequence_shift = SHIFT;
    fm_timeline_make(&timeline, &segment.header);
}

/* Periods later there is a sample. */
static void sample(uint64_t *now, uint64_t periods, uint32_t place)
{
    uint64_t start = segment.header.started_real_ns, first = (start + *now) >> SHIFT;
    *now += periods * PERIOD;
    for (uint64_t i = first; i <= (start + *now) >> SHIFT; i++)
        if (!moments[i - (start >> SHIFT)])
            moments[i - (start >> SHIFT)] = place + 1;
    fm_timeline_fill(&timeline, *now + 5000, periods, place);
}

/* Cells that are not what they should be. */
static unsigned wrong_cells(uint64_t now)
{
    const struct fm_segment_header *h = &segment.header;
    unsigned wrong = 0, d = h->sequence_shift - SHIFT;
    uint64_t last = (h->started_real_ns + now) >> h->sequence_shift;
    for (uint32_t i = 0; i < FM_SEQUENCE_CELLS; i++) {
        uint64_t moment = ((h->sequence_first + i) << d) - (h->started_real_ns >> SHIFT);
        uint32_t right = h->sequence_first + i <= last ? moments[moment] : 0;
        wrong += segment.sequence.cells[i] != right;
    }
    return wrong;
}

static void check_thinning(uint64_t start)
{
    uint64_t now = 0;
    unsigned wrong = 0, uneven = 0;
    begin(start);
    for (uint32_t i = 0; now < (uint64_t)(MOMENTS - 100) << SHIFT; i++) {
        sample(&now, i % 97 ? 1 : 90, i);
        if (i % 61 == 0)
            wrong += wrong_cells(now);
        uint64_t used = ((start + now) >> segment.header.sequence_shift) - segment.header.sequence_first;
        uneven += segment.header.sequence_shift > SHIFT && used < FM_SEQUENCE_CELLS / 2 - 2;
    }
    tap_ok(!wrong && segment.header.sequence_shift == SHIFT + 6, "every so many-th moment is there, from the start on");
    tap_ok(!uneven && segment.header.sequence_changes == 6 && segment.sequence.changes == 6,
           "of the cells at least half are in use");
}

static void check_long_wait(void)
{
    uint64_t now = 0;
    begin(77);
    sample(&now, 1, 4);
    sample(&now, 40000, 9);
    unsigned waits = 0;
    for (uint32_t i = 0; i < FM_SEQUENCE_CELLS; i++)
        waits += segment.sequence.cells[i] == 10;
    uint64_t cells = now >> segment.header.sequence_shift;
    tap_ok(!wrong_cells(now) && waits == cells && waits > FM_SEQUENCE_CELLS / 2, "a wait fills all its time (%u)",
           waits);
    fm_timeline_fill(&timeline, now + 5000 + PERIOD, UINT64_MAX / 2, 3);
    tap_ok(segment.sequence.cells[0] == 5, "what is longer than the run begins with it");
}

/* Places 3 and 2 have gone to place 1. */
static void check_change(void)
{
    const struct fm_segment_path paths[] = {
        {.kind = FM_PATH_ROOT}, {.kind = FM_PATH_CALL}, {.parent = 1}, {.parent = 2}, {.kind = FM_PATH_LEAF}};
    uint64_t now = 0;
    begin(0x10000000);
    for (uint32_t i = 0; i < 5; i++)
        sample(&now, 4, i);
    uint32_t before[FM_SEQUENCE_CELLS];
    unsigned wrong = 0;
    memcpy(before, segment.sequence.cells, sizeof before);
    fm_timeline_begin_change(&timeline);
    bool differs = segment.header.sequence_changes != segment.sequence.changes;
    fm_timeline_end_change(&timeline, paths);
    for (uint32_t i = 0; i < FM_SEQUENCE_CELLS; i++) {
        bool gone = before[i] == 3 || before[i] == 4;
        wrong += segment.sequence.cells[i] != (gone ? 2 : before[i]);
    }
    tap_ok(!wrong && differs && segment.header.sequence_changes == segment.sequence.changes,
           "places that are gone are those that have their costs");
}

int main(void)
{
    check_thinning(1 << 30);
    check_thinning(1760000000123456789);
    check_long_wait();
    check_change();
    return tap_done();
}
