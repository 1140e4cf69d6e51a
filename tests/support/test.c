/* Runs the cases that TEST() has registered. */
#include "test.h"

static struct test_entry *added;
static size_t added_count;

void test_add(struct test_entry *entry)
{
    entry->next = added;
    added = entry;
    added_count++;
}

static int compare(const void *left, const void *right)
{
    const struct test_entry *a = *(const struct test_entry *const *)left;
    const struct test_entry *b = *(const struct test_entry *const *)right;
    int order = strcmp(a->file, b->file);
    return order ? order : a->line - b->line;
}

/* Whether the file of the entry is `name`, without its folder and its ending. */
static bool is_in(const struct test_entry *entry, const char *name)
{
    const char *slash = strrchr(entry->file, '/');
    const char *file = slash ? slash + 1 : entry->file;
    size_t length = strcspn(file, ".");
    return !name || (strlen(name) == length && strncmp(file, name, length) == 0);
}

/* Puts the entries of a file, or of all for NULL, in order and returns their number. */
static size_t sort(struct test_entry **entries, const char *file)
{
    size_t count = 0;
    for (struct test_entry *entry = added; entry; entry = entry->next)
        if (is_in(entry, file))
            entries[count++] = entry;
    qsort(entries, count, sizeof *entries, compare);
    return count;
}

/* Runs the cases of one file, or the one with a name. Having none is a failure. */
static bool run(struct test_entry *const *entries, size_t count, const char *name)
{
    struct CMUnitTest around = {0}, around_all = {0};
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    size_t case_count = 0;
    for (size_t i = 0; tests && i < count; i++) {
        struct CMUnitTest test = entries[i]->test;
        if (entries[i]->is_around_all) {
            around_all = test;
        } else if (!test.name) {
            around = test;
        } else if (!name || strcmp(name, test.name) == 0) {
            test.setup_func = around.setup_func;
            test.teardown_func = around.teardown_func;
            tests[case_count++] = test;
        }
    }
    if (case_count == 0)
        fprintf(stderr, "%s has no case %s\n", entries[0]->file, name ? name : "at all");
    int failed = _cmocka_run_group_tests("tests", tests, case_count, around_all.setup_func,
                                         around_all.teardown_func);
    free(tests);
    return case_count > 0 && failed == 0;
}

int test_main(int argc, char **argv)
{
    struct test_entry **entries = calloc(added_count + 1, sizeof *entries);
    const char *file = argc > 1 ? argv[1] : NULL;
    size_t count = entries ? sort(entries, file) : 0;
    if (count == 0)
        fprintf(stderr, "%s has no file %s with cases\n", argv[0], file ? file : "at all");
    bool is_good = count > 0;
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && strcmp(entries[next]->file, entries[first]->file) == 0;)
            next++;
        is_good = run(entries + first, next - first, argc > 2 ? argv[2] : NULL) && is_good;
    }
    free(entries);
    return is_good ? 0 : 1;
}

/* Weak: a test that has other arguments defines its own. */
__attribute__((weak)) int main(int argc, char **argv)
{
    return test_main(argc, argv);
}
