/* From reruns to the class of a desync: each class from the rows that call for it, and which comes
 * first where several fit. */
#include "diagnosis_table.h"

static void test_one_row_decides(void **state)
{
    (void)state;
    static const struct {
        ls_explain_kind kind;
        uint32_t number;
        ls_desync_class cause;
    } cases[] = {
        {LS_EXPLAIN_THREADS, 2, LS_CLASS_ORDER},
        {LS_EXPLAIN_SHUFFLE, 1, LS_CLASS_ORDER},
        {LS_EXPLAIN_ROUND_TRIP, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_LATE, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_START, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_PLACES, 2, LS_CLASS_ADDRESS},
        {LS_EXPLAIN_HEAP, 2, LS_CLASS_UNINITIALISED},
        {LS_EXPLAIN_STACK, 1, LS_CLASS_UNINITIALISED},
        {LS_EXPLAIN_OTHER, 1, LS_CLASS_BUILD},
        {LS_EXPLAIN_PLAIN, 2, LS_CLASS_MACHINE},
        {LS_EXPLAIN_REPEAT, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_HEAP_NOISE, 2, LS_CLASS_UNINITIALISED},
    };
    table of;
    fill(&of);
    assert_int_equal(class_of(&of), LS_CLASS_NONE);
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        fill(&of);
        set(&of, cases[i].kind, cases[i].number, OTHER_ROOT);
        assert_int_equal(class_of(&of), cases[i].cause);
        ls_diagnosis diagnosis;
        ls_diagnosis_find(&of.facts, &diagnosis);
        assert_non_null(diagnosis.row);
        assert_int_equal(diagnosis.row->kind, cases[i].kind);
    }
}

/* A filled heap moves what lies in it: both fills come to one other root, and that is no read of
 * what nobody wrote. */
static void test_two_fills_have_to_differ(void **state)
{
    (void)state;
    table of;
    fill(&of);
    set(&of, LS_EXPLAIN_HEAP, 1, OTHER_ROOT);
    set(&of, LS_EXPLAIN_HEAP, 2, OTHER_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_NONE);
    set(&of, LS_EXPLAIN_PLACES, 1, THIRD_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_ADDRESS);
    set(&of, LS_EXPLAIN_HEAP, 2, THIRD_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNINITIALISED);
}

/* Every row has a root of its own, as of whoever reads a clock. */
static void vary(table *of)
{
    fill(of);
    for (uint32_t i = 0; i < of->facts.row_count; i++) {
        of->rows[i].root = 100 + i;
        of->rows[i].side = LS_SIDE_NEITHER;
    }
    set(of, LS_EXPLAIN_OTHER, 1, of->rows[0].root);
    set(of, LS_EXPLAIN_OTHER, 2, of->rows[0].root);
}

