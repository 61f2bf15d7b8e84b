/* See loader_lock.c. */
void plugin_begins(void);
void plugin_ends(void);

__attribute__((constructor)) static void begin(void)
{
    plugin_begins();
}

__attribute__((destructor)) static void end(void)
{
    plugin_ends();
}
