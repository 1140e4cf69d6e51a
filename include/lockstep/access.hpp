/* Typed terms: the calls of a running system through a term of term.hpp, and one function for each
 * kind of term. <number, query> are its place in the system's list and its query. */
#ifndef LS_ACCESS_HPP
#define LS_ACCESS_HPP

#include <lockstep/term.hpp>

namespace lockstep
{

template <class Cell, uint32_t number, ls_match_kind kind, ls_access access, uint32_t query>
class term : public any_term<number, kind, access, query>
{
    using base = any_term<number, kind, access, query>;

  public:
    using base::base;

    /* NULL when the entity is dead or lacks the component; the same for write(). */
    const Cell *find(const ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(base::can_read, "the term does not declare LS_READ");
        return LS_CELL_FIND(Cell, context, number, entity);
    }
    Cell *write(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(base::can_write, "the term does not declare LS_WRITE");
        return LS_CELL_WRITE(Cell, context, number, entity);
    }
    /* Copies the value into the entity's cell. */
    bool attach(ls_context *context, ls_entity entity, const Cell &value) const noexcept
    {
        static_assert(base::can_attach, "the term does not declare LS_STRUCTURE");
        return LS_CELL_ATTACH(context, number, entity, &value);
    }
    void command_attach(ls_context *context, ls_entity entity, const Cell &value) const noexcept
    {
        static_assert(kind == LS_COMMANDS, "declare the term with lockstep::commanded");
        LS_COMMAND_ATTACH(context, number, entity, &value);
    }
    bool accumulate(ls_context *context, ls_entity entity, const Cell &value) const noexcept
    {
        static_assert(kind == LS_ACCUMULATED, "declare the term with lockstep::accumulates");
        return LS_ACCUMULATE(context, number, entity, &value);
    }

    /* The cells of a span. No cell: an optional term that this span lacks. */
    cells<const Cell> read(const ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(base::can_read, "the term does not declare LS_READ");
        const Cell *first = LS_SPAN_READ(Cell, context, span, number);
        return {first, first ? span->count : 0};
    }
    cells<Cell> write(const ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(base::can_write, "the term does not declare LS_WRITE");
        Cell *first = LS_SPAN_WRITE(Cell, context, span, number);
        return {first, first ? span->count : 0};
    }
    cells<Cell> attach(ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(base::can_attach, "the term does not declare LS_STRUCTURE");
        return {LS_SPAN_ATTACH(Cell, context, span, number), span->count};
    }
    /* The 64 cells of a block, of which block->matches tells the valid ones; may be NULL. */
    const Cell *read(const ls_context *context, const ls_block *block) const noexcept
    {
        static_assert(base::can_read, "the term does not declare LS_READ");
        return LS_BLOCK_READ(Cell, context, block, number);
    }
    Cell *write(const ls_context *context, const ls_block *block) const noexcept
    {
        static_assert(base::can_write, "the term does not declare LS_WRITE");
        return LS_BLOCK_WRITE(Cell, context, block, number);
    }

    /* The cell of a singleton. */
    const Cell &read(const ls_context *context) const noexcept
    {
        static_assert(kind == LS_OTHERS && base::can_read, "not a term of a singleton");
        return *LS_SINGLETON_READ(Cell, context, number);
    }
    Cell &write(ls_context *context) const noexcept
    {
        static_assert(kind == LS_OTHERS && base::can_write, "not a writing term of a singleton");
        return *LS_SINGLETON_WRITE(Cell, context, number);
    }

    void send(ls_context *context, const Cell &value) const noexcept
    {
        static_assert(kind == LS_EVENTS && access == LS_WRITE,
                      "declare the term with lockstep::sends");
        LS_EVENT_SEND(context, number, &value);
    }
    event_range<Cell> each(const ls_context *context) const noexcept
    {
        static_assert(kind == LS_EVENTS && access == LS_READ,
                      "declare the term with lockstep::receives");
        return {context, number};
    }
};

/* A tag has no cell. */
template <uint32_t number, ls_match_kind kind, ls_access access, uint32_t query>
class term<void, number, kind, access, query> : public any_term<number, kind, access, query>
{
    using base = any_term<number, kind, access, query>;

  public:
    using base::base;
    bool attach(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(base::can_attach, "the term does not declare LS_STRUCTURE");
        return ls_cell_attach(context, number, entity, nullptr);
    }
    void command_attach(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(kind == LS_COMMANDS, "declare the term with lockstep::commanded");
        ls_command_attach(context, number, entity, nullptr);
    }
};

} // namespace lockstep

#endif
