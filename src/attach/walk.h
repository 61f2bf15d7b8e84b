/* Call paths from pictures of threads (attach/shot.h), with elfutils: the load modules of a process, as /proc has them,
 * and their tables for unwinding. One for each process. */
#ifndef FM_ATTACH_WALK_H
#define FM_ATTACH_WALK_H

#include "attach/samples.h"
#include "attach/shot.h"

struct fm_walker;

struct fm_walker *fm_walker_open(pid_t pid); /* NULL: the modules of the process cannot be found */
void fm_walker_close(struct fm_walker *walker);

/* The node of the picture's call path; 0: no memory. */
uint32_t fm_walker_node(struct fm_walker *walker, const struct fm_shot *shot, struct fm_samples *samples,
                        bool *complete);

#endif
