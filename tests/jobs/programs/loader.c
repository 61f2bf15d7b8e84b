/* Threads and a child whose first calls of MPI come while another thread holds the loader's lock: loader PLUGIN.
 * The plug-in's constructor waits for the thread (compare tests/runtime/programs/loader_lock.c). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t both;
static int wrong;

static void *call(void *unused)
{
    int in = 1, out = 0, flag = 0;
    MPI_Request request;
    pthread_barrier_wait(&both);
    MPI_Sendrecv(&in, 1, MPI_INT, 0, 0, &out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    wrong += out != 1;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Irecv(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    wrong += flag;
    pid_t child = _Fork();
    if (child == 0) {
        int size = 0, known = 0;
        MPI_Comm_size(MPI_COMM_SELF, &size);
        MPI_Initialized(&known);
        _exit(size == 1 && known ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    wrong += status != 0;
    pthread_barrier_wait(&both);
    return unused;
}

/* Called by the plug-in. */
void plugin_begins(void);
void plugin_ends(void);

void plugin_begins(void)
{
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
}

void plugin_ends(void)
{
}

int main(int argc, char **argv)
{
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, call, NULL);
    wrong += argc < 2 || !dlopen(argv[1], RTLD_NOW);
    pthread_join(thread, NULL);
    MPI_Finalize();
    printf("%d wrong\n", wrong);
    return 0;
}
