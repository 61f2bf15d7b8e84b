/* A module that is loaded and unloaded: it spins, and says which it is. Compiled several times, with other NAMEs. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *plugin_spin(long rounds);
const char *plugin_spin(long rounds)
{
    for (volatile long i = 0; i < rounds; i++)
        ;
    return TEXT(NAME);
}
