/* The parts of all.c: nearly every routine of MPI, with what is known of it. */
#ifndef ALL_H
#define ALL_H

#include "tally.h"

void all_messages(void);
void all_collectives(void);
void all_neighbours(void);
void all_objects(void);
void all_memory(void);
void all_files(void);

#endif
