/* A team of three in which it is known who works and who waits, for about 0.4 s:
 *   uneven    one thread of the team works, and the others wait for it
 *   serial    the program works outside parallel regions, and the workers are idle
 *   critical  all work in a critical section, one at a time
 *   task      one thread executes the only task, one waits for it, and one has nothing to do
 *   even      all work
 * Prints the time of all threads in work(), that of the main thread, and the time since the start. Valid as C and as C++. Something follows the
 * last call of each function: else it would be a jump, and the function not on the stack. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { TEAM = 3, TURN = 300000, TURNS = 2000 };

static double end, worked, worked_by_main;
static volatile double sink;
static volatile int regions;

__attribute__((noinline)) static void work(void)
{
    double sum = 0;
    for (int i = 1; i < TURN; i++)
        sum += 1.0 / i;
    sink = sum;
}

static void turn(void)
{
    double spent = -omp_get_wtime();
    work();
    spent += omp_get_wtime();
#pragma omp atomic
    worked += spent;
    if (omp_get_thread_num() == 0)
        worked_by_main += spent;
}

static int is_over(void)
{
    return omp_get_wtime() >= end;
}

__attribute__((noinline)) static void uneven(void)
{
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < 10 && omp_get_thread_num() == regions % TEAM; i++)
        turn();
    regions++;
}

__attribute__((noinline)) static void serial(void)
{
    int size = 0;
#pragma omp parallel num_threads(TEAM) reduction(+ : size)
    size++;
    for (int i = 0; i < 10 * size; i++)
        turn();
    regions++;
}

__attribute__((noinline)) static void critical(void)
{
#pragma omp parallel num_threads(TEAM)
    while (!is_over()) {
#pragma omp critical
        turn();
    }
    regions++;
}

__attribute__((noinline)) static void task(void)
{
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    {
#pragma omp task
        for (int i = 0; i < 10; i++)
            turn();
#pragma omp taskwait
    }
    regions++;
}

__attribute__((noinline)) static void even(void)
{
#pragma omp parallel for num_threads(TEAM) schedule(dynamic)
    for (int i = 0; i < TURNS; i++)
        if (!is_over())
            turn();
    regions++;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"uneven", uneven}, {"serial", serial}, {"critical", critical}, {"task", task}, {"even", even}};
    double start = omp_get_wtime();
    end = start + 0.4;
    for (int i = 0; i < 5; i++)
        while (argc > 1 && strcmp(argv[1], cases[i].name) == 0 && !is_over())
            cases[i].run();
    printf("%f %f %f\n", worked, worked_by_main, omp_get_wtime() - start);
    return 0;
}
