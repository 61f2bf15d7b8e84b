/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures on their way from who takes them to who looks at them, each a thread, and back. Neither ever waits for the
 * other. */
#ifndef FM_ATTACH_PICTURE_H
#define FM_ATTACH_PICTURE_H

#include "attach/shot.h"

struct fm_picture {
    struct fm_picture *next;
    uint32_t moment, process; /* number of the period, and of the target */
    pid_t tid;
    bool first;   /* of the first thread of its process */
    bool unseen;  /* the thread runs, and must not be stopped: there is nothing to be seen */
    bool matters; /* for the one who looks at it to say: its thread does something for the program */
    struct fm_shot shot;
};

struct fm_pictures {
    struct fm_picture *spare;
    size_t n;                                     /* in all */
    _Atomic(struct fm_picture *) taken, returned; /* newest first */
};

/* ---- who takes them ---- */

struct fm_picture *fm_picture_new(struct fm_pictures *pictures); /* NULL: no memory, or too many are on their way */
void fm_picture_put(struct fm_pictures *pictures, struct fm_picture *picture);
void fm_picture_spare(struct fm_pictures *pictures, struct fm_picture *picture);
/* All that have come back; each is to be spared. */
struct fm_picture *fm_pictures_returned(struct fm_pictures *pictures);
void fm_pictures_free(struct fm_pictures *pictures); /* the last one of the two does that */

/* ---- who looks at them ---- */

/* All that have come, the oldest first; NULL: none. Each is to be given back. */
struct fm_picture *fm_pictures_taken(struct fm_pictures *pictures);
void fm_picture_give_back(struct fm_pictures *pictures, struct fm_picture *picture);

#endif
