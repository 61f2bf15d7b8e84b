/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/graph.h"

const struct fm_colour fm_waiting_colour = {0xd5, 0x5e, 0x00};

/* Square root by bisection. The colour scale uses it because most shares are small: 1 % is at a tenth of the scale, 25
 * % at half. */
static double root_of(double share)
{
    double low = 0, high = 1;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        *(middle * middle < share ? &low : &high) = middle;
    }
    return high;
}

struct fm_colour fm_share_colour(double share)
{
    static const double stops[][3] = {{247, 250, 253}, {208, 226, 243}, {141, 187, 223}, {63, 131, 191}, {18, 63, 120}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double way = root_of(share) * LAST;
    int from = way >= LAST ? LAST - 1 : (int)way;
    double part = way - from, mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = stops[from][i] + part * (stops[from + 1][i] - stops[from][i]) + 0.5;
    return (struct fm_colour){(unsigned char)mixed[0], (unsigned char)mixed[1], (unsigned char)mixed[2]};
}

bool fm_colour_is_dark(struct fm_colour colour)
{
    return 3 * colour.red + 6 * colour.green + colour.blue < 1330;
}

double fm_line_width(double share)
{
    return 1 + 9 * share;
}
