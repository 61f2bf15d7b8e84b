/* A synthetic job reduced as at MPI_Finalize, by what runs there: the segments of a host lie as files in a directory and
 * are merged by fm_node_merge; the hosts' leaders are a tree (mpi/rank_tree.h) in which each adds the messages of its
 * children to its host's part and passes the sum up as a message. Only MPI itself is left out: one process does the work of
 * all leaders, one after the other. */
#ifndef FM_TESTS_SYNTHETIC_HOSTS_H
#define FM_TESTS_SYNTHETIC_HOSTS_H

#include "collect/node.h"
#include "merge/synthetic.h"

/* Seconds of CPU of all leaders together. */
struct fm_reduction_times {
    double make;     /* the segments, which is not part of the reduction */
    double hosts;    /* from segments to a profile of each host */
    double messages; /* encoding and decoding */
    double merge;    /* the profiles of hosts */
    double root;     /* from the first leader's start to the end of the root's part, with a core for each leader */
};

/* What the runtime calls the file of a segment. */
void fm_segment_file_path(const char *directory, const struct fm_segment_header *segment,
                          char path[FM_FILE_PATH_BYTES]);
/* Ends the program where a file cannot be written. */
void fm_write_file(const char *path, const void *bytes, size_t size);

/* The profile of the whole job. `directory` is empty and of mode 0700, and empty again afterwards. Ends the program with a
 * sentence where a step fails. *times is added to. */
struct fm_profile *fm_reduce_synthetic(const struct fm_synthetic *job, const char *directory,
                                       struct fm_reduction_times *times);

#endif
