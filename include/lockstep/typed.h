/* The functions of include/lockstep/access.h, span.h and context.h with the type of the cell, for a
 * simulation in C: `place *at = LS_CELL_WRITE(place, context, 0, entity);`. If the type does not
 * have the size of the term's component, the process stops with the names of system and component:
 * a larger struct would reach the next cell.
 *   when    spans, blocks, singletons and values: at each call. Cells by handle: at each system's
 *           first call through a term and whenever a call takes the slow path; at each call in a
 *           build without optimisation or under `lockstep run --check`. The fast path costs nothing
 *           more */
#ifndef LS_TYPED_H
#define LS_TYPED_H

#include <lockstep/access.h>
#include <lockstep/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stops when the term's cells have a different size; notes the size in the term's place. */
LS_API void ls_cell_size_far_(const ls_context *context, uint32_t term, size_t bytes);

static inline void ls_cell_size_check_(const ls_context *context, uint32_t term, size_t bytes)
{
    const ls_context_front *front = (const ls_context_front *)(const void *)context;
    if (LS_UNLIKELY(term >= LS_TERMS_MAX || front->cursors[term].cell_bytes != bytes))
        ls_cell_size_far_(context, term, bytes);
}

/* True when what a term remembers is enough, so that the size was looked at before. */
static inline bool ls_cell_size_is_known_(const ls_term_cursor *reach)
{
#ifdef __OPTIMIZE__
    return LS_LIKELY(reach != NULL);
#else
    (void)reach;
    return false;
#endif
}

static inline const void *ls_cell_find_sized_(const ls_context *context, uint32_t term,
                                              ls_entity entity, size_t bytes)
{
    const ls_term_cursor *reach = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_READ);
    if (!ls_cell_size_is_known_(reach))
        ls_cell_size_check_(context, term, bytes);
    return LS_LIKELY(reach) ? ls_term_cursor_cell(reach, entity)
                            : ls_cell_find_far_(context, term, entity);
}

static inline void *ls_cell_write_sized_(ls_context *context, uint32_t term, ls_entity entity,
                                         size_t bytes)
{
    const ls_term_cursor *reach = ls_term_cursor_hit(context, term, entity, LS_TERM_CURSOR_WRITE);
    if (!ls_cell_size_is_known_(reach))
        ls_cell_size_check_(context, term, bytes);
    return LS_LIKELY(reach) ? ls_term_cursor_cell(reach, entity)
                            : ls_cell_write_far_(context, term, entity);
}

static inline bool ls_cell_attach_sized_(ls_context *context, uint32_t term, ls_entity entity,
                                         size_t bytes, const void *value)
{
    ls_cell_size_check_(context, term, bytes);
    return ls_cell_attach(context, term, entity, value);
}

static inline const ls_context *ls_context_sized_(const ls_context *context, uint32_t term,
                                                  size_t bytes)
{
    ls_cell_size_check_(context, term, bytes);
    return context;
}

/* For the calls that take a context to write with. */
static inline ls_context *ls_writer_sized_(ls_context *context, uint32_t term, size_t bytes)
{
    ls_cell_size_check_(context, term, bytes);
    return context;
}

#define LS_CELL_FIND(type, context, term, entity)                                                  \
    ((const type *)ls_cell_find_sized_(context, term, entity, sizeof(type)))
#define LS_CELL_WRITE(type, context, term, entity)                                                 \
    ((type *)ls_cell_write_sized_(context, term, entity, sizeof(type)))
/* The last argument of these is a pointer to the value, of which the size is taken. */
#define LS_CELL_ATTACH(context, term, entity, ...)                                                 \
    ls_cell_attach_sized_(context, term, entity, sizeof *(__VA_ARGS__), __VA_ARGS__)
#define LS_ACCUMULATE(context, term, entity, ...)                                                  \
    ls_accumulate(ls_writer_sized_(context, term, sizeof *(__VA_ARGS__)), term, entity, __VA_ARGS__)
#define LS_EVENT_SEND(context, term, ...)                                                          \
    ls_event_send(ls_writer_sized_(context, term, sizeof *(__VA_ARGS__)), term, __VA_ARGS__)
#define LS_COMMAND_ATTACH(context, term, entity, ...)                                              \
    ls_command_attach(ls_writer_sized_(context, term, sizeof *(__VA_ARGS__)), term, entity,        \
                      __VA_ARGS__)

#define LS_SPAN_READ(type, context, span, term)                                                    \
    ((const type *)ls_span_read(ls_context_sized_(context, term, sizeof(type)), span, term))
#define LS_SPAN_WRITE(type, context, span, term)                                                   \
    ((type *)ls_span_write(ls_context_sized_(context, term, sizeof(type)), span, term))
#define LS_SPAN_ATTACH(type, context, span, term)                                                  \
    ((type *)ls_span_attach(ls_writer_sized_(context, term, sizeof(type)), span, term))
#define LS_BLOCK_READ(type, context, block, term)                                                  \
    ((const type *)ls_block_read(ls_context_sized_(context, term, sizeof(type)), block, term))
#define LS_BLOCK_WRITE(type, context, block, term)                                                 \
    ((type *)ls_block_write(ls_context_sized_(context, term, sizeof(type)), block, term))
#define LS_BLOCK_ATTACH(type, context, block, term, which)                                         \
    ((type *)ls_block_attach(ls_writer_sized_(context, term, sizeof(type)), block, term, which))
#define LS_SINGLETON_READ(type, context, term)                                                     \
    ((const type *)ls_singleton_read(ls_context_sized_(context, term, sizeof(type)), term))
#define LS_SINGLETON_WRITE(type, context, term)                                                    \
    ((type *)ls_singleton_write(ls_writer_sized_(context, term, sizeof(type)), term))

#ifdef __cplusplus
}
#endif

#endif
