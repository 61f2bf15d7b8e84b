/* Reads and writes files in every way there is, and prints what it did: one line per file,
 *
 *   name opens reads writes seeks syncs read_bytes written_bytes rewritten_bytes
 *
 * Only rank 0 prints files of its own; "shared" is used by all ranks, and the others print a line "shared ..." each. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <printf.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4096, THREADS = 4, PER_THREAD = 20000, MANY = 1000 };

struct figures {
    long opens, reads, writes, seeks, syncs, read, written, rewritten;
};

static void print(const char *name, struct figures f)
{
    printf("%s %ld %ld %ld %ld %ld %ld %ld %ld\n", name, f.opens, f.reads, f.writes, f.seeks, f.syncs, f.read,
           f.written, f.rewritten);
}

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "files: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static char buffer[BYTES];

static void by_descriptor(void)
{
    struct figures f = {0};
    int fd = open("posix.dat", O_CREAT | O_RDWR | O_TRUNC, 0644);
    check(fd >= 0, "open");
    f.opens++;
    for (int i = 0; i < 10; i++, f.writes++, f.written += BYTES)
        check(write(fd, buffer, BYTES) == BYTES, "write");
    check(lseek(fd, BYTES, SEEK_SET) == BYTES, "lseek");
    f.seeks++;
    check(write(fd, buffer, 100) == 100, "write"); /* again, where it has already written */
    f.writes++, f.written += 100, f.rewritten += 100;
    check(pwrite(fd, buffer, BYTES, 9 * BYTES + 96) == BYTES, "pwrite"); /* 4,000 bytes of it again */
    f.writes++, f.written += BYTES, f.rewritten += BYTES - 96;
    struct iovec parts[] = {{buffer, 10}, {buffer, 20}};
    check(pwritev(fd, parts, 2, 20 * BYTES) == 30, "pwritev");
    f.writes++, f.written += 30;
    check(fsync(fd) == 0 && fdatasync(fd) == 0, "fsync");
    f.syncs += 2;
    check(pread(fd, buffer, BYTES, 0) == BYTES, "pread");
    f.reads++, f.read += BYTES;
    check(preadv(fd, parts, 2, 0) == 30, "preadv");
    f.reads++, f.read += 30;
    check(lseek(fd, -10, SEEK_END) >= 0, "lseek");
    f.seeks++;
    for (ssize_t n = 1; n > 0; f.reads++) { /* the last one finds the end */
        n = read(fd, buffer, 7);
        f.read += n;
    }
    check(close(fd) == 0, "close");
    fd = openat(AT_FDCWD, "./posix.dat", O_WRONLY | O_APPEND);
    check(fd >= 0 && write(fd, buffer, 5) == 5 && close(fd) == 0, "append");
    f.opens++, f.writes++, f.written += 5;
    int directory = open(".", O_RDONLY | O_DIRECTORY);
    fd = openat(directory, "posix.dat", O_RDONLY);
    check(fd >= 0 && read(fd, buffer, 11) == 11 && close(fd) == 0 && close(directory) == 0, "openat");
    f.opens++, f.reads++, f.read += 11;
    print("posix.dat", f);
}

/* "%W" takes 0.3 s to format. */
static int format_slowly(FILE *stream, const struct printf_info *info, const void *const *arguments)
{
    (void)info, (void)arguments;
    usleep(300000);
    return fputc('w', stream) == 'w' ? 1 : -1;
}

static int no_arguments(const struct printf_info *info, size_t n, int *types, int *sizes)
{
    (void)info, (void)n, (void)types, (void)sizes;
    return 0;
}

/* More than fits into a buffer, so that it is filled in the middle of numbers. */
static void by_scan(void)
{
    enum { NUMBERS = 5000 };
    struct figures f = {0};
    FILE *stream = fopen("numbers.txt", "w+");
    check(stream != NULL, "fopen");
    f.opens++;
    for (int i = 0; i < NUMBERS; i++, f.writes++)
        f.written += fprintf(stream, "%d\n", 1000 * i);
    rewind(stream);
    f.seeks++;
    int number;
    for (int i = 0; i < NUMBERS; i++, f.reads++)
        check(fscanf(stream, "%d", &number) == 1 && number == 1000 * i, "fscanf");
    check(fscanf(stream, "%d", &number) == EOF, "fscanf at the end");
    f.reads++;
    f.read = f.written;
    check(fclose(stream) == 0, "fclose");
    print("numbers.txt", f);
}

/* Formatting into the buffer is work of the program. */
static void by_slow_format(void)
{
    struct figures f = {0};
    check(register_printf_specifier('W', format_slowly, no_arguments) == 0, "register_printf_specifier");
    FILE *stream = fopen("formatted.txt", "a");
    check(stream != NULL, "fopen");
    f.opens++;
    f.written += fprintf(stream, "%s ", "the buffer");
    f.written += fprintf(stream, "%W\n");
    f.writes += 2;
    check(fclose(stream) == 0, "fclose");
    print("formatted.txt", f);
}

