/* Access by the index of a term in the system's list, without types: for code that does not know
 * its components when it is compiled. That is generated code, bindings of other languages, and the
 * tests and benches of the engine. Simulations use the names of LS_USES (include/lockstep/uses.h);
 * <lockstep/lockstep.h> leaves this header out.
 *
 * The calls check what the term grants and which entities it reaches, as those by name do. They do
 * not know type and size. A returned pointer is to a cell of the term's component, in an array of
 * cells without gaps: a write through a larger struct reaches into the cell of the next entity, and
 * a `value` that is too short is read past its end. `--check` reports such a write only if the
 * system has not asked for the cell that it changes. */
#ifndef LS_BY_INDEX_H
#define LS_BY_INDEX_H

#include <lockstep/context.h>
#include <lockstep/partner.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Cells by handle: include/lockstep/access.h. */
static inline const void *ls_cell_find(const ls_context *context, uint32_t term, ls_entity entity)
{
    return ls_cell_find_(context, term, entity);
}

static inline void *ls_cell_write(ls_context *context, uint32_t term, ls_entity entity)
{
    return ls_cell_write_(context, term, entity);
}

static inline bool ls_cell_attach(ls_context *context, uint32_t term, ls_entity entity,
                                  const void *value)
{
    return ls_cell_attach_(context, term, entity, value);
}

/* Find, attach and ls_cell_detach() on many handles, with the results of calling them one by one.
 * For handles in random order they are several times as fast, because they prefetch memory for all
 * handles before they use the first. Each returns the number of handles for which the single call
 * would succeed.
 *   cells   by handle: the address of the cell, or NULL
 *   values  `count` cells side by side; NULL for all zeros */
LS_API uint32_t ls_cells_find(const ls_context *context, uint32_t term, const ls_entity *entities,
                              uint32_t count, const void **cells);
LS_API uint32_t ls_cells_attach(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count, const void *values);
LS_API uint32_t ls_cells_detach(ls_context *context, uint32_t term, const ls_entity *entities,
                                uint32_t count);

/* Spans and blocks: include/lockstep/span.h. */
static inline const void *ls_span_read(const ls_context *context, const ls_span *span,
                                       uint32_t term)
{
    return ls_span_read_(context, span, term);
}

static inline void *ls_span_write(const ls_context *context, const ls_span *span, uint32_t term)
{
    return ls_span_write_(context, span, term);
}

static inline void *ls_span_attach(ls_context *context, const ls_span *span, uint32_t term)
{
    return ls_span_attach_(context, span, term);
}

static inline const void *ls_block_read(const ls_context *context, const ls_block *block,
                                        uint32_t term)
{
    return ls_block_read_(context, block, term);
}

static inline void *ls_block_write(const ls_context *context, const ls_block *block, uint32_t term)
{
    return ls_block_write_(context, block, term);
}

static inline void *ls_block_attach(ls_context *context, const ls_block *block, uint32_t term,
                                    uint64_t which)
{
    return ls_block_attach_(context, block, term, which);
}

/* The rest: include/lockstep/context.h, include/lockstep/partner.h. */
static inline const void *ls_singleton_read(const ls_context *context, uint32_t term)
{
    return ls_singleton_read_(context, term);
}

static inline void *ls_singleton_write(ls_context *context, uint32_t term)
{
    return ls_singleton_write_(context, term);
}

static inline void *ls_partner_write(ls_context *context, uint32_t term, ls_entity own)
{
    return ls_partner_write_(context, term, own);
}

static inline bool ls_accumulate(ls_context *context, uint32_t term, ls_entity entity,
                                 const void *value)
{
    return ls_accumulate_(context, term, entity, value);
}

static inline void ls_event_send(ls_context *context, uint32_t term, const void *event)
{
    ls_event_send_(context, term, event);
}

static inline void ls_command_attach(ls_context *context, uint32_t term, ls_entity entity,
                                     const void *value)
{
    ls_command_attach_(context, term, entity, value);
}

#ifdef __cplusplus
}
#endif

#endif
