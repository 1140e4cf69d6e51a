/* A simulation that breaks the rules of determinism, each in a component of its own. ./matrix plays
 * it on all its machines; a component whose hash differs from that of x86-64 names the broken rule.
 * usage: traps print             prints each component's name and hash after the match
 *        traps compare FILE      prints the names of the components that differ from FILE */
#include "tests/determinism/traps/values.h"
#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 8, NAME_BYTES = 64 };

typedef struct trap {
    uint64_t value;
} trap;

static const ls_field fields[] = {LS_FIELD(trap, value, LS_TYPE_U64)};

#define TRAP_COMPONENT(name)                                                                       \
    static const ls_component name##_component = LS_SINGLETON_TABLE(trap, #name, fields);          \
    static void name##_system(ls_context *context, const ls_entity *entities)                      \
    {                                                                                              \
        (void)entities;                                                                            \
        trap *own = ls_singleton_write(context, 0);                                                \
        own->value = own->value * 31 + trap_##name(ls_tick(context));                              \
    }
TRAP_VALUES(TRAP_COMPONENT)

#define TRAP_ADDRESS(name) &name##_component,
static const ls_component *const components[] = {TRAP_VALUES(TRAP_ADDRESS)};

#define TRAP_SYSTEM(given)                                                                         \
    {.name = "set_" #given,                                                                        \
     .mode = LS_SEQUENTIAL,                                                                        \
     .match = given##_system,                                                                      \
     .terms = LS_TERM_LIST(LS_OTHERS_WRITE(given##_component))},
static const ls_system systems[] = {TRAP_VALUES(TRAP_SYSTEM)};

static bool input_is_valid(const ls_match *match, uint32_t player, const uint8_t *bytes,
                           uint32_t bytes_count)
{
    (void)match, (void)player, (void)bytes, (void)bytes_count;
    return false;
}

static const ls_sim traps_sim = {.abi = LS_SIM_ABI,
                                 .name = "traps",
                                 .version = "1",
                                 .summary = "breaks the rules",
                                 .source_hash = "traps",
                                 .tick_rate = 20,
                                 .player_count = 1,
                                 .components = components,
                                 .component_count = LS_COUNT_OF(components),
                                 .systems = systems,
                                 .system_count = LS_COUNT_OF(systems),
                                 .input_is_valid = input_is_valid};

static void require(ls_status status, const ls_error *error)
{
    if (status == LS_OK)
        return;
    fprintf(stderr, "traps: %s\n", error->text);
    exit(2);
}

/* Plays the match. `hashes` and `names` are in the order of the program. */
static void play(uint64_t hashes[LS_COUNT_OF(components)],
                 const char *names[LS_COUNT_OF(components)])
{
    ls_error error;
    ls_program *program;
    ls_world *world;
    require(ls_program_create(&traps_sim, &program, &error), &error);
    ls_match match = ls_program_match(program, 1);
    require(ls_world_create(program, &match, &world, &error), &error);
    for (uint64_t tick = 0; tick < TICKS; tick++)
        require(ls_world_advance(world, &(ls_frame){.tick = tick}, NULL, &error), &error);
    ls_world_column_hashes(world, hashes);
    for (uint32_t i = 0; i < LS_COUNT_OF(components); i++)
        names[i] = ls_program_component(program, i)->name;
    ls_world_destroy(world);
    ls_program_destroy(program);
}

/* Returns the hash of a name in what another machine printed. */
static uint64_t find(FILE *file, const char *wanted)
{
    char name[NAME_BYTES];
    uint64_t hash;
    rewind(file);
    while (fscanf(file, "%63s %" SCNx64, name, &hash) == 2) {
        if (strcmp(name, wanted) == 0)
            return hash;
    }
    fprintf(stderr, "traps: the file has no %s\n", wanted);
    exit(2);
}

int main(int count, char **arguments)
{
    bool is_comparison = count == 3 && strcmp(arguments[1], "compare") == 0;
    if (!is_comparison && !(count == 2 && strcmp(arguments[1], "print") == 0)) {
        fputs("usage: traps print | compare FILE\n", stderr);
        return 2;
    }
    uint64_t hashes[LS_COUNT_OF(components)];
    const char *names[LS_COUNT_OF(components)];
    play(hashes, names);
    FILE *file = is_comparison ? fopen(arguments[2], "r") : NULL;
    if (is_comparison && !file) {
        perror(arguments[2]);
        return 2;
    }
    for (uint32_t i = 0; i < LS_COUNT_OF(components); i++) {
        if (!file)
            printf("%s %016" PRIx64 "\n", names[i], hashes[i]);
        else if (find(file, names[i]) != hashes[i])
            printf("%s\n", names[i]);
    }
    if (file)
        fclose(file);
    return 0;
}
