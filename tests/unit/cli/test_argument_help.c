#include "cli/common/argument_help.h"

#include "test.h"

static const ls_argument title = LS_ARGUMENT_TITLE("Own:");
static const ls_argument zebra = {.name = "zebra", .help = "Draw stripes, black and white"};
static const ls_argument apple = {
    .name = "apple", .value = "N", .letter = 'a', .help = "Eat N of them"};
static const ls_argument hidden = {.name = "hidden", .help = "Not shown", .is_hidden = true};
static const ls_argument wide = {
    .name = "a-name-of-some-length", .value = "AND|A|VALUE", .help = "Is beside nothing"};
static const ls_argument help_argument = {.name = "help", .letter = 'h', .help = "Print this help"};

static ls_argument_list make_list(void)
{
    ls_argument_list list = {.entries = {{&help_argument, NULL, 2},
                                         {&zebra, NULL, 1},
                                         {&hidden, NULL, 1},
                                         {&title, NULL, 1},
                                         {&wide, NULL, 1},
                                         {&apple, NULL, 1}},
                             .count = 6};
    ls_argument_list_sort(&list);
    return list;
}

static const ls_arguments table = {
    .usage = "FILE FILE\nFILE TICK",
    .doc = "Show a wide text over several lines.\vExit codes:\n  0  good\n"
           "  129, 130  a second signal ended it all at once\n  134  failed\n"};

static void print(uint32_t columns, void (*print_it)(const ls_argument_help *, FILE *),
                  char printed[2048])
{
    ls_argument_list list = make_list();
    ls_argument_help help = {"lockstep test", &table, &list, columns};
    memset(printed, 0, 2048);
    FILE *file = fmemopen(printed, 2048, "w");
    assert_non_null(file);
    print_it(&help, file);
    assert_int_equal(fclose(file), 0);
}

TEST(test_argument_help_sorts_within_groups)
{
    ls_argument_list list = make_list();
    const ls_argument *const sorted[] = {&title, &wide, &apple, &hidden, &zebra, &help_argument};
    for (size_t i = 0; i < LS_COUNT_OF(sorted); i++)
        assert_ptr_equal(list.entries[i].argument, sorted[i]);
}

TEST(test_argument_help_is_printed)
{
    char printed[2048];
    print(LS_HELP_COLUMNS, ls_argument_help_print, printed);
    assert_string_equal(printed, "Usage: lockstep test [OPTION...] FILE FILE\n"
                                 "  or:  lockstep test [OPTION...] FILE TICK\n"
                                 "Show a wide text over several lines.\n"
                                 "\n"
                                 " Own:\n"
                                 "      --a-name-of-some-length=AND|A|VALUE\n"
                                 "                             Is beside nothing\n"
                                 "  -a, --apple=N              Eat N of them\n"
                                 "      --zebra                Draw stripes, black and white\n"
                                 "\n"
                                 "  -h, --help                 Print this help\n"
                                 "\n"
                                 "Exit codes:\n"
                                 "  0  good\n"
                                 "  129, 130  a second signal ended it all at once\n"
                                 "  134  failed\n");
}

TEST(test_argument_help_breaks_lines)
{
    char printed[2048];
    print(44, ls_argument_help_print, printed);
    assert_non_null(strstr(printed, "\n      --zebra                Draw stripes,\n"
                                    "                             black and white\n"));
    assert_non_null(strstr(printed, "\n  129, 130  a second signal ended it all at\n"
                                    "            once\n  134  failed\n"));
    print(31, ls_argument_help_print, printed);
    /* no word is cut, however narrow it is */
    assert_non_null(strstr(printed, "\nShow a wide text over several\nlines.\n"));
    assert_non_null(strstr(printed, "Draw\n                             stripes,\n"));
    for (uint32_t columns = 44; columns < 100; columns++) {
        print(columns, ls_argument_help_print, printed);
        for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
            assert_true(strlen(line) <= columns);
            assert_int_not_equal(line[strlen(line) - 1], ' ');
        }
    }
}

TEST(test_argument_help_summary)
{
    char printed[2048];
    print(60, ls_argument_usage_print, printed);
    assert_string_equal(printed, "Usage: lockstep test [-h] [-a N]\n"
                                 "            [--a-name-of-some-length=AND|A|VALUE]\n"
                                 "            [--apple=N] [--zebra] [--help] FILE FILE\n"
                                 "  or:  lockstep test [OPTION...] FILE TICK\n");
}
