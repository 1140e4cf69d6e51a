/* Walks over the changes of a component since a system last ended: the reads of an observer.
 * Its term is OBSERVES(place) of LS_TERMS, or LS_OBSERVES().
 *   order    by lane, then slot; if a slot has had two entities, the despawned one comes first
 *   changes  what differs, by value, between the state in which the system last ended and the state
 *            in which it begins; in its first run every cell counts as attached. A change that was
 *            undone in between does not count. A sequential system may itself write what it
 *            observes: each change is looked at again when the walk reaches it, and skipped if it
 *            is undone
 *   cost     pages that were not written since the system last ended are skipped
 *   errors   a term that does not observe stops the process
 *   source   docs/ecs-reference.md, "Observers"
 *   thread   the thread that runs the invocation */
#ifndef LS_CELL_CHANGE_H
#define LS_CELL_CHANGE_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_cell_change_kind {
    LS_CELL_ATTACHED = 0, /* `now`; also for a new entity */
    LS_CELL_CHANGED,      /* `before` and `now`, which differ */
    LS_CELL_DETACHED,     /* `before`; the entity is alive */
    LS_CELL_DESPAWNED,    /* `before`; the entity is dead */
} ls_cell_change_kind;

typedef struct ls_cell_change {
    ls_entity entity;
    ls_cell_change_kind kind;
    const void *before; /* the cell at the end of the system's last run, valid until this run ends;
                           or NULL */
    const void *now;    /* the cell in the present state, valid like that of LS_READ(); or NULL */
} ls_cell_change;

/* Storage of the caller, valid in one invocation. The members are private. */
typedef struct ls_cell_change_walk {
    const struct ls_context *context;
    uint32_t term, page, step;
    ls_cell_change change;
} ls_cell_change_walk;

LS_API void ls_cell_change_begin(const struct ls_context *context, uint32_t term,
                                 ls_cell_change_walk *walk);
/* Returns the next change, NULL at the end. It is valid until the next call. `before` and `now` of
 * a tag point to no bytes. */
LS_API const ls_cell_change *ls_cell_change_next(ls_cell_change_walk *walk);

static inline ls_cell_change_walk ls_cell_change_walk_of_(const struct ls_context *context,
                                                          uint32_t term)
{
    ls_cell_change_walk walk;
    ls_cell_change_begin(context, term, &walk);
    return walk;
}
/* LS_EACH_CHANGE(context, place, change) { ... change.kind, change.before->x ... }: a loop over the
 * changes of an OBSERVES term, by the names of include/lockstep/uses.h. The variable is a
 * ls_cell_change whose `before` and `now` point to the component's type. */
#define LS_EACH_CHANGE(context, name, variable)                                                    \
    for (ls_cell_change_walk                                                                       \
             variable##_walk_ = ls_cell_change_walk_of_(context, LS_GRANTED_(name, may_observe)),  \
             *variable##_once_ = &variable##_walk_;                                                \
         variable##_once_; variable##_once_ = NULL)                                                \
        for (LS_TYPE_OF_(name, may_observe) variable;                                              \
             ls_cell_change_next(&variable##_walk_) &&                                             \
             (variable.entity = variable##_walk_.change.entity,                                    \
             variable.kind = variable##_walk_.change.kind,                                         \
             variable.before = (LS_TYPE_OF_(name, may_read) *)variable##_walk_.change.before,      \
             variable.now = (LS_TYPE_OF_(name, may_read) *)variable##_walk_.change.now, true);)

#ifdef __cplusplus
}
#endif

#endif
