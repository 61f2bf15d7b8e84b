/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an MPI routine to estimate its time: how it communicates, and which routine's calibration stands for
 * it if it has none of its own. */
#ifndef FM_SITE_CALIBRATION_ROUTINES_H
#define FM_SITE_CALIBRATION_ROUTINES_H

enum fm_traffic {
    FM_TRAFFIC_UNKNOWN,        /* one-sided, files, neighbourhoods: not calibrated */
    FM_TRAFFIC_NONE,           /* moves none of the program's data: all of its time is its own */
    FM_TRAFFIC_MESSAGE,        /* between two ranks, blocking */
    FM_TRAFFIC_SEND,           /* starts a message */
    FM_TRAFFIC_RECEIVE,        /* starts to receive one */
    FM_TRAFFIC_COMPLETION,     /* waits for what was started */
    FM_TRAFFIC_COLLECTIVE,     /* blocking */
    FM_TRAFFIC_COLLECTIVE_NOW, /* starts a collective */
};

struct fm_routine_meaning {
    enum fm_traffic traffic;
    const char *as; /* whose calibration to use if there is none for `name`; "" */
    char name[64];  /* without the ending of the large-count form; "MPI_Bcast" for "MPI_Ibcast" */
};

struct fm_routine_meaning fm_routine_meaning(const char *routine);

#endif
