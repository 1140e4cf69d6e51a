/* The uses of a system's terms in its function, by name.
 *
 *     static void walk(ls_context *context, const ls_span *span)
 *     {
 *         LS_USES(context, walking);
 *         place *at = LS_WRITE_SPAN(context, place, span);
 *         const walker *who = LS_READ_SPAN(context, walker, span);
 *
 * `name` below is the name of a term in the list of LS_USES (include/lockstep/terms.h). The
 * pointers have the type of the component. A name that the list lacks, and a use that the term does
 * not grant, do not compile.
 *   errors  LS_USES of another list than that of the running system stops the process; the message
 *           names both */
#ifndef LS_USES_H
#define LS_USES_H
#pragma GCC system_header /* for the reason in define_table.h */

#include <lockstep/context.h>
#include <lockstep/terms.h>
#include <lockstep/world_terms.h>

/* Another type of pointer, and a call that is not declared, are errors, as always in C++. */
#ifndef __cplusplus
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#ifndef __clang__
#pragma GCC diagnostic error "-Wdiscarded-qualifiers"
#endif
#endif

/* clang's -Wextra warns of values without `reserved_` (include/lockstep/define.h): off here. */
#ifdef __clang__
#define LS_QUIET_                                                                                  \
    _Pragma("clang diagnostic push")                                                               \
        _Pragma("clang diagnostic ignored \"-Wmissing-field-initializers\"")
#define LS_LOUD_ _Pragma("clang diagnostic pop")
#else
#define LS_QUIET_
#define LS_LOUD_
#endif
#ifdef __cplusplus
/* The address of a value that lasts until the end of the statement. */
template <class Value> inline const Value *ls_address_of_(const Value &value) noexcept
{
    return &value;
}
#define LS_VALUE_(type, ...) LS_QUIET_ ls_address_of_(type{__VA_ARGS__}) LS_LOUD_
#define LS_POINTER_(type, p) static_cast<const type *>(p)
extern "C" {
#else
#define LS_VALUE_(type, ...) LS_QUIET_(&(type){__VA_ARGS__}) LS_LOUD_
#define LS_POINTER_(type, p) ((const type *){p})
#endif

/* Compares term by term: a list in a header is another array in each file. Accepts also the first
 * terms of the system's list. */
LS_API void ls_uses_far_(const ls_context *context, const ls_term *list, const char *name);
static inline const void *ls_uses_(const ls_context *context, const ls_term *list, const char *name)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(front->terms != list))
        ls_uses_far_(context, list, name);
    return list;
}
static inline ls_event_walk ls_event_walk_of_(const ls_context *context, uint32_t term)
{
    ls_event_walk walk;
    ls_event_begin(context, term, &walk);
    return walk;
}
/* At the head of each function that uses terms. A helper of several systems uses a list of the
 * terms with which their lists begin. */
