/* File I/O in all the ways that could go wrong if calls are intercepted. Prints the result and errno of every call, which
 * must be the same with and without Fathom. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNTOUCHED = 77 };

/* errno of a call that succeeds must be what it was. */
#define SHOW(call)                                                     \
    do {                                                               \
        errno = UNTOUCHED;                                             \
        long shown_ = (long)(call);                                    \
        int error_ = errno;                                            \
        printf("%d: %s = %ld, %d\n", __LINE__, #call, shown_, error_); \
    } while (0)
#define SHOW_IF(call)                                                \
    do {                                                             \
        errno = UNTOUCHED;                                           \
        int shown_ = (call) != 0;                                    \
        int error_ = errno;                                          \
        printf("%d: %s: %d, %d\n", __LINE__, #call, shown_, error_); \
    } while (0)

static char block[8192] __attribute__((aligned(4096)));
static volatile size_t some = 100; /* so that checked variants are called */
static volatile int in_handler;
static int handler_file;

__attribute__((constructor)) static void early(void)
{
    int file = open("early", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file >= 0 && write(file, "early", 5) == 5)
        close(file);
}

static void late(void)
{
    FILE *file = fopen("late", "w");
    fprintf(file, "late %d\n", 1);
    fclose(file);
    struct stat status;
    int result = stat("late", &status);
    printf("late: %d %ld\n", result, (long)status.st_size);
}

static void handler(int signal)
{
    (void)signal;
    int error = errno;
    in_handler += write(handler_file, "h", 1) == 1;
    errno = error;
}

static void errors(void)
{
    int pipes[2];
    SHOW(write(-1, block, 1));
    SHOW(write(70000, block, 1));
    SHOW(write(999, block, 1));
    SHOW(read(-5, block, some));
    SHOW(close(-1));
    SHOW(close(999));
    SHOW(open("/nowhere/at/all", O_RDONLY));
    SHOW(open("", O_RDONLY));
    SHOW(open((char *)1, O_RDONLY));
    SHOW(open(".", O_WRONLY));
    SHOW(openat(999, "x", O_RDONLY));
    SHOW_IF(fopen("/nowhere", "r"));
    SHOW_IF(fopen("x", "nonsense"));
    SHOW(pipe(pipes));
    SHOW(lseek(pipes[0], 0, SEEK_SET));
    SHOW(fsync(pipes[0]));
    SHOW(pread(pipes[0], block, some, 0));
    SHOW(write(pipes[1], "pipe", 4));
    SHOW(read(pipes[0], block, some));
    SHOW(close(pipes[1]));
    SHOW(read(pipes[0], block, some));
    SHOW(close(pipes[0]));
    SHOW(close(pipes[0]));
    int file = open("readable", O_CREAT | O_TRUNC | O_RDONLY, 0600);
    SHOW(write(file, block, 1));
    SHOW(read(file, (char *)1, some));
    SHOW(lseek(file, -1, SEEK_SET));
    SHOW(pread(file, block, some, -1));
    SHOW(dup2(file, -1));
    SHOW(dup2(999, file));
    SHOW(close(file));
}

static void descriptors(void)
{
    int file = open64("data", O_CREAT | O_TRUNC | O_RDWR, 0640), copy, sockets[2];
    struct stat status;
    struct iovec parts[2] = {{block, 10}, {block + 10, 20}};
    SHOW(fstat(file, &status));
    SHOW(status.st_mode & 0777);
    SHOW(write(file, block, sizeof block));
    SHOW(pwrite64(file, block, 100, 5000));
    SHOW(pread64(file, block, some, 8150));
    SHOW(writev(file, parts, 2));
    SHOW(preadv(file, parts, 2, 8000));
    SHOW(pwritev2(file, parts, 2, -1, 0));
    SHOW(lseek64(file, 0, SEEK_CUR));
    SHOW(ftruncate(file, 10));
    SHOW(lseek(file, 0, SEEK_SET));
    SHOW(read(file, block, some));
    SHOW(read(file, block, some));
    SHOW((copy = dup(file)) >= 0);
    SHOW(close(file));
    SHOW(write(file, "x", 1)); /* the number is free */
    SHOW(write(copy, "x", 1));
    SHOW(lseek(copy, 0, SEEK_CUR));
    SHOW(close(copy));
    SHOW((file = open("data", O_WRONLY | O_APPEND)) >= 0);
    SHOW(write(file, "appended", 8));
    SHOW(lseek(file, 0, SEEK_CUR));
    SHOW(close(file));
    SHOW((file = open(".", O_TMPFILE | O_RDWR, 0600)) >= 0);
    SHOW(file < 0 || (fstat(file, &status) == 0 && (status.st_mode & 0777) == 0600));
    SHOW(file < 0 || close(file) == 0);
    SHOW((file = open("direct", O_CREAT | O_TRUNC | O_RDWR | O_DIRECT, 0600)) >= 0);
    SHOW(file < 0 ? 0 : write(file, block, 4096));
    SHOW(file < 0 ? 0 : write(file, block, 100));
    SHOW(file < 0 ? 0 : close(file));
    SHOW(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    SHOW(write(sockets[0], "socket", 6));
    SHOW(read(sockets[1], block, some));
    SHOW(close(sockets[0]));
    SHOW(read(sockets[1], block, some));
    SHOW(close(sockets[1]));
}

static void kernel_copies(void)
{
    int from = open("from", O_CREAT | O_TRUNC | O_RDWR, 0600), to = open("to", O_CREAT | O_TRUNC | O_RDWR, 0600);
    int pipes[2];
    off_t offset = 0;
    loff_t in = 0, out = 0;
    SHOW(write(from, block, 5000));
    SHOW(sendfile(to, from, &offset, 1000));
    SHOW(copy_file_range(from, &in, to, &out, 2000, 0));
    SHOW(pipe(pipes));
    SHOW(splice(from, &in, pipes[1], NULL, 500, 0));
    SHOW(splice(pipes[0], NULL, to, &out, 500, 0));
    SHOW(lseek(to, 0, SEEK_END));
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
    map[7] = 'm';
    SHOW(msync(map, 4096, MS_SYNC));
    SHOW(munmap(map, 4096));
    SHOW(pread(to, block, 10, 0));
    SHOW(block[7]);
    SHOW(close(from) | close(to) | close(pipes[0]) | close(pipes[1]));
}

static void streams(void)
{
    char *line = NULL, word[20], text[100];
    size_t size = 0;
    int number = 0;
    FILE *stream = fopen64("lines", "w+");
    SHOW(fprintf(stream, "%d %s\n", 42, "words"));
    SHOW(fputs("second line\n", stream));
    SHOW(putc('c', stream));
    SHOW(fputc('\n', stream));
    SHOW(fwrite("block\n", 1, 6, stream));
    SHOW(fwrite("", 0, 5, stream));
    SHOW(ftell(stream));
    rewind(stream);
    SHOW(fscanf(stream, "%d %19s", &number, word));
    SHOW(number);
    SHOW(getc(stream));
    SHOW(ungetc('U', stream));
    SHOW(getline(&line, &size, stream));
    SHOW(line[0]);
    SHOW_IF(fgets(text, (int)some, stream));
    SHOW(text[0]);
    SHOW(fread(text, 1, some, stream));
    SHOW(feof(stream) != 0);
    SHOW(fseek(stream, -3, SEEK_END));
    SHOW(fgetc(stream));
    SHOW(fseeko64(stream, 0, SEEK_SET));
    SHOW(fflush(stream));
    SHOW(setvbuf(stream, NULL, _IONBF, 0));
    SHOW(fputs("unbuffered", stream));
    SHOW(fclose(stream));
    SHOW_IF(stream = freopen("lines", "r", stdin));
    SHOW(getchar());
    SHOW_IF(stream = fmemopen(text, sizeof text, "w"));
    SHOW(fprintf(stream, "memory %d", 5));
    SHOW(fclose(stream));
    SHOW(strcmp(text, "memory 5"));
    SHOW_IF(stream = tmpfile());
    SHOW(fputs("temporary", stream));
    SHOW(fclose(stream));
    SHOW_IF(stream = popen("read x; echo got $x", "w"));
    fflush(stdout);
    SHOW(fputs("input\n", stream));
    SHOW(pclose(stream));
    SHOW_IF(stream = fdopen(open("append", O_CREAT | O_WRONLY | O_TRUNC, 0600), "a"));
    SHOW(dprintf(fileno(stream), "%s", "direct"));
    SHOW(fflush(NULL));
    SHOW(fclose(stream));
    SHOW(puts("to standard output"));
    SHOW(fprintf(stderr, "to standard error\n"));
    free(line);
}

/* Calls that return before they look at the stream. */
static void no_stream(void)
{
    FILE *volatile none = NULL;
    char *line = NULL;
    size_t size = 0;
    some = 0;
    SHOW(fread(block, some, 5, none));
    SHOW(fwrite(block, 5, some, none));
    SHOW_IF(fgets(block, (int)some, none));
    SHOW(getline(NULL, &size, none));
    SHOW(getdelim(&line, NULL, 'x', none));
    SHOW(fflush(none));
    some = 100;
}

/* Standard output becomes a file, and is restored. */
static void standard_output(void)
{
    struct stat status;
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = open("stdout", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDOUT_FILENO);
    close(file);
    printf("into the file\n");
    fflush(stdout);
    if (write(STDOUT_FILENO, "directly\n", 9) != 9)
        abort();
    dup2(saved, STDOUT_FILENO);
    close(saved);
    SHOW(stat("stdout", &status));
    SHOW(status.st_size);
}

static void children(void)
{
    int status, file = open("child", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (int fd = 3; fd < 256; fd++)
            if (fd != file)
                close(fd);
        int good = write(file, "from the child", 14) == 14;
        FILE *stream = fopen("child.txt", "w");
        good += fprintf(stream, "text\n") == 5;
        good += fclose(stream) == 0;
        closefrom(3);
        good += write(file, "x", 1) == -1 && errno == EBADF;
        _exit(good);
    }
    SHOW(waitpid(child, &status, 0) == child);
    SHOW(WEXITSTATUS(status));
    SHOW(lseek(file, 0, SEEK_CUR)); /* shared with the child */
    child = vfork();
    if (child == 0) {
        close(file);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
        _exit(9);
    }
    SHOW(waitpid(child, &status, 0) == child);
    SHOW(WEXITSTATUS(status));
    SHOW(write(file, "parent", 6)); /* its descriptor is still open */
    SHOW(close(file));
    SHOW(system("echo from a shell; exit 6"));
}

static void *reads_for_ever(void *fd)
{
    char byte;
    for (;;)
        if (read(*(int *)fd, &byte, 1) < 0)
            return NULL;
}

static void *writes(void *name)
{
    long bytes = 0;
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    for (int i = 0; i < 1000; i++)
        bytes += write(file, "0123456789", 10);
    close(file);
    return (void *)bytes;
}

static void threads(void)
{
    pthread_t waiting, small[4];
    pthread_attr_t attributes;
    void *result;
    int pipes[2];
    static char names[4][16];
    SHOW(pipe(pipes));
    SHOW(pthread_create(&waiting, NULL, reads_for_ever, &pipes[0]));
    SHOW(write(pipes[1], "abc", 3));
    SHOW(pthread_cancel(waiting));
    SHOW(pthread_join(waiting, &result));
    SHOW(result == PTHREAD_CANCELED);
    SHOW(close(pipes[0]) | close(pipes[1]));
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    for (int i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "thread.%d", i);
        SHOW(pthread_create(&small[i], &attributes, writes, names[i]));
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(small[i], &result);
        SHOW((long)result);
    }
}

/* A handler writes while the program writes. */
static void signals(void)
{
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    int file = open("signalled", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    long wrong = 0, bytes = 0;
    handler_file = open("handler", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    while (in_handler < 50 && bytes < 1000000000) {
        errno = UNTOUCHED;
        long n = write(file, block, 4096);
        wrong += n != 4096 || errno != UNTOUCHED;
        bytes += n;
        if (bytes % (1 << 20) == 0)
            lseek(file, 0, SEEK_SET);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    SHOW(wrong);
    SHOW(in_handler >= 50);
    SHOW(lseek(handler_file, 0, SEEK_CUR) == in_handler);
    SHOW(close(file) | close(handler_file));
}

static void all(void)
{
    errors();
    descriptors();
    kernel_copies();
    streams();
    no_stream();
    standard_output();
    children();
    threads();
    signals();
}

int main(int argc, char **argv)
{
    struct stat status;
    atexit(late);
    SHOW(stat("early", &status));
    SHOW(status.st_size);
    descriptors();
    MPI_Init(&argc, &argv);
    all();
    MPI_Finalize();
    in_handler = 0;
    all();
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    descriptors();
    return 23;
}
