/* Typed terms: the calls of a running system through a term of term.hpp, and one function for each
 * kind of term. <number, query> are its place in the system's list and its query. */
#ifndef LS_ACCESS_HPP
#define LS_ACCESS_HPP

#include <lockstep/cells.hpp>
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
        return static_cast<const Cell *>(
            ls_cell_find_sized_(context, number, entity, sizeof(Cell)));
    }
    Cell *write(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(base::can_write, "the term does not declare LS_WRITE");
        return static_cast<Cell *>(ls_cell_write_sized_(context, number, entity, sizeof(Cell)));
    }
    /* Copies the value into the entity's cell. */
    bool attach(ls_context *context, ls_entity entity, const Cell &value) const noexcept
    {
        static_assert(base::can_attach, "the term does not declare LS_STRUCTURE");
        return ls_cell_attach_sized_(context, number, entity, sizeof(Cell), &value);
    }
    void command_attach(ls_context *context, ls_entity entity, const Cell &value) const noexcept
    {
        static_assert(kind == LS_COMMANDS, "declare the term with lockstep::commanded");
        ls_command_attach_(writer(context), number, entity, &value);
    }
    bool accumulate(ls_context *context, ls_entity entity, const Cell &value) const noexcept
    {
        static_assert(kind == LS_ACCUMULATED, "declare the term with lockstep::accumulates");
        return ls_accumulate_(writer(context), number, entity, &value);
    }

    /* The cells of a span. No cell: an optional term that this span lacks. */
    cells<const Cell> read(const ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(base::can_read, "the term does not declare LS_READ");
        const Cell *first = static_cast<const Cell *>(ls_span_read_(reader(context), span, number));
        return {first, first ? span->count : 0};
    }
    cells<Cell> write(const ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(base::can_write, "the term does not declare LS_WRITE");
        Cell *first = static_cast<Cell *>(ls_span_write_(reader(context), span, number));
        return {first, first ? span->count : 0};
    }
    cells<Cell> attach(ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(base::can_attach, "the term does not declare LS_STRUCTURE");
        return {static_cast<Cell *>(ls_span_attach_(writer(context), span, number)), span->count};
    }
    /* The 64 cells of a block, of which block->matches tells the valid ones; may be NULL. */
    const Cell *read(const ls_context *context, const ls_block *block) const noexcept
    {
        static_assert(base::can_read, "the term does not declare LS_READ");
        return static_cast<const Cell *>(ls_block_read_(reader(context), block, number));
    }
    Cell *write(const ls_context *context, const ls_block *block) const noexcept
    {
        static_assert(base::can_write, "the term does not declare LS_WRITE");
        return static_cast<Cell *>(ls_block_write_(reader(context), block, number));
    }

    /* The cell of a singleton. */
    const Cell &read(const ls_context *context) const noexcept
    {
        static_assert(kind == LS_OTHERS && base::can_read, "not a term of a singleton");
        return *static_cast<const Cell *>(ls_singleton_read_(reader(context), number));
    }
    Cell &write(ls_context *context) const noexcept
    {
        static_assert(kind == LS_OTHERS && base::can_write, "not a writing term of a singleton");
        return *static_cast<Cell *>(ls_singleton_write_(writer(context), number));
    }

    void send(ls_context *context, const Cell &value) const noexcept
    {
        static_assert(kind == LS_EVENTS && access == LS_WRITE,
                      "declare the term with lockstep::sends");
        ls_event_send_(writer(context), number, &value);
    }
    event_range<Cell> each(const ls_context *context) const noexcept
    {
        static_assert(kind == LS_EVENTS && access == LS_READ,
                      "declare the term with lockstep::receives");
        return {context, number};
    }

  private:
    /* The context, after a check of the cell's size. */
    static const ls_context *reader(const ls_context *context) noexcept
    {
        return ls_context_sized_(context, number, sizeof(Cell));
    }
    static ls_context *writer(ls_context *context) noexcept
    {
        return ls_writer_sized_(context, number, sizeof(Cell));
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
        return ls_cell_attach_(context, number, entity, nullptr);
    }
    void command_attach(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(kind == LS_COMMANDS, "declare the term with lockstep::commanded");
        ls_command_attach_(context, number, entity, nullptr);
    }
};

} // namespace lockstep

#endif
