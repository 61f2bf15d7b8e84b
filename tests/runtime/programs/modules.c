/* Loads two modules in turn, so that they come to lie at the same place, and spins in them: modules A B TIMES. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int times = argc > 3 ? atoi(argv[3]) : 0, good = 0, same = 0;
    void *last = NULL;
    for (int i = 0; i < times; i++) {
        void *module = dlopen(argv[1 + i % 2], RTLD_NOW);
        const char *(*spin)(long) = module ? (const char *(*)(long))dlsym(module, "plugin_spin") : NULL;
        if (!spin)
            return 1;
        good += strcmp(spin(i % 2 ? 6000000 : 2000000), i % 2 ? "B" : "A") == 0;
        same += (void *)spin == last;
        last = (void *)spin;
        if (dlclose(module) != 0)
            return 1;
    }
    fprintf(stderr, "%d times at the same place\n", same);
    printf("%d good\n", good);
    return 0;
}
