/* Terms with the type, the number and the access of their cells. A term is declared once, beside
 * its system, and used for both: lockstep::system lists it, and the function reads cells through
 * it.
 *
 *     constexpr auto at = lockstep::writes<0>(Place);
 *     constexpr auto who = lockstep::reads<1>(Walker);
 *     at.write(context, span)      an array of place
 *     who.write(context, span)     does not compile: the term only reads
 *
 * The number of a term is its place in the list. Each call is that of access.h, span.h and
 * context.h; these headers say what it does. */
#ifndef LS_TERM_HPP
#define LS_TERM_HPP

#include <lockstep/component.hpp>
#include <lockstep/typed.h>

namespace lockstep
{

/* A walk over the events of one type that earlier systems of the tick have sent. */
template <class Cell> class event_range
{
  public:
    class iterator
    {
      public:
        explicit iterator(ls_event_walk *walk) noexcept : walk_(walk)
        {
            ++*this;
        }
        const Cell &operator*() const noexcept
        {
            return *event_;
        }
        iterator &operator++() noexcept
        {
            event_ = static_cast<const Cell *>(ls_event_next(walk_));
            return *this;
        }
        bool operator!=(decltype(nullptr)) const noexcept
        {
            return event_ != nullptr;
        }

      private:
        ls_event_walk *walk_;
        const Cell *event_ = nullptr;
    };

    event_range(const ls_context *context, uint32_t term) noexcept
    {
        ls_event_begin(context, term, &walk_);
    }
    event_range(const ls_world *world, const event<Cell> &sent) noexcept
    {
        ls_world_event_begin(world, &sent, &walk_);
    }
    iterator begin() noexcept
    {
        return iterator(&walk_);
    }
    decltype(nullptr) end() const noexcept
    {
        return nullptr;
    }

  private:
    ls_event_walk walk_;
};

/* The part that terms of cells and of tags share. */
template <uint32_t number, ls_match_kind kind, ls_access access, uint32_t query> class any_term
{
  public:
    static constexpr uint32_t index = number;
    static constexpr bool can_read =
        access >= LS_READ && access <= LS_STRUCTURE && kind != LS_EXCLUDE && kind <= LS_START;
    static constexpr bool can_write = can_read && access >= LS_WRITE;
    static constexpr bool can_attach = access == LS_STRUCTURE && kind <= LS_SPAWNED;

    constexpr explicit any_term(const ls_component &component) : component_(&component)
    {
    }
    constexpr operator ls_term() const
    {
        return ls_term{component_, kind, access, query, LS_FILTER_NONE, nullptr};
    }
    bool has(const ls_context *context, ls_entity entity) const noexcept
    {
        return ls_cell_has(context, index, entity);
    }
    bool detach(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(can_attach && kind != LS_SPAWNED, "the term does not declare LS_STRUCTURE");
        return ls_cell_detach(context, index, entity);
    }
    void detach(ls_context *context, const ls_span *span) const noexcept
    {
        static_assert(can_attach && kind != LS_SPAWNED, "the term does not declare LS_STRUCTURE");
        ls_span_detach(context, span, index);
    }
    void command_detach(ls_context *context, ls_entity entity) const noexcept
    {
        static_assert(kind == LS_COMMANDS, "declare the term with lockstep::commanded");
        ls_command_detach(context, index, entity);
    }

  private:
    const ls_component *component_;
};

} // namespace lockstep

#endif
