/* Plants each fault of core/base/fault_injection.h in turn, runs seeds with it, and reports which
 * seed found it by which invariant. A fault may end the process, so each runs in its own. */
#include "run.h"

#include "core/base/fault_injection.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLANT_NAME(name) #name,
static const char *const names[] = {LS_PLANTS(PLANT_NAME)};
static enum ls_fault planted = LS_FAULT_COUNT;

bool ls_fault(enum ls_fault which)
{
    return which == planted;
}

/* The child's findings so far, in shared memory because a finding may crash the child. */
struct found {
    uint64_t seed;
    enum invariant broken;
};

/* Returns the only fault of a run for this plant, or FAULT_COUNT. Some plants need a rare event:
 * one failing allocation among thousands, or that the player who paused the match leaves. Runs with
 * that fault alone find them sooner, and so do runs that always have a narrow line. */
static enum fault only_of(uint32_t which)
{
    return which == LS_PLANT_PACK_ASSERTS_MEMORY ? FAULT_SERVER_MEMORY
           : which == LS_PLANT_PAUSE_OUTLIVES    ? FAULT_MATCH_PAUSE
           : which == LS_PLANT_LEVEL_UNSAID      ? FAULT_NARROW
           : which == LS_PLANT_LEVEL_IGNORED     ? FAULT_NARROW
                                                 : FAULT_COUNT;
}

static bool search(uint32_t which, uint64_t first, uint64_t last, struct found *shared)
{
    pid_t child = fork();
    if (child == 0) {
        planted = (enum ls_fault)which;
        int silence = open("/dev/null", O_WRONLY);
        dup2(silence, STDERR_FILENO);
        for (uint64_t seed = first; seed <= last; seed++) {
            *shared = (struct found){seed, SOUND};
            shared->broken =
                run_seed(&(run_config){.seed = seed, .only = only_of(which)}).verdict.broken;
            if (shared->broken != HOLDS)
                _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* Returns the seed that the list in the file names for this fault; 0: none. */
static uint64_t known_seed(const char *path, const char *name)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[128], found_name[64];
    uint64_t seed = 0, of_line;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %" SCNu64, found_name, &of_line) == 2 &&
            strcmp(found_name, name) == 0)
            seed = of_line;
    if (file)
        fclose(file);
    return seed;
}

struct plants_options {
    const char *known, *only;
    uint64_t seeds;
};

/* Reports a wrong argument and exits. */
static void refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "simulate_planted: %s%s\n"
            "usage: simulate_planted [--known FILE] [--search SEEDS] [--plant NAME]\n"
            "  --known FILE    lines `NAME SEED`: these are tried first\n"
            "  --search SEEDS  then seeds 1..SEEDS, for each fault\n"
            "  --plant NAME    this one alone\n",
            what, value);
    exit(2);
}

static uint64_t parse_count(const char *text)
{
    char *end;
    uint64_t count = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || !count)
        refuse("--search takes a number of seeds, not ", text);
    return count;
}

static const char *parse_plant(const char *text)
{
    for (uint32_t which = 0; which < LS_FAULT_COUNT; which++)
        if (strcmp(text, names[which]) == 0)
            return names[which];
    refuse("no planted fault is called ", text);
    return NULL;
}

static void parse(int argc, char **argv, struct plants_options *options)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--known") != 0 && strcmp(argv[i], "--search") != 0 &&
            strcmp(argv[i], "--plant") != 0)
            refuse("no option ", argv[i]);
        else if (!value)
            refuse("a value is missing behind ", argv[i]);
        else if (strcmp(argv[i], "--known") == 0)
            options->known = value;
        else if (strcmp(argv[i], "--search") == 0)
            options->seeds = parse_count(value);
        else
            options->only = parse_plant(value);
    }
    if (!options->known && !options->seeds)
        refuse("--known or --search is missing", "");
}

int main(int argc, char **argv)
{
    struct plants_options options = {0};
    uint32_t missed = 0;
    parse(argc, argv, &options);
    struct found *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    printf("%-22s %6s  %s\n", "planted", "seed", "found as");
    for (uint32_t which = 0; which < LS_FAULT_COUNT; which++) {
        /* deliver_planted finds these, because this simulator has no carrier. */
        bool is_of_carrier = which == LS_PLANT_CARRIER_REPLAYS ||
                             which == LS_PLANT_CARRIER_WINDOW_EARLY ||
                             which == LS_PLANT_PATH_MOVES_AT_ONCE;
        if (is_of_carrier || (options.only && strcmp(options.only, names[which]) != 0))
            continue;
        uint64_t seed = known_seed(options.known, names[which]);
        bool is_found = (seed && search(which, seed, seed, shared)) ||
                        (options.seeds && search(which, 1, options.seeds, shared));
        missed += !is_found;
        if (is_found)
            printf("%-22s %6" PRIu64 "  %s\n", names[which], shared->seed,
                   invariant_name(shared->broken));
        else
            printf("%-22s      -  not found\n", names[which]);
        fflush(stdout);
    }
    printf("%u not found\n", missed);
    return missed ? 1 : 0;
}
