/* Systems and simulations as constant tables, in C++17 too, which cannot name members in an
 * initialiser. Each function sets the member of the same name of ls_system or ls_sim:
 *
 *     constexpr ls_system systems[] = {
 *         lockstep::system("walk").concurrent(walk).terms(at, who).after("steer"),
 *     };
 *
 * Other members of the C structs are set by a constexpr function. */
#ifndef LS_SYSTEM_HPP
#define LS_SYSTEM_HPP

#include <lockstep/sim.h>
#include <lockstep/terms.hpp>

#include <utility>

namespace lockstep
{

class system : public ls_system
{
  public:
    constexpr explicit system(const char *called) : ls_system{}
    {
        name = called;
    }
    constexpr system &sequential(ls_match_function *function)
    {
        mode = LS_SEQUENTIAL;
        match = function;
        return *this;
    }
    constexpr system &concurrent(ls_match_function *function)
    {
        match = function;
        return *this;
    }
    constexpr system &concurrent(ls_span_function *function)
    {
        span = function;
        return *this;
    }
    constexpr system &concurrent(ls_block_function *function)
    {
        block = function;
        return *this;
    }
    /* The list of terms; the numbers in their declarations are checked here. */
    template <class... Term> constexpr system &terms(const Term &...list)
    {
        static_assert(sizeof...(Term) <= LS_TERMS_MAX, "too many terms");
        static_assert(is_numbered<Term...>(std::make_index_sequence<sizeof...(Term)>()),
                      "a term's number is its place in the list, from 0");
        size_t i = 0;
        ((ls_system::terms[i++] = list), ...);
        return *this;
    }
    template <class... Name> constexpr system &lanes(Name... names)
    {
        return set(ls_system::lanes, names...);
    }
    template <class... Name> constexpr system &command_lanes(Name... names)
    {
        return set(ls_system::command_lanes, names...);
    }
    template <class... Name> constexpr system &labels(Name... names)
    {
        return set(ls_system::labels, names...);
    }
    template <class... Name> constexpr system &before(Name... names)
    {
        return set(ls_system::before, names...);
    }
    template <class... Name> constexpr system &after(Name... names)
    {
        return set(ls_system::after, names...);
    }
    template <class... Name> constexpr system &weakly_before(Name... names)
    {
        return set(ls_system::weakly_before, names...);
    }
    template <class... Name> constexpr system &weakly_after(Name... names)
    {
        return set(ls_system::weakly_after, names...);
    }
    template <class... Name> constexpr system &needs(Name... names)
    {
        return set(ls_system::needs, names...);
    }
    template <class... Grid> constexpr system &grids(const Grid &...list)
    {
        static_assert(sizeof...(Grid) <= LS_SYSTEM_GRIDS_MAX, "too many grids");
        size_t i = 0;
        ((ls_system::grids[i++] = list), ...);
        return *this;
    }
    template <class... Join> constexpr system &joins(const Join &...list)
    {
        static_assert(sizeof...(Join) <= LS_SYSTEM_JOINS_MAX, "too many joins");
        size_t i = 0;
        ((ls_system::joins[i++] = list), ...);
        return *this;
    }
    constexpr system &stage(const char *named, ls_slot when = LS_PARALLEL)
    {
        ls_system::stage = named;
        slot = when;
        return *this;
    }

  private:
    template <class... Term, size_t... places>
    static constexpr bool is_numbered(std::index_sequence<places...>)
    {
        return ((Term::index == places) && ...);
    }
    template <class... Name>
    constexpr system &set(const char *(&list)[LS_LIST_OF(LS_SYSTEM_NAMES_MAX)], Name... names)
    {
        static_assert(sizeof...(Name) <= LS_SYSTEM_NAMES_MAX, "too many names");
        size_t i = 0;
        ((list[i++] = names), ...);
        return *this;
    }
};

} // namespace lockstep

#endif
