/* Runs seeds and reports the result of each; a failure comes with the command that repeats it. */
#include "run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct options {
    uint64_t first, last;
    enum fault only;
    double minutes;
    bool has_seeds, is_printing, is_json, is_update;
    const char *golden;
};

static uint64_t running; /* the current seed, for the message after a crash */
static enum fault running_only;

static const char *commit(void)
{
    const char *text = getenv("LOCKSTEP_COMMIT");
    return text ? text : "of this build";
}

static void say_how_to_repeat(FILE *out, uint64_t seed, enum fault only)
{
    fprintf(out, "  repeat: ./simulate --seed %" PRIu64 "%s%s --trace   (commit %s)\n", seed,
            only == FAULT_CLEAN   ? " --clean"
            : only == FAULT_COUNT ? ""
                                  : " --fault ",
            only < FAULT_COUNT ? fault_name(only) : "", commit());
}

static void crashed(int number)
{
    fprintf(stderr, "seed %" PRIu64 ": sound: signal %d\n", running, number);
    say_how_to_repeat(stderr, running, running_only);
    _exit(1);
}

static const char help[] =
    "usage: simulate [--seed N | --seeds A..B] [--minutes M] [--fault NAME | --clean]\n"
    "                [--trace] [--json] [--golden FILE [--update]]\n"
    "  --seed N       one seed; --seeds A..B several (1..200 by default)\n"
    "  --minutes M    fresh seeds for so long, from --seed N on; from $LOCKSTEP_FRESH, or from\n"
    "                 a number made of the clock without it\n"
    "  --fault NAME   this fault alone strikes\n"
    "  --clean        faults strike, but no world and no word is wrong: nobody may be accused\n"
    "  --trace        prints what happens, line by line\n"
    "  --json         prints the totals as JSON\n"
    "  --golden FILE  lines `SEED TRACE`: these seeds must give these traces; --update\n"
    "                 writes them anew, after a change that is meant to change them\n";

/* Reports a wrong argument and exits. */
static void refuse(const char *format, ...) LS_PRINTF(1, 2);

static void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "simulate: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; --help lists the options\n");
    va_end(arguments);
    exit(2);
}

static enum fault parse_fault(const char *name)
{
    char known[1024] = "";
    for (enum fault which = 0; which < FAULT_COUNT; which++) {
        if (strcmp(name, fault_name(which)) == 0)
            return which;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", fault_name(which));
    }
    refuse("--fault is one of: %s; not '%s'", known, name);
    return FAULT_COUNT;
}

static bool parse_number(const char **text, uint64_t *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return true;
}

static void parse_seeds(const char *option, const char *text, struct options *options)
{
    const char *at = text;
    bool is_number = parse_number(&at, &options->first);
    options->last = options->first;
    options->has_seeds = true;
    if (is_number && strncmp(at, "..", 2) == 0) {
        at += 2;
        is_number = parse_number(&at, &options->last);
    }
    if (!is_number || *at || options->last < options->first)
        refuse("%s takes a number, or two as A..B with A not over B; not '%s'", option, text);
}

static double parse_minutes(const char *text)
{
    char *end;
    double minutes = strtod(text, &end);
    if (end == text || *end || !(minutes > 0))
        refuse("--minutes takes a number over 0, not '%s'", text);
    return minutes;
}

static void parse_value(const char *option, const char *value, struct options *options)
{
    if (strcmp(option, "--golden") == 0)
        options->golden = value;
    else if (strcmp(option, "--fault") == 0)
        options->only = parse_fault(value);
    else if (strcmp(option, "--minutes") == 0)
        options->minutes = parse_minutes(value);
    else
        parse_seeds(option, value, options);
}

static bool takes_value(const char *option)
{
    static const char *const all[] = {"--seed", "--seeds", "--fault", "--minutes", "--golden"};
    for (uint32_t i = 0; i < LS_COUNT_OF(all); i++)
        if (strcmp(option, all[i]) == 0)
            return true;
    return false;
}

static void parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0)
            options->is_printing = true;
        else if (strcmp(argv[i], "--clean") == 0)
            options->only = FAULT_CLEAN;
        else if (strcmp(argv[i], "--update") == 0)
            options->is_update = true;
        else if (strcmp(argv[i], "--json") == 0)
            options->is_json = true;
        else if (!takes_value(argv[i]))
            refuse("no option '%s'", argv[i]);
        else if (++i == argc)
            refuse("%s takes a value", argv[i - 1]);
        else
            parse_value(argv[i - 1], argv[i], options);
    }
    if (options->is_update && !options->golden)
        refuse("--update goes with --golden FILE");
}

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the processor time of this process and its forks, which other processes of the machine do
 * not affect. */
static double processor_s(void)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage used;
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &used);
        sum += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    }
    return sum;
}

