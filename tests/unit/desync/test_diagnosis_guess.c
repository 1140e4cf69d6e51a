/* The class when no rerun decides it, and what the check executor adds. */
#include "diagnosis_table.h"

/* The check's finding is reported with every class, whichever row decides. */
TEST(test_diagnosis_guess_always_tells_what_the_check_named)
{
    static const ls_explain_kind kinds[] = {LS_EXPLAIN_PLAIN, LS_EXPLAIN_SHUFFLE, LS_EXPLAIN_PLACES,
                                            LS_EXPLAIN_HEAP,  LS_EXPLAIN_LATE,    LS_EXPLAIN_REPEAT,
                                            LS_EXPLAIN_OTHER};
    static const char text[] =
        "tick 5: system \"walk\" reads what it may not read: At.x\ntick 6: ...";
    ls_diagnosis diagnosis;
    for (size_t i = 0; i < LS_COUNT_OF(kinds); i++)
        for (uint32_t is_hidden = 0; is_hidden < 2; is_hidden++) {
            table of;
            fill(&of);
            for (uint32_t at = 0; at < of.facts.row_count; at++)
                if (of.rows[at].kind == LS_EXPLAIN_CHECK) {
                    of.rows[at].side = LS_SIDE_FAILED;
                    of.rows[at].is_hidden = is_hidden;
                    of.rows[at].is_undeclared = !is_hidden;
                    strcpy(of.rows[at].text, text);
                }
            set(&of, kinds[i], 2, OTHER_ROOT);
            ls_diagnosis_find(&of.facts, &diagnosis);
            bool is_its = diagnosis.row && diagnosis.row->kind == LS_EXPLAIN_CHECK;
            const char *said = is_its ? diagnosis.reason : diagnosis.also;
            assert_non_null(
                strstr(said, "tick 5: system \"walk\" reads what it may not read: At.x"));
            of.facts.has_other_inputs = true;
            ls_diagnosis_find(&of.facts, &diagnosis);
            assert_non_null(
                strstr(diagnosis.also, "the check executor names: tick 5: system \"walk\""));
        }
    table of;
    fill(&of);
    set(&of, LS_EXPLAIN_SHUFFLE, 2, OTHER_ROOT);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_string_equal(diagnosis.also, "");
}

/* Every rerun gives the server's root, although a client differed. */
TEST(test_diagnosis_guess_no_rerun_repeats_the_client)
{
    table of;
    fill(&of);
    of.facts.has_client = true;
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    of.facts.cells = 1;
    of.facts.bits = 2;
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    of.facts.bits = 1;
    assert_int_equal(class_of(&of), LS_CLASS_MEMORY);
    /* Other clients differed too, but a memory fault affects one machine. */
    of.facts.others = 1;
    assert_int_equal(class_of(&of), LS_CLASS_OUTSIDE);
    of.facts.others = 0;
    of.facts.imports = "sinf";
    of.facts.imports_floats = true;
    assert_int_equal(class_of(&of), LS_CLASS_BUILD);
    of.facts.imports_floats = false;
    of.facts.has_other_builds = true;
    assert_int_equal(class_of(&of), LS_CLASS_MEMORY);
    of.facts.bits = 2;
    assert_int_equal(class_of(&of), LS_CLASS_BUILD);
}

/* A suspicious call weighs more than a small difference. */
TEST(test_diagnosis_guess_calls_come_before_one_bit)
{
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    of.facts.has_client = true;
    of.facts.cells = of.facts.bits = 1;
    of.facts.imports = "clock_gettime(), sinf()";
    of.facts.imports_machine = of.facts.imports_floats = true;
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_string_equal(diagnosis.reason, "likely, though no rerun repeats the client: the "
                                          "simulation calls clock_gettime(), sinf()");
    of.facts.is_start = true;
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    /* A rerun that explains the difference weighs more than a suspicious call. */
    set(&of, LS_EXPLAIN_STACK, 1, OTHER_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNINITIALISED);
}

/* A written value was computed, so hardware is to blame only if no system writes the cell. */
TEST(test_diagnosis_guess_one_bit_of_a_cell_that_is_stored_is_no_memory_fault)
{
    table of;
    ls_diagnosis diagnosis, before;
    fill(&of);
    of.facts.has_client = true;
    of.facts.cells = of.facts.bits = 1;
    ls_diagnosis_find(&of.facts, &diagnosis);
    before = diagnosis;
    ls_diagnosis_add_stores(&of.facts, &(ls_explain_stores){.is_unstored = true}, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_MEMORY);
    assert_string_equal(diagnosis.reason, before.reason);
    ls_diagnosis_add_stores(&of.facts, &(ls_explain_stores){.system = "move"}, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_OUTSIDE);
    assert_non_null(strstr(diagnosis.reason, "but system \"move\" stores there in that tick"));
    assert_non_null(strstr(diagnosis.remedy, "look at what \"move\" reads there"));
    /* This system cannot watch writes. */
    diagnosis = before;
    ls_diagnosis_add_stores(&of.facts, &(ls_explain_stores){0}, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_OUTSIDE);
    diagnosis = before;
    of.facts.has_other_builds = true;
    ls_diagnosis_add_stores(&of.facts, &(ls_explain_stores){.system = "move"}, &diagnosis);
    assert_int_equal(diagnosis.cause, LS_CLASS_BUILD);
    /* Other conclusions stay unchanged. */
    of.facts.bits = 2;
    ls_diagnosis_find(&of.facts, &diagnosis);
    before = diagnosis;
    ls_diagnosis_add_stores(&of.facts, &(ls_explain_stores){.system = "move"}, &diagnosis);
    assert_string_equal(diagnosis.reason, before.reason);
}

/* If no rerun gives another root, hidden state found by the check executor decides. It has priority
 * over a single bit, and over a repeated run in one process. */
TEST(test_diagnosis_guess_hidden_state_decides)
{
    table of;
    ls_diagnosis diagnosis;
    fill(&of);
    of.facts.has_client = true;
    of.facts.cells = of.facts.bits = 1;
    set(&of, LS_EXPLAIN_REPEAT, 1, OTHER_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_UNSAVED);
    for (uint32_t i = 0; i < of.facts.row_count; i++)
        if (of.rows[i].kind == LS_EXPLAIN_CHECK) {
            of.rows[i].side = LS_SIDE_FAILED;
            of.rows[i].is_hidden = true;
            strcpy(of.rows[i].text, "tick 5: system \"walk\" depends on it\ntick 6: and again");
        }
    assert_int_equal(class_of(&of), LS_CLASS_UNSAVED);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_string_equal(diagnosis.reason, "check executor: tick 5: system \"walk\" depends on it");
    of.facts.imports = "time()";
    of.facts.imports_machine = true;
    assert_int_equal(class_of(&of), LS_CLASS_MACHINE);
    ls_diagnosis_find(&of.facts, &diagnosis);
    assert_string_equal(diagnosis.reason, "check executor: the simulation calls time(); tick 5: "
                                          "system \"walk\" depends on it");
    set(&of, LS_EXPLAIN_SHUFFLE, 1, OTHER_ROOT);
    assert_int_equal(class_of(&of), LS_CLASS_ORDER);
}