static void by_stream(void)
{
    struct figures f = {0};
    FILE *stream = fopen("stdio.txt", "w+");
    check(stream != NULL, "fopen");
    f.opens++;
    for (int i = 0; i < 1000; i++, f.writes++)
        f.written += fprintf(stream, "line %d\n", i);
    check(fwrite(buffer, 10, 300, stream) == 300, "fwrite");
    f.writes++, f.written += 3000;
    check(fputs("the end\n", stream) >= 0, "fputs");
    f.writes++, f.written += 8;
    check(fflush(stream) == 0, "fflush");
    check(fseek(stream, 0, SEEK_SET) == 0, "fseek");
    f.seeks++;
    char line[64];
    for (int i = 0; i < 1000; i++, f.reads++, f.read += (long)strlen(line))
        check(fgets(line, sizeof line, stream) != NULL, "fgets");
    size_t n = fread(buffer, 1, BYTES, stream);
    check(n == 3008, "fread");
    f.reads++, f.read += (long)n;
    rewind(stream);
    f.seeks++;
    char *longer = NULL;
    size_t room = 0;
    f.read += getline(&longer, &room, stream);
    f.reads++;
    free(longer);
    check(fclose(stream) == 0, "fclose");
    stream = fopen("stdio.txt", "r");
    check(stream && fread(buffer, 1, 1, stream) == 1 && fclose(stream) == 0, "fopen");
    f.opens++, f.reads++, f.read++;
    print("stdio.txt", f);
}

/* Lines are longer than the strings they begin with. */
static void by_zeros(void)
{
    struct figures f = {0};
    static const char bytes[] = "one\0two\nthree\0four\n";
    FILE *stream = fopen("zeros.dat", "w+");
    check(stream && fwrite(bytes, 1, sizeof bytes - 1, stream) == sizeof bytes - 1, "fwrite");
    f.opens++, f.writes++, f.written += sizeof bytes - 1;
    rewind(stream);
    f.seeks++;
    check(fread(buffer, 1, 1, stream) == 1, "fread");
    check(fgets(buffer, 16, stream) && fgets(buffer, BYTES, stream), "fgets");
    f.reads += 3, f.read += sizeof bytes - 1;
    check(fclose(stream) == 0, "fclose");
    print("zeros.dat", f);
}

/* Copies of descriptors, and descriptors that are used for something else afterwards. */
static void by_copies(void)
{
    struct figures a = {0}, b = {0};
    int first = open("copied.dat", O_CREAT | O_WRONLY | O_TRUNC, 0644), second = dup(first);
    a.opens++;
    int third = fcntl(first, F_DUPFD, 100);
    check(first >= 0 && second >= 0 && third >= 100, "dup");
    check(write(first, buffer, 1) == 1 && write(second, buffer, 2) == 2 && write(third, buffer, 3) == 3, "write");
    a.writes += 3, a.written += 6;
    int other = open("other.dat", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    b.opens++;
    check(dup2(other, first) == first, "dup2"); /* now another file */
    check(write(first, buffer, 10) == 10 && write(other, buffer, 20) == 20, "write");
    b.writes += 2, b.written += 30;
    int sockets[2];
    close(second);
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "socketpair"); /* has a descriptor of the file */
    check(write(sockets[0], buffer, 1000) == 1000 && read(sockets[1], buffer, 1000) == 1000, "sockets");
    close(sockets[0]);
    close(sockets[1]);
    check(write(third, buffer, 4) == 4, "write");
    a.writes++, a.written += 4;
    check(close_range((unsigned)third, (unsigned)third, 0) == 0, "close_range");
    check(dup2(other, third) == third && write(third, buffer, 40) == 40, "dup2");
    b.writes++, b.written += 40;
    close(third);
    close(first);
    close(other);
    print("copied.dat", a);
    print("other.dat", b);
}

/* What children do is not counted, nor does it confuse what the parent does. */
static void with_children(void)
{
    struct figures f = {0};
    int fd = open("parent.dat", O_CREAT | O_RDWR | O_TRUNC, 0644), status;
    f.opens++;
    pid_t child = fork();
    if (child == 0) {
        int mine = open("child.dat", O_CREAT | O_WRONLY | O_TRUNC, 0644);
        if (write(mine, buffer, 100) != 100 || write(fd, buffer, 100) != 100)
            _exit(1);
        close(fd);
        _exit(0);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "fork");
    child = vfork();
    if (child == 0) {
        close(fd);
        int mine = open("child.dat", O_WRONLY); /* has the parent's number */
        ssize_t n = write(mine, buffer, 50);
        close(mine);
        _exit(n == 50 ? 0 : 1);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "vfork");
    check(write(fd, buffer, 7) == 7, "write");
    f.writes++, f.written += 7;
    close(fd);
    print("parent.dat", f);
}