struct totals {
    uint64_t seeds, failed, virtual_ns, ticks, orders, faults;
};

/* Runs a seed and returns the hash of its trace. */
static uint64_t run_one(const struct options *options, uint64_t seed, struct totals *totals)
{
    running = seed;
    run_result result = run_seed(
        &(run_config){.seed = seed, .only = options->only, .is_printing = options->is_printing});
    totals->seeds++;
    totals->virtual_ns += result.virtual_ns;
    totals->ticks += result.ticks;
    totals->orders += result.orders;
    for (uint32_t i = 0; i < FAULT_COUNT; i++)
        totals->faults += result.faults[i];
    if (result.verdict.broken == HOLDS)
        return result.verdict.trace;
    totals->failed++;
    printf("seed %" PRIu64 ": %s at %.3f s: %s\n", seed, invariant_name(result.verdict.broken),
           (double)result.verdict.now_ns / 1e9, result.verdict.text);
    say_how_to_repeat(stdout, seed, options->only);
    fflush(stdout);
    return result.verdict.trace;
}

static void check_golden(const struct options *options, struct totals *totals)
{
    enum { GOLDEN_MAX = 256 };
    static uint64_t seeds[GOLDEN_MAX], kept[GOLDEN_MAX];
    uint32_t count = 0;
    FILE *file = fopen(options->golden, "r");
    while (file && count < GOLDEN_MAX &&
           fscanf(file, "%" SCNu64 " %" SCNx64, &seeds[count], &kept[count]) == 2)
        count++;
    if (file)
        fclose(file);
    file = options->is_update ? fopen(options->golden, "w") : NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t trace = run_one(options, seeds[i], totals);
        if (file)
            fprintf(file, "%" PRIu64 " %016" PRIx64 "\n", seeds[i], trace);
        else if (trace != kept[i]) {
            totals->failed++;
            printf("seed %" PRIu64 ": repeatable: its trace is %016" PRIx64 ", %s has %016" PRIx64
                   "\n",
                   seeds[i], trace, options->golden, kept[i]);
            say_how_to_repeat(stdout, seeds[i], options->only);
        }
    }
    if (file)
        fclose(file);
    if (count == 0) {
        totals->failed++;
        printf("%s has no seeds\n", options->golden);
    }
}

static void print_totals(const struct options *options, const struct totals *totals, double took_s)
{
    double hours = (double)totals->virtual_ns / 3600e9, used_s = processor_s();
    if (options->is_json)
        printf(
            "{\"seeds\": %" PRIu64 ", \"failed\": %" PRIu64
            ", \"match_hours\": %.3f, \"wall_s\": %.1f, \"processor_s\": %.1f, \"ticks\": %" PRIu64
            ", \"orders\": %" PRIu64 ", \"faults\": %" PRIu64 "}\n",
            totals->seeds, totals->failed, hours, took_s, used_s, totals->ticks, totals->orders,
            totals->faults);
    else
        printf("%" PRIu64 " seeds, %" PRIu64 " failed, %" PRIu64 " ticks, %" PRIu64
               " orders, %" PRIu64 " faults, %.2f match hours in %.1f s (%.2f a minute, %.2f a "
               "minute of processor time)\n",
               totals->seeds, totals->failed, totals->ticks, totals->orders, totals->faults, hours,
               took_s, took_s > 0 ? hours * 60 / took_s : 0, used_s > 0 ? hours * 60 / used_s : 0);
}

/* Returns a base for seeds that no earlier run has used. `./test` derives it from the code, so a
 * failure repeats until the code changes. */
static uint64_t fresh_base(void)
{
    const char *text = getenv("LOCKSTEP_FRESH");
    const char *at = text;
    uint64_t base;
    if (!text)
        return (uint64_t)time(NULL) * 1000000;
    if (!parse_number(&at, &base) || *at)
        refuse("LOCKSTEP_FRESH is a number, not '%s'", text);
    return base;
}

int main(int argc, char **argv)
{
    struct options options = {.first = 1, .last = 200, .only = FAULT_COUNT};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    parse(argc, argv, &options);
    running_only = options.only;
    signal(SIGABRT, crashed);
    signal(SIGSEGV, crashed);
    struct totals totals = {0};
    double begin_s = wall_s();
    if (options.golden) {
        check_golden(&options, &totals);
    } else if (options.minutes > 0) {
        uint64_t base = options.has_seeds ? options.first : fresh_base();
        printf("fresh seeds from %" PRIu64 "\n", base);
        for (uint64_t seed = base; wall_s() - begin_s < options.minutes * 60; seed++)
            run_one(&options, seed, &totals);
    } else {
        for (uint64_t seed = options.first; seed <= options.last; seed++)
            run_one(&options, seed, &totals);
    }
    print_totals(&options, &totals, wall_s() - begin_s);
    return totals.failed ? 1 : 0;
}
