/* Typed reads of a world from outside of systems. */
#ifndef LS_WORLD_READ_HPP
#define LS_WORLD_READ_HPP

#include <lockstep/component.hpp>
#include <lockstep/world_read.h>

#include <tuple>
#include <utility>

namespace lockstep
{

/* A walk over the events of one type that the last tick sent. */
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

    event_range(const ls_world *world, const event<Cell> &sent) noexcept
    {
        ls_world_event_begin(world, sent, &walk_);
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

/* The entity's cell; NULL when the entity is dead or lacks the component. */
template <class Cell>
const Cell *cell_of(const ls_world *world, const component<Cell> &component, ls_entity entity)
{
    return static_cast<const Cell *>(ls_world_cell(world, component, entity));
}

template <class Cell> const Cell &cell_of(const ls_world *world, const singleton<Cell> &component)
{
    return *static_cast<const Cell *>(ls_world_singleton(world, component));
}

/* for (const hit &news : lockstep::events_of(world, Hit)) */
template <class Cell> event_range<Cell> events_of(const ls_world *world, const event<Cell> &sent)
{
    return {world, sent};
}

/* The spans of all entities that have these components, in canonical order:
 *     for (auto [span, at, who] : lockstep::rows(world, Place, Walker))
 *         for (uint32_t i = 0; i < span.count; i++) ... at[i], who[i], ls_span_entity(&span, i)
 * A tag only selects; its pointer is NULL. The world must not change during the walk. */
template <class... Component> class rows
{
  public:
    class iterator
    {
      public:
        explicit iterator(ls_world_walk *walk) noexcept : walk_(walk)
        {
            ++*this;
        }
        auto operator*() const noexcept
        {
            return cells_of(std::index_sequence_for<Component...>());
        }
        iterator &operator++() noexcept
        {
            if (!ls_world_walk_next(walk_))
                walk_ = nullptr;
            return *this;
        }
        bool operator!=(decltype(nullptr)) const noexcept
        {
            return walk_ != nullptr;
        }

      private:
        template <size_t... i> auto cells_of(std::index_sequence<i...>) const noexcept
        {
            return std::tuple<const ls_span &, const typename Component::cell_type *...>(
                walk_->span,
                static_cast<const typename Component::cell_type *>(walk_->span.const_cells[i])...);
        }
        ls_world_walk *walk_;
    };

    explicit rows(const ls_world *world, const Component &...components) noexcept
        : terms_{
              {components, LS_INCLUDE,
               std::is_void_v<typename Component::cell_type> ? LS_ACCESS_PRESENCE : LS_ACCESS_READ,
               0, LS_FILTER_NONE, nullptr}...,
              {}}
    {
        ls_world_walk_begin(world, terms_, &walk_);
    }
    rows(const rows &) = delete; /* the walk points to the terms */
    rows &operator=(const rows &) = delete;
    iterator begin() noexcept
    {
        return iterator(&walk_);
    }
    decltype(nullptr) end() const noexcept
    {
        return nullptr;
    }

  private:
    ls_term terms_[sizeof...(Component) + 1];
    ls_world_walk walk_;
};

} // namespace lockstep

#endif
