/* lockstep source-hash: prints the hash of a simulation's sources, for builds without CMake. */
#include "cli/common/candidates.h"
#include "cli/common/command.h"
#include "cli/common/menu.h"
#include "cli/module/source_hash.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: lockstep source-hash [COMPILER-OPTION...] FILE...\n"
    "\n"
    "Print the hash of a simulation's sources for -DLS_SIM_SOURCE_HASH, for builds\n"
    "without CMake. lockstep_add_simulation() computes the same hash. It becomes part\n"
    "of the fingerprint: machines with different sources refuse each other.\n"
    "\n"
    "Name every source and header of the simulation, in the same order on every\n"
    "machine. Pass the compiler's options as they are: definitions (-D, -U) and\n"
    "options that change the meaning of C (-funsigned-char, -fwrapv ...) become part\n"
    "of the hash; all others, NDEBUG and names that begin with _ do not.\n"
    "\n"
    "  game.so: game.c game.h\n"
    "  \tcc -shared -fPIC -O2 $$(pkg-config --cflags lockstep-sim) -DMAP=2 \\\n"
    "  \t  -DLS_SIM_SOURCE_HASH='\"'$$(lockstep source-hash -DMAP=2 $^)'\"' \\\n"
    "  \t  game.c -o $@\n"
    "\n"
    "Exit codes:\n"
    "  0  good\n"
    "  2  no file is named, or one is missing\n"
    "  5  a file cannot be read\n";

/* Whether the argument of the compiler option is the next word. */
static bool has_argument(const char *option)
{
    static const char *const names[] = {"-I", "-isystem", "-iquote", "-idirafter", "-o", "-x",
                                        "-L", "-l",       "-MF",     "-MT",        "-MQ"};
    for (size_t i = 0; i < LS_COUNT_OF(names); i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

static bool is_definition(const char *option)
{
    return strcmp(option, "-D") == 0 || strcmp(option, "-U") == 0;
}

static ls_status add(ls_source_hash *hash, char **arguments, int count, int *at, ls_error *error)
{
    const char *word = arguments[*at];
    bool has_next = *at + 1 < count;
    if (word[0] != '-' || !word[1])
        return ls_source_hash_add_file(hash, word, error);
    if (is_definition(word) && has_next) {
        ls_builder joined = {0};
        ls_builder_add(&joined, "%s%s", word, arguments[++*at]);
        ls_source_hash_add_option(hash, joined.data);
        ls_free(joined.data);
    } else if (strcmp(word, "-include") == 0 && has_next) {
        return ls_source_hash_add_file(hash, arguments[++*at], error);
    } else if (has_argument(word) && has_next) {
        ++*at;
    } else {
        ls_source_hash_add_option(hash, word);
    }
    return LS_OK;
}

ls_exit ls_command_source_hash(int count, char **arguments)
{
    ls_source_hash hash = {0};
    ls_error error;
    ls_status status = LS_OK;
    char text[LS_SHA256_TEXT_BYTES];
    if (ls_candidates_are_asked()) {
        ls_candidates_add_files(NULL);
        return LS_EXIT_GOOD;
    }
    for (int i = 1; i < count; i++)
        if (ls_menu_asks_for_help(arguments[i])) {
            fputs(help, stdout);
            return LS_EXIT_GOOD;
        }
    for (int i = 1; !status && i < count; i++)
        status = add(&hash, arguments, count, &i, &error);
    if (!status && !hash.files.count)
        status = ls_error_set(&error, LS_ERROR_USAGE,
                              "FILE is missing; see `lockstep source-hash --help`");
    if (!status) {
        ls_source_hash_get(&hash, text);
        puts(text);
    }
    ls_source_hash_reset(&hash);
    return status ? ls_command_fail("source-hash", status, &error) : LS_EXIT_GOOD;
}
