/* One function for each kind of term: the macros of term.h with a type. `number` is the place of
 * the term in its system's list, `query` the index of its query, or LS_WALKED | n. */
#ifndef LS_TERMS_HPP
#define LS_TERMS_HPP

#include <lockstep/access.hpp>

namespace lockstep
{

template <uint32_t number, ls_match_kind kind, ls_access access, uint32_t query = 0,
          class Component>
constexpr auto term_of(const Component &component)
{
    return term<typename Component::cell_type, number, kind, access, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto reads(const Component &component)
{
    return term_of<number, LS_INCLUDE, LS_READ, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto writes(const Component &component)
{
    return term_of<number, LS_INCLUDE, LS_WRITE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto with(const Component &component)
{
    return term_of<number, LS_INCLUDE, LS_PRESENCE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto without(const Component &component)
{
    return term_of<number, LS_EXCLUDE, LS_PRESENCE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto optionally_reads(const Component &component)
{
    return term_of<number, LS_OPTIONAL, LS_READ, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto attaches(const Component &component)
{
    return term_of<number, LS_OPTIONAL, LS_STRUCTURE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto detaches(const Component &component)
{
    return term_of<number, LS_INCLUDE, LS_STRUCTURE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto others_read(const Component &component)
{
    return term_of<number, LS_OTHERS, LS_READ, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto others_write(const Component &component)
{
    return term_of<number, LS_OTHERS, LS_WRITE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto others_structure(const Component &component)
{
    return term_of<number, LS_OTHERS, LS_STRUCTURE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto others_start(const Component &component)
{
    return term_of<number, LS_START, LS_READ, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto spawns_with(const Component &component)
{
    return term_of<number, LS_SPAWNED, LS_STRUCTURE, query>(component);
}

template <uint32_t number, uint32_t query = 0, class Component>
constexpr auto commanded(const Component &component)
{
    return term_of<number, LS_COMMANDS, LS_STRUCTURE, query>(component);
}

/* Terms without cells: they only limit what a query matches, and are listed with the others. */
template <uint32_t number, uint32_t query = 0> class lane_term
{
  public:
    static constexpr uint32_t index = number;

    constexpr explicit lane_term(const char *lane) : lane_(lane)
    {
    }
    constexpr operator ls_term() const
    {
        return LS_TERM_LANE(query, lane_);
    }

  private:
    const char *lane_;
};

template <uint32_t number, uint32_t query = 0> constexpr auto in_lane(const char *lane)
{
    return lane_term<number, query>(lane);
}

template <uint32_t number, ls_access operation, class Component>
constexpr auto accumulates(const Component &component)
{
    static_assert(operation >= LS_ADD, "an operation from LS_ADD to LS_COMBINE");
    return term_of<number, LS_ACCUMULATED, operation>(component);
}

template <uint32_t number, class Cell> constexpr auto sends(const event<Cell> &sent)
{
    return term_of<number, LS_EVENTS, LS_WRITE>(sent);
}

template <uint32_t number, class Cell> constexpr auto receives(const event<Cell> &sent)
{
    return term_of<number, LS_EVENTS, LS_READ>(sent);
}

} // namespace lockstep

#endif
