/* Plays the engine for a plugin: a program that knows nothing of Lockstep, opens the plugin with
 * its symbols private, closes it as an editor does to reload it, and calls it from its main thread.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    int (*play)(int, char **) = NULL;
    if (count < 2)
        return 2;
    for (int loads = 0; loads < 3; loads++) {
        void *plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        *(void **)&play = dlsym(plugin, "plugin_play");
        if (loads < 2 && dlclose(plugin) != 0)
            return 2;
    }
    return play ? play(count - 1, arguments + 1) : 2;
}
