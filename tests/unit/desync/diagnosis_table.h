/* A table of reruns like that of `explain`, for tests of the diagnosis. */
#ifndef LS_TESTS_DIAGNOSIS_TABLE_H
#define LS_TESTS_DIAGNOSIS_TABLE_H

#include "desync/diagnosis.h"
#include "tests/support/test.h"

enum { SERVER_ROOT = 1, OTHER_ROOT = 2, THIRD_ROOT = 3 };

typedef struct table {
    ls_explain_row rows[LS_EXPLAIN_ROWS_MAX];
    ls_explain_facts facts;
} table;

static inline ls_explain_row *add(table *of, ls_explain_kind kind, uint32_t number, uint64_t root)
{
    ls_explain_row *row = &of->rows[of->facts.row_count++];
    *row = (ls_explain_row){.kind = kind,
                            .number = number,
                            .root = root,
                            .side = root == SERVER_ROOT ? LS_SIDE_SERVER : LS_SIDE_NEITHER};
    return row;
}

/* Adds every kind of row, each with the server's root. */
static inline void fill(table *of)
{
    *of = (table){.facts = {.rows = of->rows, .imports = ""}};
    add(of, LS_EXPLAIN_PLAIN, 1, SERVER_ROOT);
    for (ls_explain_kind kind = LS_EXPLAIN_THREADS; kind < LS_EXPLAIN_KINDS; kind++)
        for (uint32_t number = 1; number <= 2; number++)
            add(of, kind, number, SERVER_ROOT);
    add(of, LS_EXPLAIN_PLAIN, 2, SERVER_ROOT);
}

static inline void set(table *of, ls_explain_kind kind, uint32_t number, uint64_t root)
{
    for (uint32_t i = 0; i < of->facts.row_count; i++)
        if (of->rows[i].kind == kind && of->rows[i].number == number) {
            of->rows[i].root = root;
            of->rows[i].side = root == SERVER_ROOT ? LS_SIDE_SERVER : LS_SIDE_NEITHER;
        }
}

static inline ls_desync_class class_of(const table *of)
{
    ls_diagnosis diagnosis;
    ls_diagnosis_find(&of->facts, &diagnosis);
    assert_true(diagnosis.reason[0]);
    assert_true(diagnosis.remedy[0] || diagnosis.cause == LS_CLASS_NONE);
    return diagnosis.cause;
}

#endif
