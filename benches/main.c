/* The benchmark program; the script `bench` builds and runs it. */
#include "benches/report.h"
#include "benches/suites.h"

#include <lockstep/base.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const bench_suite *const suites[] = {&bench_core, &bench_schedule, &bench_net,
                                            &bench_replay};

enum { RUNS = 11, RUNS_MIN = 1, RUNS_MAX = 1001, ENTITIES = 1000000 };
enum { ATTEMPTS = 4 };
enum { THREADS = 2 };
enum { ENTITIES_MIN = 16384, ENTITIES_MAX = 1 << 20 };

static void print_usage(FILE *file)
{
    fprintf(file,
            "usage: ./bench SUITE [--runs N] [--attempts N] [--entities N] [--only TEXT] "
            "[--threads N] [--json FILE] [--document]\n"
            "  --runs N      measurements of each side, bare and ours in turn; the median counts\n"
            "                (%d to %d, usually %d; few are for counting instructions)\n"
            "  --attempts N  at most, for a group that is disturbed (1 to %d, usually %d)\n"
            "  --entities N  in the world (%d to %d, usually %d); only where it says so below\n"
            "  --threads N   1: the engine uses one in rows of two, too, so that instruction "
            "counts repeat\n"
            "                (1 to %d, usually %d); only in core\n"
            "  --only TEXT   only groups that have a row with TEXT in its name\n"
            "  --json FILE   writes the results there too\n"
            "  --document    writes the table into the suite's page of docs/\n"
            "suites:\n",
            RUNS_MIN, RUNS_MAX, RUNS, ATTEMPTS, ATTEMPTS, ENTITIES_MIN, ENTITIES_MAX, ENTITIES,
            THREADS, THREADS);
    for (size_t i = 0; i < LS_COUNT_OF(suites); i++)
        fprintf(file, "  %-12s  %s%s\n", suites[i]->name, suites[i]->summary,
                suites[i]->takes_entities ? " (--entities)" : "");
}

static bool read_number(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
    char *end = NULL;
    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    return *end == 0 && errno == 0 && value >= min && value <= max;
}

typedef struct command {
    const bench_suite *suite;
    bench_options options;
    const char *json, *markdown;
} command;

static bool read_argument(char **argument, command *given)
{
    if (strcmp(argument[0], "--runs") == 0)
        return read_number(argument[1], RUNS_MIN, RUNS_MAX, &given->options.runs);
    if (strcmp(argument[0], "--attempts") == 0)
        return read_number(argument[1], 1, ATTEMPTS, &given->options.attempts);
    if (strcmp(argument[0], "--entities") == 0)
        return read_number(argument[1], ENTITIES_MIN, ENTITIES_MAX, &given->options.entities);
    if (strcmp(argument[0], "--threads") == 0)
        return read_number(argument[1], 1, THREADS, &given->options.threads);
    if (strcmp(argument[0], "--only") == 0)
        return (given->options.only = argument[1]) != NULL;
    if (strcmp(argument[0], "--json") == 0)
        return (given->json = argument[1]) != NULL;
    if (strcmp(argument[0], "--markdown") == 0) /* the script's --document becomes this option */
        return (given->markdown = argument[1]) != NULL;
    return false;
}

static bool read_command(int count, char **arguments, command *given)
{
    for (size_t i = 0; i < LS_COUNT_OF(suites); i++) {
        if (strcmp(arguments[1], suites[i]->name) == 0)
            given->suite = suites[i];
    }
    if (!given->suite)
        fprintf(stderr, "bench: there is no suite \"%s\"\n", arguments[1]);
    for (int i = 2; given->suite && i < count; i += 2) {
        if (strcmp(arguments[i], "--entities") == 0 && !given->suite->takes_entities) {
            fprintf(stderr, "bench: the worlds of \"%s\" are given, without --entities\n",
                    given->suite->name);
            return false;
        }
        if (!read_argument(&arguments[i], given)) {
            fprintf(stderr, "bench: \"%s%s%s\" is not understood\n", arguments[i],
                    arguments[i + 1] ? " " : "", arguments[i + 1] ? arguments[i + 1] : "");
            return false;
        }
    }
    return given->suite;
}

static bool write_file(const char *path, const bench_report *report,
                       void (*print)(const bench_report *report, FILE *file))
{
    if (!path)
        return true;
    FILE *file = fopen(path, "w");
    if (file)
        print(report, file);
    /* Checks fclose(), too, because a full disk may be reported only there. */
    bool is_written = file && !ferror(file);
    if (file && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return is_written;
}

static bool wants_help(int count, char **arguments)
{
    bool wants = count < 2;
    for (int i = 1; i < count; i++)
        wants |= strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0;
    return wants;
}

int main(int count, char **arguments)
{
    if (wants_help(count, arguments)) {
        print_usage(stdout);
        return 0;
    }
    command given = {
        .options = {.runs = RUNS, .attempts = ATTEMPTS, .entities = ENTITIES, .threads = THREADS}};
    if (!read_command(count, arguments, &given)) {
        print_usage(stderr);
        return 2;
    }
    bench_result *results;
    bench_report report = {.suite = given.suite, .options = &given.options};
    report.count = bench_run(given.suite, &given.options, &results);
    report.results = results;
    bench_report_table(&report, stdout);
    bool is_written = write_file(given.json, &report, bench_report_json) &&
                      write_file(given.markdown, &report, bench_report_markdown);
    ls_free(results);
    return is_written ? 0 : 1;
}
