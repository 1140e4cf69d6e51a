/* The Core ECS paper's denotational semantics, written as plainly as possible: the oracle that the
 * engine is compared with. It shares types with the engine but no code: it copies whole states
 * where the engine shares pages, and searches where the engine indexes.
 * Beyond the paper it has liveness as a hidden component (an entity without components stays
 * alive), ids by lane, and effects that wait for the end of the tick: despawns, commands, events.
 *   source  the paper's section 3; docs/design.md sections 3 and 4 for what goes beyond it */
#ifndef LS_MODEL_H
#define LS_MODEL_H

#include "tests/model/model_state.h"
#include "tests/model/states.h"
#include <lockstep/cell_change.h>

typedef struct model_term {
    ls_match_kind kind; /* incl, excl or anyway */
    uint32_t component;
    ls_filter filter;
} model_term;

/* A conjunction of terms and choices. */
typedef struct model_query {
    uint32_t count;
    model_term terms[LS_TERMS_MAX];
    uint32_t lanes; /* bit by lane; 0: all */
} model_query;

/* Keeps the matches of the product in which query `query`'s entity has the key of query 0's. */
typedef struct model_join {
    uint32_t query, component, from;
    const ls_field *field, *from_field; /* from_field NULL: the key is the entity of query 0 */
} model_join;

/* The entity in a field of a match, of which the invocation may write the components `given`. */
typedef struct model_partner {
    bool is_set, first_wins;
    uint32_t component, offset;
    uint32_t given, own; /* bit by component; own: those of the match that it reads or writes */
} model_partner;

typedef struct model_invocation model_invocation;

typedef struct model_system {
    const char *name;
    bool is_concurrent;
    uint32_t query_count;                /* number of queries in the vector */
    model_query queries[LS_QUERIES_MAX]; /* further ones are walked */
    /* f_s: appends its steps to the invocation's mutation. */
    void (*invoke)(model_invocation *invocation, const ls_entity *entities);
    const void *data;
    uint32_t join_count;
    model_join joins[LS_SYSTEM_JOINS_MAX];
    uint32_t first_baseline; /* the index of its baseline of component 0; the others follow by
                                component */
    uint32_t observed;       /* bit by component */
    model_partner partner;
    uint32_t parents_first; /* 1 + the component whose first field is the parent; 0: none */
    program_states states;
} model_system;

typedef enum model_form { MODEL_CONC, MODEL_SEQ, MODEL_PAR, MODEL_THEN } model_form;

/* A schedule z. */
typedef struct model_schedule {
    model_form form;
    const model_system *system;                  /* conc(s), seq(s) */
    const struct model_schedule *first, *second; /* z || z', z ; z' */
} model_schedule;

void model_init(model_state *state, const model_schema *schema, uint64_t seed);
void model_reset(model_state *state);
void model_copy(const model_state *from, model_state *to); /* `to` is not initialised */

bool model_is_alive(const model_state *state, ls_entity entity);
/* The value of c_i at the entity, NULL where the map is undefined. */
const uint8_t *model_find(const model_state *state, uint32_t component, ls_entity entity);
/* The index of the entity in the map; the count of cells where the map is undefined. */
uint32_t model_find_index(const model_state *state, uint32_t component, ls_entity entity);
/* Whether some entity has both components of a pair. */
bool model_has_pair(const model_state *state);
uint32_t model_live_count(const model_state *state);
/* The entity that the lane's `index`-th next spawn gets: lowest free slots first. */
ls_entity model_fresh(const model_state *state, uint32_t lane, uint32_t index);

/* The value of a field that holds one number or reference; signed numbers are sign-extended. */
uint64_t model_number(const uint8_t *value, const ls_field *field);

/* Whether the entity passes the filters by change. Asked only when the system begins, because they
 * compare with that state. */
bool model_has_changed(const model_state *state, const model_query *query, uint32_t first_baseline,
                       ls_entity entity);
/* [[q]]_c, evaluated for one entity. */
bool model_matches(const model_state *state, const model_query *query, ls_entity entity);
/* [[q]]_c: the matching entities, in order of lane and slot; the caller frees them. */
ls_entity *model_matches_of(const model_state *state, const model_system *system,
                            const model_query *query, uint32_t *count);
/* The changes of the component since the system last ended, in order of lane and slot; the caller
 * frees them. */
ls_cell_change *model_changes_of(const model_state *state, const model_system *system,
                                 uint32_t component, uint32_t *count);
void model_append(model_mutation *mutation, const model_step *step);
/* c down m: applies the mutation. */
void model_apply(model_state *state, const model_mutation *mutation);
/* The sync point: applies commands, then despawns, and ends the tick. */
void model_sync(model_state *state);

/* c down-down z: appends the mutation of the schedule to `mutation`. Subtracts the
 * invocations from `*budget`; false if it is too small, and `mutation` is then unusable. */
bool model_produce(const model_state *state, const model_schedule *schedule,
                   model_mutation *mutation, uint64_t *budget);
/* Runs one tick: z(c) and the sync point. */
bool model_advance(model_state *state, const model_schedule *schedule, uint64_t *budget);
/* Prints in the notation of the paper's executable model. `is_bare` omits the constructor. */
char *model_print(const model_state *state, bool is_bare);
/* Returns the bytes of an integer or entity of this type. */
uint32_t model_unit_bytes(ls_type type);

#endif
