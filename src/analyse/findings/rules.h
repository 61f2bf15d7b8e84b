/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules, in the order in which they are applied: one that explains time comes before those that must not count it
 * again.
 *
 *   X(function, name, cores, what it looks at, advice, trace)
 *
 * function  fm_rule_FUNCTION in rule_FUNCTION.c
 * name      in JSON and reports; a contract
 * cores     NEEDED: about times, and not applied if ranks had no cores of their own; MEASURED: applied then, too, if the
 *           time without a CPU is measured; ANY: applied always
 * advice    what to try
 * trace     what only a trace can tell more, and with which tool; "" if nothing */
#ifndef FM_ANALYSE_FINDINGS_RULES_H
#define FM_ANALYSE_FINDINGS_RULES_H

#include "analyse/findings/search.h"

#define FM_TRACE_TOOLS "Score-P, shown by Vampir or analysed by Scalasca"

/* clang-format off */
#define FM_FINDING_RULES(X)                                                                                             \
    X(no_cpu, "no-cpu", ANY, "time without a CPU, ranks and cores of the hosts, preemptions, CPU time",                 \
      "Start no more ranks, times their threads, than the host has cores, bind each rank to as many cores as it has "   \
      "threads, and ask for hosts of your own. Until then, times and waiting say little about the program.", "")                                                                                  \
    X(memory, "memory", ANY, "high water of memory per rank, memory of the hosts",                                      \
      "Use fewer ranks per host, or more hosts. If the job starts swapping or is killed, this is why.", "")             \
    X(incomplete, "incomplete", ANY, "notes about the measurement",                                                     \
      "FATHOM_MEMORY=16M gives each process larger tables (the default is 4M).", "")                                    \
    X(successive, "successive-reductions", ANY, "reductions without another MPI call between them",                     \
      "Put the values into one array and reduce them in one call, if nothing between the calls needs the result of the "\
      "first. Different operations, such as a sum and a maximum, need an operation of your own (MPI_Op_create).", "")   \
    X(slow_host, "slow-host", MEASURED, "time outside MPI by host",                                                     \
      "Run a small test on this host alone: clock rate, temperature, memory and other jobs on it. If its ranks have "   \
      "more work than the others, distribute the work differently.", "")                                                \
    X(read_and_broadcast, "read-and-broadcast", ANY, "the same, with functions that read files, and waiting in broadcasts",\
      "Read in parallel (MPI-IO, parallel netCDF or HDF5), or read ahead: start the next read, and MPI_Ibcast, before the "\
      "data are needed.", "")                                                                                            \
    X(serial_stage, "serial-stage", ANY, "call paths that only one rank has, MPI time of the others",                   \
      "Divide this work among all ranks, or move it off the critical path: let a rank of its own do it while the "      \
      "others continue.", "")                                                                                           \
    X(small_io, "small-io", ANY, "number, size and time of requests by class of files",                                 \
      "Collect records in a buffer and write them together: setvbuf with 1 MiB, no fflush or flush after each record, " \
      "GFORTRAN_FORMATTED_BUFFER_SIZE; read whole blocks.", "")                                                          \
    X(io, "io", ANY, "time in file I/O by rank, classes of files, call paths",                                          \
      "Write less often or less data, in large requests; let all ranks take part (MPI-IO, parallel netCDF or HDF5), or "\
      "write in the background while the next steps are computed. --view io shows files and sizes.", "")                \
    X(imbalance, "imbalance", ANY, "time outside MPI by rank, CPU time, call paths, waiting in collectives",            \
      "Distribute the work by its cost, not by the number of points or blocks.",                                        \
      "A trace shows in which steps which rank is late: " FM_TRACE_TOOLS ".")                                           \
    X(barrier, "barrier", NEEDED, "waiting in MPI_Barrier",                                                             \
      "Remove the barrier if it is not needed for correctness: messages and collectives synchronize as far as the data "\
      "require.", "")                                                                                                   \
    X(late_sender, "late-sender", NEEDED, "waiting in receives, waits and probes",                                      \
      "Send earlier, or post the receive first (MPI_Irecv) and compute what does not need the message until it arrives.",\
      "A trace shows which message is late, and what its sender does before: " FM_TRACE_TOOLS ".")                      \
    X(late_receiver, "late-receiver", NEEDED, "waiting in blocking sends",                                              \
      "Post receives before the messages are sent (MPI_Irecv), or send without blocking (MPI_Isend).",                  \
      "A trace shows which receive is late: " FM_TRACE_TOOLS ".")                                                       \
    X(small_messages, "small-messages", NEEDED, "number, size and time of messages by call site",                       \
      "Collect what goes to the same rank and send it in one message.", "")                                             \
    X(first_event, "first-event", NEEDED, "longest events of timers and their numbers",                                 \
      "Look for what happens only once: reading input, allocating, opening connections, compiling. Measure production " \
      "runs that are long enough for it not to matter.", "")                                                            \
    X(drift, "drift", NEEDED, "events of timers in both halves of the run",                                             \
      "Look for what grows: lists, files, particles that gather in one place, memory.",                                 \
      "A trace of the first and of a late step shows what has grown: " FM_TRACE_TOOLS ".")                              \
    X(placement, "placement", ANY, "traffic between ranks, and their hosts",                                            \
      "Place ranks that exchange much on the same host: the launcher's --map-by or --distribution, or "                 \
      "MPI_Cart_create with reorder.", "")
/* clang-format on */

enum fm_rule_cores { FM_RULE_ANY, FM_RULE_NEEDED, FM_RULE_MEASURED };

struct fm_finding_rule {
    const char *name, *looks_at, *advice, *trace;
    enum fm_rule_cores cores;
    void (*find)(struct fm_finding_search *search);
};

#define X(function, ...) void fm_rule_##function(struct fm_finding_search *search);
FM_FINDING_RULES(X)
#undef X

#endif
