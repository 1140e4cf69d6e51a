/* From the results of reruns to the class of a desync: each class from its rows, and the priority
 * when several classes fit. */
#include "diagnosis_table.h"

/* The class that follows when only this row differs. */
static const struct {
    ls_explain_kind kind;
    uint32_t number;
    ls_desync_class cause;
} single_rows[] = {
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

TEST(test_diagnosis_one_row_decides)
{
    table of;
    fill(&of);
    assert_int_equal(class_of(&of), LS_CLASS_NONE);
    for (size_t i = 0; i < LS_COUNT_OF(single_rows); i++) {
        fill(&of);
        set(&of, single_rows[i].kind, single_rows[i].number, OTHER_ROOT);
        assert_int_equal(class_of(&of), single_rows[i].cause);
        ls_diagnosis diagnosis;
        ls_diagnosis_find(&of.facts, &diagnosis);
        assert_non_null(diagnosis.row);
        assert_int_equal(diagnosis.row->kind, single_rows[i].kind);
    }
}

/* Filling the heap also moves its blocks. If both fills give the same other root, the cause is not
 * a read of uninitialised memory. */
TEST(test_diagnosis_two_fills_have_to_differ)
{
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

/* Gives every row another root, as with a simulation that reads a clock. */
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

TEST(test_diagnosis_roots_vary_until_memory_is_filled)
{
    static const ls_explain_kind kinds[] = {LS_EXPLAIN_STACK, LS_EXPLAIN_HEAP,
                                            LS_EXPLAIN_HEAP_NOISE};
    for (size_t i = 0; i < LS_COUNT_OF(kinds); i++) {
        table of;
        ls_diagnosis diagnosis;
        vary(&of);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        /* Rows repeated with the same fill agree, and rows with the other fill differ. */
        add(&of, kinds[i], 1, OTHER_ROOT);
        add(&of, kinds[i], 2, THIRD_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        set(&of, kinds[i], 1, OTHER_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        set(&of, kinds[i], 2, THIRD_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_UNINITIALISED);
        ls_diagnosis_find(&of.facts, &diagnosis);
        assert_int_equal(diagnosis.row->kind, kinds[i]);
        assert_non_null(strstr(diagnosis.reason, "vary from run to run"));
        /* Both fills give one root: the simulation does not read the filled memory. */
        set(&of, kinds[i], 2, OTHER_ROOT);
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
        /* A call of a clock function already explains the varying roots. */
        set(&of, kinds[i], 2, THIRD_ROOT);
        of.facts.imports = "time()";
        of.facts.imports_machine = true;
        assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    }
}

TEST(test_diagnosis_ranks_the_classes)
{
    table of;
    vary(&of);
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    /* An undeclared write found by the check executor is the cause, whatever else varies. Hidden
     * state that it finds is only a hint. */
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        if (of.rows[i].kind == LS_EXPLAIN_CHECK)
            of.rows[i].is_hidden = true;
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        if (of.rows[i].kind == LS_EXPLAIN_CHECK)
            of.rows[i].is_undeclared = true;
    /* An undeclared read may just be a clock that moved. */
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        of.rows[i].is_write = of.rows[i].is_undeclared;
    assert_int_equal(class_of(&of), LS_CLASS_UNDECLARED);
    of.facts.has_other_inputs = true;
    assert_int_equal(class_of(&of), LS_CLASS_INPUT);
    of.facts.has_other_versions = true;
    assert_int_equal(class_of(&of), LS_CLASS_VERSION);
}

/* Unsaved state also makes shuffled runs differ, because other threads and processes start with
 * other values. */
TEST(test_diagnosis_unsaved_state_comes_before_order)
{
    table of;
    fill(&of);
    set(&of, LS_EXPLAIN_LATE, 1, OTHER_ROOT);
    set(&of, LS_EXPLAIN_SHUFFLE, 1, THIRD_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNSAVED);
}

/* If no run makes progress, the class is a hang. As soon as one run ends, the others may just be
 * slow. */
TEST(test_diagnosis_no_run_makes_progress)
{
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

/* An order can be repeated, so it is reported rather than threads. */
TEST(test_diagnosis_an_order_comes_before_threads)
{
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    set(&of, LS_EXPLAIN_THREADS, 1, THIRD_ROOT);
    set(&of, LS_EXPLAIN_SHUFFLE, 2, OTHER_ROOT);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_ORDER);
    assert_int_equal(diagnosis.row->kind, LS_EXPLAIN_SHUFFLE);
}

/* A recording without a client's evidence, and one with another first state. */
TEST(test_diagnosis_no_rerun_repeats_the_file)
{
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    for (uint32_t i = 0; i < of.facts.row_count; i++) {
        of.rows[i].root = OTHER_ROOT;
        of.rows[i].side = LS_SIDE_NEITHER;
    }
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_non_null(strstr(diagnosis.reason, "no rerun repeats the file"));
    assert_int_equal(diagnosis.next, LS_NEXT_OTHER_BUILD);
    of.facts.is_start = true;
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_non_null(strstr(diagnosis.reason, "the state before the first tick is different"));
}

TEST(test_diagnosis_rows_that_fail_say_nothing)
{
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

/* A single row that crashes decides like one with another root. */
TEST(test_diagnosis_one_row_that_crashes_decides)
{
    for (size_t i = 0; i < LS_COUNT_OF(single_rows); i++) {
        table of;
        ls_diagnosis diagnosis;
        fill(&of);
        set_crash(&of, single_rows[i].kind, single_rows[i].number);
        assert_int_equal(class_of(&of), single_rows[i].cause);
        ls_diagnosis_find(&of.facts, &diagnosis);
        assert_int_equal(diagnosis.row->side, LS_SIDE_CRASHED);
        assert_non_null(
            strstr(diagnosis.reason, "is killed by signal 11 in system \"move\", tick 5; `"));
    }
    table of;
    fill(&of);
    set_crash(&of, LS_EXPLAIN_CHECK, 1);
    assert_int_equal(class_of(&of), LS_CLASS_UNDECLARED);
}

/* If the usual run crashes, the single row that does not crash decides. */
TEST(test_diagnosis_one_row_that_lives_decides)
{
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        set_crash(&of, of.rows[i].kind, of.rows[i].number);
    assert_int_equal(class_of(&of), LS_CLASS_CRASH);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_string_equal(diagnosis.reason,
                        "serially: is killed by signal 11 in system \"move\", tick 5");
    set(&of, LS_EXPLAIN_START, 1, SERVER_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNSAVED);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_ptr_equal(diagnosis.row, &of.rows[0]);
    assert_non_null(strstr(diagnosis.reason, "`from the file's start` does not"));
}

/* Either fill of unused memory may cause a crash. */
TEST(test_diagnosis_two_fills_that_crash_are_a_read)
{
    table of;
    fill(&of);
    set_crash(&of, LS_EXPLAIN_HEAP, 1);
    set_crash(&of, LS_EXPLAIN_HEAP, 2);
    assert_int_equal(class_of(&of), LS_CLASS_UNINITIALISED);
    set_crash(&of, LS_EXPLAIN_PLACES, 1);
    assert_int_equal(class_of(&of), LS_CLASS_ADDRESS);
}

TEST(test_diagnosis_words_and_names)
{
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