/* A temporary file gets the number of a descriptor that libc itself has closed. */
static void in_reused_number(char *name, int number)
{
    int fd = mkstemp(name);
    check(fd == number && write(fd, buffer, 100) == 100 && close(fd) == 0, name);
    print(name, (struct figures){.opens = 1, .writes = 1, .written = 100});
}

static void in_reused_numbers(void)
{
    char of_folder[] = "closedir.XXXXXX", of_pipe[] = "pclose.XXXXXX";
    int number = open(".", O_RDONLY);
    DIR *folder = fdopendir(number);
    check(folder && closedir(folder) == 0, "closedir");
    in_reused_number(of_folder, number);
    FILE *stream = popen("echo x", "r");
    number = fileno(stream);
    check(fgets(buffer, BYTES, stream) && pclose(stream) == 0, "pclose");
    in_reused_number(of_pipe, number);
}

static sigjmp_buf before_write;

static void jump(int signal)
{
    (void)signal;
    siglongjmp(before_write, 1);
}

static __attribute__((noinline)) void write_deeper(int fd, int depth)
{
    volatile char frame[256];
    frame[0] = (char)depth;
    if (depth > 0)
        write_deeper(fd, depth - 1);
    check(write(fd, buffer, 10) == 10, "write");
    frame[1] = frame[0];
}

/* A write beyond the limit is left by its signal's handler; calls after it are counted, also those that are deeper. */
static void after_jump(void)
{
    enum { DEPTH = 20 };
    struct rlimit limit;
    int fd = open("jumped.dat", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, jump);
    if (sigsetjmp(before_write, 1) == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1, limit.rlim_max});
        check(pwrite(fd, buffer, 1, 1) > 0, "limit");
    }
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
    write_deeper(fd, DEPTH);
    close(fd);
    print("jumped.dat", (struct figures){.opens = 1, .writes = DEPTH + 1, .written = 10 * (DEPTH + 1)});
}

static int threads_fd;

static void *writer(void *number)
{
    int own = open("threads.dat", O_WRONLY);
    check(own >= 0, "open");
    for (long i = 0; i < PER_THREAD; i++)
        check(pwrite(i % 2 ? own : threads_fd, buffer, 1 + (size_t)(long)number, 0) > 0, "pwrite");
    close(own);
    return NULL;
}

static void in_threads(void)
{
    struct figures f = {0};
    pthread_t threads[THREADS];
    threads_fd = open("threads.dat", O_CREAT | O_WRONLY | O_TRUNC, 0644);
    f.opens++;
    for (long i = 0; i < THREADS; i++, f.opens++, f.writes += PER_THREAD, f.written += i * PER_THREAD)
        check(pthread_create(&threads[i], NULL, writer, (void *)i) == 0, "pthread_create");
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close(threads_fd);
    f.rewritten = -1; /* depends on their order */
    print("threads.dat", f);
}

static void in_mpi(int rank, int ranks)
{
    MPI_File file;
    struct figures f = {0};
    int number[256] = {rank};
    check(MPI_File_open(MPI_COMM_WORLD, "mpi.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == 0,
          "MPI_File_open");
    f.opens++;
    for (int i = 0; i < 3; i++, f.writes++, f.written += sizeof number)
        MPI_File_write_at_all(file, (MPI_Offset)((i * ranks + rank) * (int)sizeof number), number, 256, MPI_INT,
                              MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    f.syncs++;
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    f.seeks++;
    MPI_File_read(file, number, 100, MPI_INT, MPI_STATUS_IGNORE);
    f.reads++, f.read += 100 * sizeof *number;
    MPI_File_close(&file);
    print("mpi.dat", f);
}

/* A file for each rank, and more files than there is space for. */
static void many(int rank)
{
    char name[40];
    struct figures f = {0};
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "many/out.%d.%06d", rank, i);
        int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
        check(fd >= 0 && write(fd, buffer, 100) == 100 && close(fd) == 0, "open");
        f.opens++, f.writes++, f.written += 100;
    }
    print("many", f);
}

int main(int argc, char **argv)
{
    int rank, ranks, provided;
    const char *end = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(end, "many") == 0) {
        many(rank);
        fflush(stdout);
        MPI_Finalize();
        return 0;
    }
    if (rank == 0) {
        by_descriptor();
        by_stream();
        by_zeros();
        by_slow_format();
        by_scan();
        by_copies();
        with_children();
        in_reused_numbers();
        after_jump();
        in_threads();
    }
    in_mpi(rank, ranks);
    struct figures f = {.opens = 1, .writes = 1, .written = 10};
    int fd = open("shared.dat", O_CREAT | O_WRONLY, 0644);
    check(fd >= 0 && pwrite(fd, buffer, 10, 10 * rank) == 10, "pwrite");
    print("shared.dat", f);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(end, "killed") == 0 && rank == ranks - 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    close(fd);
    MPI_Finalize();
    return 0;
}
