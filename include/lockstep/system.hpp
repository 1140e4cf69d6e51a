/* Systems and simulations as constant tables, in C++17 too, which cannot name members in an
 * initialiser. Each function sets the member of the same name of ls_system or ls_sim:
 *
 *     constexpr ls_system systems[] = {
 *         lockstep::system("walk").concurrent(walk).terms(walking).after("steer"),
 *     };
 *
 * Other members of the C structs are set by a constexpr function. */
#ifndef LS_SYSTEM_HPP
#define LS_SYSTEM_HPP

#include <lockstep/sim.h>

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
    /* An LS_EACH_FUNCTION. */
    constexpr system &each(ls_span_function *function)
    {
        ls_system::each = function;
        return *this;
    }
    constexpr system &concurrent(ls_block_function *function)
    {
        block = function;
        return *this;
    }
#define LS_SETTER_(type, member)                                                                   \
    constexpr system &member(type value)                                                           \
    {                                                                                              \
        ls_system::member = value;                                                                 \
        return *this;                                                                              \
    }
    /* Lists of names. */
    LS_SETTER_(const char *, lanes)
    LS_SETTER_(const char *, command_lanes)
    LS_SETTER_(const char *, labels)
    LS_SETTER_(const char *, before)
    LS_SETTER_(const char *, after)
    LS_SETTER_(const char *, weakly_before)
    LS_SETTER_(const char *, weakly_after)
    LS_SETTER_(const char *, needs)
    /* Lists that last, and end with an item {}. */
    LS_SETTER_(const ls_term *, terms) /* an LS_TERMS */
    LS_SETTER_(const ls_grid *, grids)
    LS_SETTER_(const ls_join *, joins)
    LS_SETTER_(const void *, data)
    LS_SETTER_(uint8_t, home_thread)
    LS_SETTER_(uint32_t, cost_ns)
    LS_SETTER_(uint32_t, scratch_bytes)
#undef LS_SETTER_
    constexpr system &main_thread()
    {
        ls_system::main_thread = true;
        return *this;
    }
    /* A component, the offset of a reference in it and, if not LS_PARTNER_FAILS, what a clash
     * does: .partner({LS_KEY(married, spouse)}). */
    struct partner_by {
        const ls_component *component;
        uint32_t offset;
        ls_partner_clash clash = LS_PARTNER_FAILS;
    };
    constexpr system &partner(const partner_by &by)
    {
        ls_system::partner = {by.component, by.offset, by.clash};
        return *this;
    }
    template <class Partner> constexpr system &partner(const Partner &by)
    {
        ls_system::partner = by;
        return *this;
    }
    /* A component, and the offset of an LS_PARENT reference in it. */
    constexpr system &parents_first(const ls_hierarchy &by)
    {
        ls_system::parents_first = by;
        return *this;
    }
    constexpr system &stage(const char *named, ls_slot when = LS_PARALLEL)
    {
        ls_system::stage = named;
        slot = when;
        return *this;
    }
};

} // namespace lockstep

#endif
