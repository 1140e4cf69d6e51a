/* A system function's access to the model, and the mutation that it produces. */
#ifndef LS_MODEL_INVOCATION_H
#define LS_MODEL_INVOCATION_H

#include "tests/model/model.h"

/* Reads see the state c of the invocation, then the invocation's own steps (the paper's local
 * variables). `from` is the index of its first step in `out`. Matches with the same own entity run
 * one after the other and share their steps. */
struct model_invocation {
    const model_system *system;
    const model_state *begun;    /* the state when the system began */
    model_state *seen;           /* in a roll: the state after all earlier invocations */
    const model_mutation *marks; /* in a roll: despawns of earlier invocations; else NULL */
    model_mutation *out;
    uint32_t from;
    uint32_t page;               /* lane and page of the own entity; pending handles contain it */
    uint32_t spawned, commanded; /* counts in this page */
    uint64_t *budget;            /* as in model_advance(); 0: it was too small */
    ls_entity partner;           /* of the match; null without one */
};

/* NULL if the entity is dead or lacks the component. */
const uint8_t *model_read(const model_invocation *invocation, uint32_t component, ls_entity entity);
const uint8_t *model_read_start(const model_invocation *invocation, uint32_t component,
                                ls_entity entity);
/* Whether a match of the state when the system began still is one for this invocation: a roll no
 * longer meets what it has despawned itself. */
bool model_still_matches(const model_invocation *invocation, const model_query *query,
                         ls_entity entity);
/* Updates a change of the state when the system began to what this invocation sees; false when the
 * system itself has undone it. */
bool model_looks_again(const model_invocation *invocation, uint32_t component,
                       ls_cell_change *change);
/* Takes from the budget what a walk over `count` entities costs; false if it is too small. */
bool model_afford_walk(const model_invocation *invocation, uint32_t count);
bool model_sees_alive(const model_invocation *invocation, ls_entity entity);
/* False if the entity is dead. */
bool model_attach(model_invocation *invocation, uint32_t component, ls_entity entity,
                  const uint8_t *value);
bool model_detach(model_invocation *invocation, uint32_t component, ls_entity entity);
ls_entity model_new(model_invocation *invocation, uint32_t lane);
void model_mark(model_invocation *invocation, ls_entity entity);
bool model_accumulate(model_invocation *invocation, uint32_t component, ls_access access,
                      ls_entity entity, const uint8_t *value);
void model_send(model_invocation *invocation, uint32_t event, const uint8_t *value);
void model_command(model_invocation *invocation, model_kind kind, uint32_t component,
                   ls_entity entity, const uint8_t *value);
ls_entity model_command_new(model_invocation *invocation, uint32_t lane);
/* The state of the game from the next tick on. */
void model_enter(model_invocation *invocation, uint8_t state);

/* Pending handles, and the entities that they became. */
typedef struct model_births {
    ls_entity *pending, *entities;
    uint32_t count;
    uint32_t near; /* index of the last one found; the search continues there */
} model_births;

/* Replaces the reference by its entity if it is a pending handle of the list. */
void model_settle(model_births *births, void *reference);

/* True if a reference begins at this byte of the component; offsets of references are multiples of
 * 8. */
bool model_is_reference(const ls_component *component, uint32_t at);

static inline bool model_is_pending(ls_entity entity)
{
    return entity >> 63;
}

#endif
