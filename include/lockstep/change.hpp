/* Terms that react to changes, for lockstep::system (include/lockstep/system.hpp):
 *
 *     constexpr auto moved = lockstep::changed<0>(Place);       matches what has changed
 *     constexpr auto lives = lockstep::observes<1>(Life);       walks all that has happened to Life
 *     for (auto change : lives.each(context))
 *         if (change.kind == LS_CELL_DESPAWNED) ... change.before->points ...
 *
 *   source  docs/ecs-reference.md, "Changes" and "Observers" */
#ifndef LS_CHANGE_HPP
#define LS_CHANGE_HPP

#include <lockstep/access.hpp>
#include <lockstep/cell_change.h>

namespace lockstep
{

/* As ls_cell_change, with the type of the cells; void for a tag. */
template <class Cell> struct change {
    ls_entity entity;
    ls_cell_change_kind kind;
    const Cell *before, *now;
};

/* A walk over the changes of an observed component: ls_cell_change_next(). */
template <class Cell> class change_range
{
  public:
    class iterator
    {
      public:
        explicit iterator(ls_cell_change_walk *walk) noexcept : walk_(walk)
        {
            ++*this;
        }
        change<Cell> operator*() const noexcept
        {
            return {found_->entity, found_->kind, static_cast<const Cell *>(found_->before),
                    static_cast<const Cell *>(found_->now)};
        }
        iterator &operator++() noexcept
        {
            found_ = ls_cell_change_next(walk_);
            return *this;
        }
        bool operator!=(decltype(nullptr)) const noexcept
        {
            return found_ != nullptr;
        }

      private:
        ls_cell_change_walk *walk_;
        const ls_cell_change *found_ = nullptr;
    };

    change_range(const ls_context *context, uint32_t term) noexcept
    {
        ls_cell_change_begin(context, term, &walk_);
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
    ls_cell_change_walk walk_;
};

/* A filter by change. It gives no cells: list a term that reads besides. */
template <uint32_t number, ls_filter filter, uint32_t query> class compared_term
{
  public:
    static constexpr uint32_t index = number;

    constexpr explicit compared_term(const ls_component &component) : component_(&component)
    {
    }
    constexpr operator ls_term() const
    {
        return filter == LS_FILTER_REMOVED
                   ? ls_term{component_, LS_EXCLUDE, LS_PRESENCE, query, filter, nullptr}
                   : ls_term{component_, LS_INCLUDE, LS_READ, query, filter, nullptr};
    }

  private:
    const ls_component *component_;
};

/* Reads the component of others, and walks its changes. */
template <class Cell, uint32_t number>
class observed_term : public term<Cell, number, LS_OTHERS, LS_READ, 0>
{
    using base = term<Cell, number, LS_OTHERS, LS_READ, 0>;

  public:
    constexpr explicit observed_term(const ls_component &component)
        : base(component), component_(&component)
    {
    }
    constexpr operator ls_term() const
    {
        return ls_term{component_, LS_OTHERS, LS_READ, 0, LS_FILTER_OBSERVED, nullptr};
    }
    change_range<Cell> each(const ls_context *context) const noexcept
    {
        return {context, number};
    }

  private:
    const ls_component *component_;
};

template <uint32_t number, uint32_t query = 0> constexpr auto changed(const ls_component &component)
{
    return compared_term<number, LS_FILTER_CHANGED, query>(component);
}

template <uint32_t number, uint32_t query = 0> constexpr auto added(const ls_component &component)
{
    return compared_term<number, LS_FILTER_ADDED, query>(component);
}

template <uint32_t number, uint32_t query = 0> constexpr auto removed(const ls_component &component)
{
    return compared_term<number, LS_FILTER_REMOVED, query>(component);
}

template <uint32_t number, class Cell> constexpr auto observes(const component<Cell> &observed)
{
    return observed_term<Cell, number>(observed);
}

template <uint32_t number> constexpr auto observes(const tag &observed)
{
    return observed_term<void, number>(observed);
}

} // namespace lockstep

#endif
