/* Faults that findings are about, one by one, and for each a program that looks like it but is sound:
 *
 *   faults RULE fault|sound
 *
 * Work is CPU time, so that its amount does not depend on the machine. */
#include <fathom.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 14 };

static int rank, size, fault;

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Each is a function of its own in call paths, which calls nothing that takes long. */
#define WORKER(name)                                      \
    __attribute__((noinline)) static void name(double ms) \
    {                                                     \
        static volatile double x = 1;                     \
        for (double end = cpu_ms() + ms; cpu_ms() < end;) \
            for (int i = 0; i < 5000; i++)                \
                x = x * 1.0000001 + 1e-9;                 \
    }
WORKER(compute)
WORKER(write_results)
WORKER(analyse_results)

__attribute__((noinline)) static void read_numbers(FILE *file, double *numbers, int n)
{
    for (int i = 0; i < n; i++)
        if (fscanf(file, "%lf", &numbers[i]) != 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

__attribute__((noinline)) static void write_blocks(FILE *file, double ms)
{
    static char block[1 << 20];
    for (double end = cpu_ms() + ms; cpu_ms() < end;)
        if (pwrite(fileno(file), block, sizeof block, 0) != sizeof block)
            MPI_Abort(MPI_COMM_WORLD, 1);
}

__attribute__((noinline)) static void write_text(FILE *file, double ms)
{
    rewind(file);
    for (double end = cpu_ms() + ms; cpu_ms() < end;)
        for (int i = 0; i < 1000; i++)
            fprintf(file, "%.15f\n", 1.0 / (i + 1));
}

static double sum_of(double x)
{
    double sum;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* ---- the rules ---- */

static void imbalance(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute(fault ? (rank ? 20 : 60) : 40); /* uneven work */
        sum_of(step);
    }
}

/* Equal in total: one rank is late in even steps, the other in odd ones. */
static void turns(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute(fault ? (step % size == rank ? 40 : 4) : 22);
        sum_of(step); /* late in turns */
    }
}

static void serial_stage(void)
{
    double x = 0;
    for (int step = 0; step < STEPS; step++) {
        compute(30);
        if (rank == 0)
            write_results(30); /* the stage */
        else if (!fault)
            analyse_results(30);
        MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

/* Sound: what rank 0 writes takes as long as what the others compute. */
static void serial_output(void (*write_file)(FILE *file, double ms))
{
    double x = 0;
    FILE *file = tmpfile();
    for (int step = 0; step < STEPS; step++) {
        compute(30);
        if (rank == 0)
            write_file(file, 30);
        else if (!fault)
            analyse_results(30);
        MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    fclose(file);
}

static void serial_blocks(void)
{
    serial_output(write_blocks);
}

static void serial_text(void)
{
    serial_output(write_text);
}

/* Fault: rank 0 reads and distributes. Sound: each rank reads its own file. */
static void read_and_broadcast(void)
{
    enum { NUMBERS = 100000 };
    static double numbers[NUMBERS];
    FILE *file = tmpfile();
    for (int i = 0; i < NUMBERS; i++)
        fprintf(file, "%.15f\n", 1.0 / (i + 1));
    for (int step = 0; step < STEPS; step++) {
        compute(10);
        rewind(file);
        if (rank == 0 || !fault)
            read_numbers(file, numbers, NUMBERS); /* the input */
        if (fault)
            MPI_Bcast(numbers, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        else
            sum_of(numbers[step]);
    }
    fclose(file);
}

static void barrier(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute(fault ? (step % size == rank ? 40 : 4) : 22);
        MPI_Barrier(MPI_COMM_WORLD); /* the barrier */
    }
}

/* Fault: a chain, in which each rank works only after it has the result of the other. */
static void late_sender(void)
{
    int other = !rank;
    double x = 0;
    for (int step = 0; step < STEPS && rank < 2; step++) {
        if (rank == 0) {
            compute(25);
            MPI_Send(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
            if (fault)
                MPI_Recv(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the receive */
        } else {
            if (fault)
                MPI_Recv(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the receive */
            compute(25);
            MPI_Send(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
        }
        if (!fault)
            MPI_Recv(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Fault: the receiver works before it receives, and the sender waits until then. Small messages need no receiver. */
static void late_receiver(void)
{
    int other = !rank;
    double x = 0;
    for (int step = 0; step < STEPS && rank < 2; step++) {
        if (step % 2 == rank) {
            if (fault)
                MPI_Ssend(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD); /* the send */
            else
                MPI_Send(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
            compute(25);
        } else {
            compute(25);
            MPI_Recv(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* The same bytes in small messages, or in large ones. */
static void small_messages(void)
{
    static char data[65536];
    int other = !rank, bytes = fault ? 64 : (int)sizeof data, messages = fault ? 1024 : 1;
    for (int step = 0; step < 4000 && rank < 2; step++) {
        for (int i = 0; i < messages; i++)
            if (rank == 0)
                MPI_Send(data, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD); /* the message */
            else
                MPI_Recv(data, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            MPI_Recv(data, 0, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(data, 0, MPI_CHAR, other, 2, MPI_COMM_WORLD);
    }
}

static void timed(double (*ms)(int step))
{
    int timer = 0;
    fathom_timer_get(&timer, "step");
    for (int step = 0; step < STEPS; step++) {
        fathom_timer_start(timer);
        compute(ms(step));
        sum_of(step);
        fathom_timer_stop(timer);
    }
}

static double first_ms(int step)
{
    return fault && step == 0 ? 500 : 30;
}
static double drift_ms(int step)
{
    return fault ? 10 + 4 * step : 50;
}

static void first_event(void)
{
    timed(first_ms);
}
static void drift(void)
{
    timed(drift_ms);
}

static int open_own(void)
{
    char name[64];
    snprintf(name, sizeof name, "fault.%d.dat", rank);
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return file;
}

__attribute__((noinline)) static void write_fields(int file, double ms)
{
    static char field[1 << 20];
    lseek(file, 0, SEEK_SET);
    for (double end = cpu_ms() + ms; cpu_ms() < end;)
        if (pwrite(file, field, sizeof field, 0) != sizeof field) /* the field */
            MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Fault: half of the time in files. Sound: as often, but little. */
static void io(void)
{
    int file = open_own();
    for (int step = 0; step < STEPS; step++) {
        compute(fault ? 20 : 40);
        write_fields(file, fault ? 20 : 0.5);
        sum_of(step);
    }
    close(file);
}

__attribute__((noinline)) static void write_records(int file, FILE *stream)
{
    static const char record[16];
    for (int i = 0; i < 20000; i++)
        if (stream)
            fwrite(record, sizeof record, 1, stream);
        else if (write(file, record, sizeof record) != sizeof record) /* the record */
            MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Sound: the same records through a buffer. */
static void small_io(void)
{
    int file = open_own();
    FILE *stream = fault ? NULL : fdopen(file, "w");
    for (int step = 0; step < STEPS; step++) {
        compute(10);
        write_records(file, stream);
        sum_of(step);
    }
    if (stream)
        fclose(stream);
    else
        close(file);
}

/* Sound: one call, or a result that is used before the next. */
static void successive(void)
{
    double x[2] = {1, 2}, y[2];
    for (int step = 0; step < 20000; step++) {
        MPI_Allreduce(x, y, fault ? 1 : 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* the reduction */
        if (fault)
            MPI_Allreduce(x + 1, y + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        compute(0.01);
    }
}

/* All ranks on one core if faulty: see the test. */
static void no_cpu(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute(20);
        sum_of(step);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} rules[] = {
    {"imbalance", imbalance},
    {"turns", turns},
    {"serial-stage", serial_stage},
    {"serial-blocks", serial_blocks},
    {"serial-text", serial_text},
    {"read-and-broadcast", read_and_broadcast},
    {"barrier", barrier},
    {"late-sender", late_sender},
    {"late-receiver", late_receiver},
    {"first-event", first_event},
    {"drift", drift},
    {"small-messages", small_messages},
    {"successive-reductions", successive},
    {"io", io},
    {"small-io", small_io},
    {"no-cpu", no_cpu},
};

/* The test may start everything ahead of other programs, so that the ranks have cores on a busy machine. While they wait,
 * their launcher must run. */
static void stay_behind_launcher(void)
{
    if (sched_getscheduler(0) == SCHED_RR)
        sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1});
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    fault = !strcmp(argv[2], "fault");
    stay_behind_launcher();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].name, argv[1]))
            rules[i].run();
    MPI_Finalize();
    return 0;
}