#define LS_USES(context, list)                                                                     \
    LS_UNUSED_ const struct list##_terms *const LS_USES_is_missing =                               \
        (const struct list##_terms *)ls_uses_(context, list, #list)

/* The index of a term in the list, for a call by index. */
#define LS_TERM_INDEX(name)                                                                        \
    ((uint32_t)(offsetof(__typeof__(*LS_USES_is_missing), name) / sizeof(void *)))
#define LS_TYPE_OF_(name, grant) __typeof__(*LS_USES_is_missing->name.grant)
#define LS_GRANTED_(name, grant) ((void)sizeof(LS_USES_is_missing->name.grant), LS_TERM_INDEX(name))
#define LS_BARE_(name, may)      ((void)sizeof(*LS_USES_is_missing->name.bare), LS_GRANTED_(name, may))

/* The cell of an entity; NULL when it is dead, null or lacks the component. */
#define LS_READ(context, name, entity)                                                             \
    ((LS_TYPE_OF_(name, may_read) *)ls_cell_find_(context, LS_TERM_INDEX(name), entity))
#define LS_WRITE(context, name, entity)                                                            \
    ((LS_TYPE_OF_(name, may_write) *)ls_cell_write_(context, LS_TERM_INDEX(name), entity))
#define LS_HAS(context, name, entity) ls_cell_has(context, LS_GRANTED_(name, may_test), entity)
/* LS_ATTACH(context, place, entity, .x = 1): the values as in an initialiser, 0 for all zeros.
 * _COPY takes a pointer to the value, _TAG attaches only tags. False when the entity is dead. */
#define LS_ATTACH(context, name, entity, ...)                                                      \
    ls_cell_attach_(context, LS_TERM_INDEX(name), entity,                                          \
                    LS_VALUE_(LS_TYPE_OF_(name, may_attach), __VA_ARGS__))
#define LS_ATTACH_COPY(context, name, entity, value)                                               \
    ls_cell_attach_(context, LS_TERM_INDEX(name), entity,                                          \
                    LS_POINTER_(LS_TYPE_OF_(name, may_attach), value))
#define LS_ATTACH_TAG(context, name, entity)                                                       \
    ls_cell_attach_(context, LS_BARE_(name, may_attach), entity, NULL)
#define LS_DETACH(context, name, entity)                                                           \
    ls_cell_detach(context, LS_GRANTED_(name, may_detach), entity)
#define LS_READ_SPAN(context, name, span)                                                          \
    ((LS_TYPE_OF_(name, may_read) *)ls_span_read_(context, span, LS_TERM_INDEX(name)))
#define LS_WRITE_SPAN(context, name, span)                                                         \
    ((LS_TYPE_OF_(name, may_write) *)ls_span_write_(context, span, LS_TERM_INDEX(name)))
#define LS_ATTACH_SPAN(context, name, span)                                                        \
    ((LS_TYPE_OF_(name, may_attach) *)ls_span_attach_(context, span, LS_TERM_INDEX(name)))
#define LS_DETACH_SPAN(context, name, span)                                                        \
    ls_span_detach(context, span, LS_GRANTED_(name, may_detach))
#define LS_READ_BLOCK(context, name, block)                                                        \
    ((LS_TYPE_OF_(name, may_read) *)ls_block_read_(context, block, LS_TERM_INDEX(name)))
#define LS_WRITE_BLOCK(context, name, block)                                                       \
    ((LS_TYPE_OF_(name, may_write) *)ls_block_write_(context, block, LS_TERM_INDEX(name)))
#define LS_ATTACH_BLOCK(context, name, block, which)                                               \
    ((LS_TYPE_OF_(name, may_attach) *)ls_block_attach_(context, block, LS_TERM_INDEX(name), which))
#define LS_DETACH_BLOCK(context, name, block, which)                                               \
    ls_block_detach(context, block, LS_GRANTED_(name, may_detach), which)
/* A bit for each slot of the block that has the component. */
#define LS_PRESENT_IN_BLOCK(name, block) ((block)->present[LS_GRANTED_(name, may_test)])

#define LS_READ_SINGLETON(context, name)                                                           \
    ((LS_TYPE_OF_(name, may_read_singleton) *)ls_singleton_read_(context, LS_TERM_INDEX(name)))
#define LS_WRITE_SINGLETON(context, name)                                                          \
    ((LS_TYPE_OF_(name, may_write_singleton) *)ls_singleton_write_(context, LS_TERM_INDEX(name)))

/* These wait for the end of the system or of the stage: include/lockstep/context.h. */
#define LS_ACCUMULATE(context, name, entity, ...)                                                  \
    ls_accumulate_(context, LS_TERM_INDEX(name), entity,                                           \
                   LS_VALUE_(LS_TYPE_OF_(name, may_accumulate), __VA_ARGS__))
#define LS_SEND(context, name, ...)                                                                \
    ls_event_send_(context, LS_TERM_INDEX(name),                                                   \
                   LS_VALUE_(LS_TYPE_OF_(name, may_send), __VA_ARGS__))
#define LS_COMMAND_ATTACH(context, name, entity, ...)                                              \
    ls_command_attach_(context, LS_TERM_INDEX(name), entity,                                       \
                       LS_VALUE_(LS_TYPE_OF_(name, may_command), __VA_ARGS__))
#define LS_COMMAND_ATTACH_TAG(context, name, entity)                                               \
    ls_command_attach_(context, LS_BARE_(name, may_command), entity, NULL)
#define LS_COMMAND_DETACH(context, name, entity)                                                   \
    ls_command_detach(context, LS_GRANTED_(name, may_command), entity)

/* LS_EACH_EVENT(context, hit, news) { ... news->victim ... }: a loop over the events of a term. */
#define LS_EACH_EVENT(context, name, event)                                                        \
    LS_EVENT_LOOP_(ls_event_walk_of_(context, LS_TERM_INDEX(name)),                                \
                   LS_TYPE_OF_(name, may_receive), event)

#ifdef __cplusplus
}
#endif

#endif
