/* For programs of another machine in qemu, preloaded: `lockstep explain` starts itself again, and
 * the system cannot run a file of that machine. LOCKSTEP_EMULATOR is the command that can, its
 * words separated by spaces. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS_MAX = 256 };

static int run_in_emulator(char *const arguments[], char *const environment[])
{
    static char emulator[PATH_MAX], program[PATH_MAX], empty[] = "";
    char *words[WORDS_MAX + 1], *rest = NULL;
    size_t count = 0;
    const char *command = getenv("LOCKSTEP_EMULATOR");
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!command || strlen(command) >= sizeof emulator || bytes < 0)
        return -1;
    strcpy(emulator, command);
    for (char *word = strtok_r(emulator, " ", &rest); word && count < WORDS_MAX / 2;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count++] = program;
    for (size_t i = 1; arguments[0] && arguments[i] && count < WORDS_MAX; i++)
        words[count++] = arguments[i];
    words[count] = NULL;
    return execvpe(words[0] ? words[0] : empty, words, environment);
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    if (strcmp(path, "/proc/self/exe") == 0)
        return run_in_emulator(arguments, environment);
    return (int)syscall(SYS_execve, path, arguments, environment);
}

int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}
