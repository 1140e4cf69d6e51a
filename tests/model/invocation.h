/* A system function's view of the model, and the mutation that it leaves. */
#ifndef LS_MODEL_INVOCATION_H
#define LS_MODEL_INVOCATION_H

#include "tests/model/model.h"

/* Reads see the state c of the invocation, then the invocation's own steps: in the paper its
 * local variables. `from` is where its steps begin in `out`; all matches of one own entity share
 * them, one after the other. */
struct model_invocation {
    const model_system *system;
    const model_state *begun; /* as the system found it */
    model_state *seen;        /* of a roll: after all invocations before */
    model_mutation *out;
    uint32_t from;
    uint32_t page;               /* lane and page of the own entity: newborns are numbered by it */
    uint32_t spawned, commanded; /* in that page so far */
    uint64_t *budget;
};

/* NULL when the entity is dead or lacks the component. */
const uint8_t *model_read(const model_invocation *invocation, uint32_t component, ls_entity entity);
const uint8_t *model_read_start(const model_invocation *invocation, uint32_t component,
                                ls_entity entity);
bool model_sees_alive(const model_invocation *invocation, ls_entity entity);
/* False for a dead entity. */
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

/* Pending handles and what became of them. */
typedef struct model_births {
    ls_entity *pending, *entities;
    uint32_t count;
    uint32_t near; /* where the last one was found; the next is not far */
} model_births;

/* Replaces a pending handle of the list by its entity. */
void model_settle(model_births *births, void *reference);

/* Whether a reference begins at this byte of the component; references have multiples of 8. */
bool model_is_reference(const ls_component *component, uint32_t at);

static inline bool model_is_pending(ls_entity entity)
{
    return entity >> 63;
}

#endif
