// Forks, throws, loads and unloads modules, starts threads, sends signals and waits, without pause and all at once:
// soak SECONDS MODULE...   Says what went wrong.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> stop;
static std::atomic<long> turns[6], faults;

static int timers()
{
    char line[200];
    int n = 0;
    FILE *file = fopen("/proc/self/timers", "r");
    while (file && fgets(line, sizeof line, file))
        n += strncmp(line, "ID:", 3) == 0;
    if (file)
        fclose(file);
    return n;
}

static void fault(const char *what)
{
    if (faults++ < 20)
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
}

struct Cleaned {
    int &n;
    ~Cleaned()
    {
        n++;
    }
};

static __attribute__((noinline)) int sink(int depth, int &cleaned)
{
    Cleaned c{cleaned};
    if (depth == 0)
        throw std::runtime_error("down here");
    return sink(depth - 1, cleaned) + 1;
}

static void throws()
{
    while (!stop) {
        int cleaned = 0;
        try {
            sink(30, cleaned);
            fault("not thrown");
        } catch (const std::runtime_error &error) {
            if (cleaned != 31 || std::string(error.what()) != "down here")
                fault("caught something else");
        }
        turns[0]++;
    }
}

static void forks()
{
    while (!stop) {
        pid_t child = fork();
        if (child == 0) {
            struct timespec time = {0, 500000};
            _exit(nanosleep(&time, nullptr) == 0 ? 7 : 8);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
            fault("fork");
        turns[1]++;
    }
}

static void modules(char **names, int n)
{
    for (int i = 0; !stop; i++) {
        void *module = dlopen(names[i % n], RTLD_NOW);
        auto spin = module ? (const char *(*)(long))dlsym(module, "plugin_spin") : nullptr;
        if (!spin || strlen(spin(20000)) != 1 || dlclose(module) != 0)
            fault("module");
        turns[2]++;
    }
}

static void *short_thread(void *data)
{
    int cleaned = 0;
    for (volatile int i = 0; i < 20000; i++)
        ;
    if ((long)data % 3 == 1)
        pthread_exit(data);
    if ((long)data % 3 == 2)
        try {
            sink(5, cleaned);
        } catch (...) {
        }
    return data;
}

static void threads()
{
    for (long i = 0; !stop; i += 4) {
        pthread_t ids[4];
        for (long k = 0; k < 4; k++)
            if (pthread_create(&ids[k], nullptr, short_thread, (void *)(i + k)) != 0)
                fault("pthread_create");
        for (long k = 0; k < 4; k++) {
            void *result;
            if (pthread_join(ids[k], &result) != 0 || result != (void *)(i + k))
                fault("pthread_join");
        }
        turns[3]++;
    }
}

static void waits()
{
    while (!stop) {
        struct timespec time = {0, 300000};
        if (nanosleep(&time, nullptr) != 0 || poll(nullptr, 0, 1) != 0 || usleep(200) != 0)
            fault("wait");
        turns[4]++;
    }
}

static thread_local sigjmp_buf back;

static void jump(int)
{
    siglongjmp(back, 1);
}

static void signals()
{
    struct sigaction action = {};
    action.sa_handler = jump;
    sigaction(SIGUSR1, &action, nullptr);
    while (!stop) {
        if (sigsetjmp(back, 1) == 0) {
            raise(SIGUSR1);
            fault("no jump");
        }
        turns[5]++;
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int before = timers();
    std::vector<std::thread> all;
    all.emplace_back(throws);
    all.emplace_back(forks);
    all.emplace_back(modules, argv + 2, argc - 2);
    all.emplace_back(threads);
    all.emplace_back(waits);
    all.emplace_back(signals);
    std::this_thread::sleep_for(std::chrono::seconds(atoi(argv[1])));
    stop = true;
    for (auto &thread : all)
        thread.join();
    int left = timers() - before, idle = 0;
    for (auto &n : turns) {
        fprintf(stderr, "%ld turns\n", n.load());
        idle += n == 0;
    }
    printf("%ld faults, %d idle, %d timers too many\n", faults.load(), idle, left);
    return 0;
}