static void test_what_varies_until_memory_is_filled(void **state)
{
    (void)state;
    static const ls_explain_kind kinds[] = {LS_EXPLAIN_STACK, LS_EXPLAIN_HEAP,
                                            LS_EXPLAIN_HEAP_NOISE};
    for (size_t i = 0; i < LS_COUNT_OF(kinds); i++) {
        table of;
        ls_diagnosis diagnosis;
        vary(&of);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        /* Once more, with the same fills: to the same roots, which differ by what it was. */
        add(&of, kinds[i], 1, OTHER_ROOT);
        add(&of, kinds[i], 2, THIRD_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        set(&of, kinds[i], 1, OTHER_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        set(&of, kinds[i], 2, THIRD_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_UNINITIALISED);
        ls_diagnosis_find(&of.facts, &diagnosis);
        assert_int_equal(diagnosis.row->kind, kinds[i]);
        assert_non_null(strstr(diagnosis.reason, "vary by themselves"));
        /* What both fills lead to is no read of them. */
        set(&of, kinds[i], 2, OTHER_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        /* Who calls a clock has said what varies. */
        set(&of, kinds[i], 2, THIRD_ROOT);
        of.facts.imports = "time()";
        of.facts.imports_machine = true;
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    }
}

static void test_what_comes_first(void **state)
{
    (void)state;
    table of;
    vary(&of);
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    /* What the check executor names is the cause, whatever it leads to; state that it finds beside
     * the world is no more than a sign. */
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        if (of.rows[i].kind == LS_EXPLAIN_CHECK)
            of.rows[i].is_hidden = true;
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        if (of.rows[i].kind == LS_EXPLAIN_CHECK)
            of.rows[i].is_undeclared = true;
    /* What looks like a read may be the clock that moved. */
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        of.rows[i].is_write = of.rows[i].is_undeclared;
    assert_int_equal(class_of(&of), LS_CLASS_UNDECLARED);
    of.facts.has_other_inputs = true;
    assert_int_equal(class_of(&of), LS_CLASS_INPUT);
    of.facts.has_other_versions = true;
    assert_int_equal(class_of(&of), LS_CLASS_VERSION);
}

/* Unsaved state also makes orders differ, as threads and processes start with other values. */
static void test_unsaved_state_comes_before_order(void **state)
{
    (void)state;
    table of;
    fill(&of);
    set(&of, LS_EXPLAIN_LATE, 1, OTHER_ROOT);
    set(&of, LS_EXPLAIN_SHUFFLE, 1, THIRD_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNSAVED);
}

/* When one run comes to an end, the others may be no more than slow. */
static void test_nothing_makes_progress(void **state)
{
    (void)state;
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    for (uint32_t i = 0; i < of.facts.row_count; i++) {
        of.rows[i].side = i < 3 ? LS_SIDE_FAILED : LS_SIDE_NOT_RUN;
        of.rows[i].is_stuck = i < 3;
    }
    of.rows[0].crash = (ls_crash){.is_in_system = true, .tick = 7, .system = "move"};
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_CRASH);
    assert_ptr_equal(diagnosis.row, &of.rows[0]);
    assert_string_equal(diagnosis.reason,
                        "serially: hangs in system \"move\", tick 7, as every run does");
    of.rows[3].side = LS_SIDE_SERVER;
    assert_int_equal(class_of(&of), LS_CLASS_NONE);
}

/* It can be run again. */
static void test_an_order_comes_before_threads(void **state)
{
    (void)state;
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    set(&of, LS_EXPLAIN_THREADS, 1, THIRD_ROOT);
    set(&of, LS_EXPLAIN_SHUFFLE, 2, OTHER_ROOT);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_ORDER);
    assert_int_equal(diagnosis.row->kind, LS_EXPLAIN_SHUFFLE);
}

/* Of a file that no client was asked about, and of one whose first state is another. */
static void test_nothing_repeats_the_file(void **state)
{
    (void)state;
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    for (uint32_t i = 0; i < of.facts.row_count; i++) {
        of.rows[i].root = OTHER_ROOT;
        of.rows[i].side = LS_SIDE_NEITHER;
    }
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_non_null(strstr(diagnosis.reason, "no rerun repeats the file; if another build"));
    of.facts.is_start = true;
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_non_null(strstr(diagnosis.reason, "the state before the first tick is another"));
}

static void test_rows_that_fail_say_nothing(void **state)
{
    (void)state;
    table of;
    fill(&of);
    for (uint32_t i = 1; i < of.facts.row_count; i++) {
        of.rows[i].root = OTHER_ROOT;
        of.rows[i].side = i % 2 ? LS_SIDE_FAILED : LS_SIDE_NOT_RUN;
    }
    assert_int_equal(class_of(&of), LS_CLASS_NONE);
    of.facts.row_count = 0;
    assert_int_equal(class_of(&of), LS_CLASS_NONE);
}

static void set_crash(table *of, ls_explain_kind kind, uint32_t number)
{
    for (uint32_t i = 0; i < of->facts.row_count; i++)
        if (of->rows[i].kind == kind && of->rows[i].number == number) {
            of->rows[i].side = LS_SIDE_CRASHED;
            of->rows[i].root = 0;
            of->rows[i].crash =
                (ls_crash){.signal = 11, .is_in_system = true, .tick = 5, .system = "move"};
        }
}

/* Who alone dies differs from the others as much as who alone has another root. */
static void test_one_row_that_crashes_decides(void **state)
{
    (void)state;
    static const struct {
        ls_explain_kind kind;
        uint32_t number;
        ls_desync_class cause;
    } cases[] = {
        {LS_EXPLAIN_THREADS, 2, LS_CLASS_ORDER},
        {LS_EXPLAIN_SHUFFLE, 1, LS_CLASS_ORDER},
        {LS_EXPLAIN_ROUND_TRIP, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_LATE, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_START, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_PLACES, 2, LS_CLASS_ADDRESS},
        {LS_EXPLAIN_HEAP, 2, LS_CLASS_UNINITIALISED},
        {LS_EXPLAIN_STACK, 1, LS_CLASS_UNINITIALISED},
        {LS_EXPLAIN_OTHER, 1, LS_CLASS_BUILD},
        {LS_EXPLAIN_PLAIN, 2, LS_CLASS_MACHINE},
        {LS_EXPLAIN_REPEAT, 1, LS_CLASS_UNSAVED},
        {LS_EXPLAIN_HEAP_NOISE, 2, LS_CLASS_UNINITIALISED},
        {LS_EXPLAIN_CHECK, 1, LS_CLASS_UNDECLARED},
    };
    for (size_t i = 0; i < LS_COUNT_OF(cases); i++) {
        table of;
        ls_diagnosis diagnosis;
        fill(&of);
        set_crash(&of, cases[i].kind, cases[i].number);
        assert_int_equal(class_of(&of), cases[i].cause);
        ls_diagnosis_find(&of.facts, &diagnosis);
        assert_int_equal(diagnosis.row->side, LS_SIDE_CRASHED);
        assert_non_null(
            strstr(diagnosis.reason, "dies of signal 11 in system \"move\", tick 5; `"));
    }
}

/* Where the usual way is deadly, who lives tells why. */
static void test_one_row_that_lives_decides(void **state)
{
    (void)state;
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        set_crash(&of, of.rows[i].kind, of.rows[i].number);
    assert_int_equal(class_of(&of), LS_CLASS_CRASH);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_string_equal(diagnosis.reason, "serially: dies of signal 11 in system \"move\", tick 5");
    set(&of, LS_EXPLAIN_START, 1, SERVER_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNSAVED);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_ptr_equal(diagnosis.row, &of.rows[0]);
    assert_non_null(strstr(diagnosis.reason, "`from the file's start` does not"));
}

/* Whatever unused memory is filled with may be deadly. */
static void test_two_fills_that_crash_are_a_read(void **state)
{
    (void)state;
    table of;
    fill(&of);
    set_crash(&of, LS_EXPLAIN_HEAP, 1);
    set_crash(&of, LS_EXPLAIN_HEAP, 2);
    assert_int_equal(class_of(&of), LS_CLASS_UNINITIALISED);
    set_crash(&of, LS_EXPLAIN_PLACES, 1);
    assert_int_equal(class_of(&of), LS_CLASS_ADDRESS);
}

static void test_words_and_names(void **state)
{
    (void)state;
    for (ls_desync_class i = 0; i < LS_CLASS_COUNT; i++) {
        assert_non_null(strchr("abcdefghijklmnopqrstuvwxyz", ls_desync_class_name(i)[0]));
        assert_null(strchr(ls_desync_class_word(i), ' '));
        for (ls_desync_class j = 0; j < i; j++)
            assert_string_not_equal(ls_desync_class_word(i), ls_desync_class_word(j));
    }
    char names[LS_EXPLAIN_KINDS][64];
    for (ls_explain_kind i = 0; i < LS_EXPLAIN_KINDS; i++) {
        const ls_explain_row row = {.kind = i, .number = 7};
        names[i][0] = 0;
        ls_explain_row_name(&row, names[i], sizeof names[i]);
        assert_true(names[i][0]);
        for (ls_explain_kind j = 0; j < i; j++)
            assert_string_not_equal(names[i], names[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row_decides),
        cmocka_unit_test(test_two_fills_have_to_differ),
        cmocka_unit_test(test_what_varies_until_memory_is_filled),
        cmocka_unit_test(test_what_comes_first),
        cmocka_unit_test(test_unsaved_state_comes_before_order),
        cmocka_unit_test(test_an_order_comes_before_threads),
        cmocka_unit_test(test_nothing_makes_progress),
        cmocka_unit_test(test_nothing_repeats_the_file),
        cmocka_unit_test(test_rows_that_fail_say_nothing),
        cmocka_unit_test(test_one_row_that_crashes_decides),
        cmocka_unit_test(test_one_row_that_lives_decides),
        cmocka_unit_test(test_two_fills_that_crash_are_a_read),
        cmocka_unit_test(test_words_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
