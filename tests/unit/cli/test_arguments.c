#include "cli/common/arguments.h"

#include "cli/common/command.h"
#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>

enum { WORDS_MAX = 16 };

typedef struct part_options {
    uint64_t seconds;
    bool has_seconds;
} part_options;
typedef struct test_options {
    const char *file, *name;
    uint32_t count, mode;
    uint16_t port;
    bool is_fast, is_secret;
    char called[16];
    part_options part;
} test_options;

static void take_call(const ls_argument_state *state, const ls_argument *argument, void *input,
                      char *text)
{
    test_options *options = input;
    if (strlen(text) >= sizeof options->called)
        ls_argument_fail(state, "--%s is too long", argument->name);
    strcpy(options->called, text);
}

static void check(const ls_argument_state *state, void *input)
{
    const test_options *options = input;
    if (options->count == 13)
        ls_argument_fail(state, "13 is not possible");
}

static const char *const modes[] = {"slow", "quick", NULL};
static const ls_argument part_list[] = {
    LS_ARGUMENT_TITLE("Part:"),
    LS_ARGUMENT_NUMBER("seconds", "S", part_options, seconds, 1, 60, "Wait", .scale = 1000,
                       .has = offsetof(part_options, has_seconds)),
    {0},
};
static const ls_arguments part = {.list = part_list};
static const ls_argument list[] = {
    LS_ARGUMENT_TITLE("Own:"),
    LS_ARGUMENT_FLAG("fast", test_options, is_fast, "Go", .letter = 'f'),
    LS_ARGUMENT_FLAG("secret", test_options, is_secret, "Hide", .is_hidden = true),
    LS_ARGUMENT_TEXT("name", "NAME", test_options, name, "Call it", .letter = 'n'),
    LS_ARGUMENT_NUMBER("count", "N", test_options, count, 0, 100, "Count"),
    LS_ARGUMENT_NUMBER("count-more", "N", test_options, count, 0, 100, "Count"),
    LS_ARGUMENT_NUMBER("port", "N", test_options, port, 0, UINT16_MAX, "Listen"),
    LS_ARGUMENT_CHOICE("mode", "slow|quick", test_options, mode, modes, "Choose"),
    LS_ARGUMENT_CALL("call", "TEXT", take_call, "Call"),
    {0},
};
static const ls_arguments_part parts[] = {{&part, offsetof(test_options, part)}, {0}};
static const ls_arguments table = {.list = list,
                                   .parts = parts,
                                   .usage = "FILE",
                                   .doc = "Test it.\vThe end.\n",
                                   .file = offsetof(test_options, file),
                                   .file_missing = "FILE is missing",
                                   .file_twice = "one file",
                                   .check = check};

/* Splits a line into words; '_' becomes an empty one. */
static int split(char *line, char *words[WORDS_MAX + 1])
{
    int count = 1;
    for (char *word = strtok(line, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
        words[count++] = strcmp(word, "_") == 0 ? word + 1 : word;
    words[count] = NULL;
    return count;
}

/* Reads a line in this process: it must be right. */
static test_options take(const ls_arguments *arguments, char *line)
{
    static char command[] = "lockstep test";
    char *words[WORDS_MAX + 1];
    test_options options = {.count = 7};
    int count = split(line, words);
    words[0] = command;
    ls_arguments_parse(arguments, count, words, &options);
    return options;
}

/* Reads a line in a child, which must end; collects what it prints. */
static int run(const char *line, char *printed, size_t bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char copy[256];
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        snprintf(copy, sizeof copy, "%s", line);
        take(&table, copy);
        _exit(99);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], printed + used, bytes - 1 - used)) > 0;)
        used += (size_t)got;
    printed[used] = '\0';
    close(ends[0]);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

TEST(test_arguments_store_values)
{
    test_options all =
        take(&table, (char[]){"--fast --name=n=1 --count 3 --port=65535 --mode quick "
                              "--call=x a.lsr"});
    assert_true(all.is_fast && !all.is_secret && !all.part.has_seconds);
    assert_string_equal(all.name, "n=1");
    assert_string_equal(all.file, "a.lsr");
    assert_string_equal(all.called, "x");
    assert_int_equal(all.count, 3);
    assert_int_equal(all.port, 65535);
    assert_int_equal(all.mode, 1);
    test_options of_part = take(&table, (char[]){"a.lsr --seconds=2 --secret"});
    assert_true(of_part.part.has_seconds && of_part.is_secret);
    assert_int_equal(of_part.part.seconds, 2000);
    assert_int_equal(of_part.count, 7);
    assert_string_equal(take(&table, (char[]){"--name _ --name=second f"}).name, "second");
    assert_string_equal(take(&table, (char[]){"--name= f"}).name, "");
}

