/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/picture.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_PICTURES = 4096 };

static void push(_Atomic(struct fm_picture *) *list, struct fm_picture *picture)
{
    picture->next = atomic_load(list);
    while (!atomic_compare_exchange_weak(list, &picture->next, picture))
        ;
}

struct fm_picture *fm_picture_new(struct fm_pictures *pictures)
{
    struct fm_picture *picture = pictures->spare;
    if (picture) {
        pictures->spare = picture->next;
    } else if (pictures->n < MOST_PICTURES) {
        picture = malloc(sizeof *picture);
        pictures->n += picture != NULL;
    }
    return picture;
}

void fm_picture_put(struct fm_pictures *pictures, struct fm_picture *picture)
{
    push(&pictures->taken, picture);
}

void fm_picture_spare(struct fm_pictures *pictures, struct fm_picture *picture)
{
    picture->next = pictures->spare;
    pictures->spare = picture;
}

struct fm_picture *fm_pictures_returned(struct fm_pictures *pictures)
{
    return atomic_exchange(&pictures->returned, NULL);
}

static void free_all(struct fm_picture *picture)
{
    for (struct fm_picture *next; picture; picture = next) {
        next = picture->next;
        free(picture);
    }
}

void fm_pictures_free(struct fm_pictures *pictures)
{
    free_all(pictures->taken);
    free_all(pictures->returned);
    free_all(pictures->spare);
}

struct fm_picture *fm_pictures_taken(struct fm_pictures *pictures)
{
    struct fm_picture *oldest = NULL;
    for (struct fm_picture *at = atomic_exchange(&pictures->taken, NULL), *next; at; at = next) {
        next = at->next;
        at->next = oldest;
        oldest = at;
    }
    return oldest;
}

void fm_picture_give_back(struct fm_pictures *pictures, struct fm_picture *picture)
{
    push(&pictures->returned, picture);
}
