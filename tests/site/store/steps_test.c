/* Weeks and months: they nest, and none of them is missing. */
#include "site/store/steps.h"

#include <string.h>

#include "tap.h"

enum { LEAP_DAY = 19782 }; /* 2024-02-29 */

static void nest(enum fm_step step, int64_t shortest, int64_t longest)
{
    bool whole = true, has_day = true, within = true;
    for (int64_t day = 0; day < 40000; day++) {
        int64_t first = fm_step_first(step, day), next = fm_step_first_next(step, day);
        has_day = has_day && first <= day && day < next;
        whole = whole && next - first >= shortest && next - first <= longest && fm_step_first(step, next) == next &&
                fm_step_first(step, first) == first && fm_step_first(step, next - 1) == first;
        within = within &&
                 (step + 1 == FM_STEPS || (fm_step_first(step + 1, first) == fm_step_first(step + 1, next - 1)));
    }
    tap_ok(has_day, "each day is in its %s", fm_step_name(step));
    tap_ok(whole, "one %s follows another, none is shorter than %d days or longer than %d", fm_step_name(step),
           (int)shortest, (int)longest);
    tap_ok(within, "none is in two of the next larger steps");
}

int main(void)
{
    tap_ok(strcmp(fm_step_name(FM_STEP_WEEK), "week") == 0, "steps have names");
    nest(FM_STEP_DAY, 1, 1);
    nest(FM_STEP_WEEK, 7, 10);
    nest(FM_STEP_MONTH, 28, 31);
    nest(FM_STEP_QUARTER, 90, 92);
    tap_ok(fm_step_first(FM_STEP_WEEK, LEAP_DAY) == LEAP_DAY - 7 &&
               fm_step_first_next(FM_STEP_WEEK, LEAP_DAY) == LEAP_DAY + 1,
           "the last week of a February is from the 22nd to its end");
    tap_ok(fm_step_first(FM_STEP_QUARTER, LEAP_DAY) == LEAP_DAY - 59, "its quarter begins with the year");
    return tap_done();
}