TEST(test_arguments_take_letters)
{
    static const struct {
        const char *line, *name;
        bool is_fast;
    } cases[] = {{"-nval f", "val", false},  {"-n val f", "val", false}, {"-fnval f", "val", true},
                 {"-fn val f", "val", true}, {"f -f", NULL, true},       {"-n -f f", "-f", false},
                 {"-n=x f", "=x", false}};
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char line[64];
        snprintf(line, sizeof line, "%s", cases[i].line);
        test_options options = take(&table, line);
        assert_string_equal(options.file, "f");
        assert_int_equal(options.is_fast, cases[i].is_fast);
        if (cases[i].name)
            assert_string_equal(options.name, cases[i].name);
        else
            assert_null(options.name);
    }
}

TEST(test_arguments_take_abbreviations)
{
    assert_true(take(&table, (char[]){"--fa f"}).is_fast);
    assert_int_equal(take(&table, (char[]){"--po=5 f"}).port, 5);
    assert_int_equal(take(&table, (char[]){"--count=5 f"}).count, 5); /* also begins count-more */
    assert_int_equal(take(&table, (char[]){"--count- 6 f"}).count, 6);
}

TEST(test_arguments_end_options)
{
    assert_string_equal(take(&table, (char[]){"-f -- --fast"}).file, "--fast");
    assert_string_equal(take(&table, (char[]){"-- -h"}).file, "-h");
    assert_string_equal(take(&table, (char[]){"-"}).file, "-");
    assert_string_equal(take(&table, (char[]){"--name -- f"}).name, "--");
    assert_true(take(&table, (char[]){"f --fast"}).is_fast);
}

TEST(test_arguments_name_the_error)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"f --count x", "--count takes a number from 0 to 100, not 'x'"},
        {"f --count=101", "--count takes a number from 0 to 100, not '101'"},
        {"f --count -1", "--count takes a number from 0 to 100, not '-1'"},
        {"f --count=", "--count takes a number from 0 to 100, not ''"},
        {"f --port 65536", "from 0 to 65535"},
        {"f --seconds 0", "--seconds takes a number from 1 to 60, not '0'"},
        {"f --count", "option '--count' requires an argument"},
        {"f -n", "option requires an argument -- 'n'"},
        {"f --fast=1", "option '--fast' doesn't allow an argument"},
        {"f --help=1", "option '--help' doesn't allow an argument"},
        {"f -fx", "invalid option -- 'x'"},
        {"f --co 3", "option '--co' is ambiguous; possibilities: '--count' '--count-more'"},
        {"f --=3", "is ambiguous"},
        {"f --fsat", "unknown option '--fsat', did you mean '--fast'?"},
        {"f --xylophone=3", "unknown option '--xylophone'; see `lockstep test --help`"},
        {"f --mode fast", "--mode is one of: slow, quick; not 'fast'"},
        {"f --call 0123456789abcdef", "--call is too long"},
        {"f --count 13", "13 is not possible"},
        {"--fast", "FILE is missing"},
        {"f -- g", "one file, not also 'g'"},
        {"f --secre --sec", "option '--sec' is ambiguous; possibilities: '--seconds'\n"},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        char printed[1024];
        assert_int_equal(run(cases[i].line, printed, sizeof printed), LS_EXIT_USAGE);
        assert_int_equal(strncmp(printed, "lockstep test: ", 15), 0);
        if (!strstr(printed, cases[i].says))
            fail_msg("%s: %s", cases[i].line, printed);
    }
}

TEST(test_arguments_help_ends_the_process)
{
    static const char *const lines[] = {"--help", "-h", "-?", "--he", "-fh", "f --help --count=x"};
    char printed[4096], first[4096];
    assert_int_equal(run("-h", first, sizeof first), LS_EXIT_GOOD);
    assert_non_null(strstr(first, "Usage: lockstep test [OPTION...] FILE\nTest it.\n"));
    assert_non_null(strstr(first, "\nThe end.\n"));
    assert_null(strstr(first, "--secret"));
    for (size_t i = 0; i < LS_COUNT_OF(lines); i++) {
        assert_int_equal(run(lines[i], printed, sizeof printed), LS_EXIT_GOOD);
        assert_string_equal(printed, first);
    }
    assert_int_equal(run("--usage", printed, sizeof printed), LS_EXIT_GOOD);
    assert_non_null(strstr(printed, "Usage: lockstep test [-fh] [-n NAME] [--call=TEXT]"));
    assert_int_equal(run("--count=x --help", printed, sizeof printed), LS_EXIT_USAGE);
}
