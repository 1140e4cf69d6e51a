/* A schedule as a simulation of the engine. Its root depends on everything that the systems read.
 */
#ifndef LS_TEST_SCHEDULE_BUILD_H
#define LS_TEST_SCHEDULE_BUILD_H

#include "tests/schedule/columns.h"

typedef struct built_system {
    const struct built *built;
    const actor *plan;
    /* grid_of: also a join or a lane. An access with two terms has the second one next. */
    uint32_t term_of[OPS_MAX], grid_of[OPS_MAX];
    uint32_t index, roster_term, sink_term;
    bool has_query, has_pairs;
    system_lists lists;
} built_system;

/* The terms of the setup are the columns up to S, then these. */
enum { SETUP_ROSTER = COLUMN_S + 1, SETUP_P };

/* It must not be moved. */
typedef struct built {
    const schedule *from;
    built_system data[SYSTEMS_MAX];
    ls_system systems[SYSTEMS_MAX];
    ls_stage stages[STAGES_MAX];
    ls_set sets[SETS_MAX];
    ls_system criteria[STAGES_MAX + SETS_MAX];
    ls_term criterion_terms[STAGES_MAX + SETS_MAX][3];
    uint32_t decision_data[STAGES_MAX + SETS_MAX][2];
    ls_independence independences[SYSTEMS_MAX * SYSTEMS_MAX / 2];
    ls_component tables[COLUMN_COUNT];
    const ls_component *components[COLUMN_COUNT + 3];
    ls_field reference_fields[REFERENCE_FIELDS];
    ls_component reference;                    /* P, with the schedule's rule of death */
    const ls_component *columns[COLUMN_COUNT]; /* as terms and calls name them */
    test_names sides;
    ls_par par;
    const char *lanes[LANES];
    ls_incompatibility never_both;
    ls_system setup;
    ls_term setup_terms[SETUP_P + 2];
    ls_sim sim;
} built;

/* Calls of each system since the last reset, by position; inexact with several threads. */
extern uint64_t body_calls[SYSTEMS_MAX];

void schedule_build(const schedule *from, built *made);
/* print.c: prints C that can be pasted into a simulation. */
void schedule_print(const schedule *from);

/* see.c: mixes what the system's access of this index reads into the number. */
uint64_t body_see(const ls_context *context, const built_system *self, uint32_t index,
                  const ls_entity *entities, uint64_t number);
/* body.c */
enum { BODY_SCRATCH_BYTES = 48 };
void body_match(ls_context *context, const ls_entity *entities);
void body_span(ls_context *context, const ls_span *span);
void body_decide(ls_context *context, const ls_entity *entities);
/* populate.c: the setup */
void body_populate(ls_context *context, const ls_entity *entities);

#endif
