/* A simulation as a constant table: constexpr ls_sim game = lockstep::simulation("game", "1", ...).
 */
#ifndef LS_SIM_HPP
#define LS_SIM_HPP

#include <lockstep/module.hpp>

namespace lockstep
{

class simulation : public parts<ls_sim, simulation>
{
  public:
    /* `hash` is LS_SIM_SOURCE_HASH, which each simulation has to name itself: here it could
     * be that of another simulation in the same program. */
    constexpr simulation(const char *called, const char *numbered, const char *hash)
    {
        abi = LS_SIM_ABI;
        name = called;
        version = numbered;
        source_hash = hash;
    }
    constexpr simulation &summary(const char *line)
    {
        ls_sim::summary = line;
        return *this;
    }
    constexpr simulation &defaults(uint32_t ticks_per_second, uint32_t players)
    {
        tick_rate = ticks_per_second;
        player_count = players;
        return *this;
    }
    /* Orders: their validator. */
    constexpr simulation &orders(decltype(ls_sim::input_is_valid) is_valid)
    {
        input_is_valid = is_valid;
        return *this;
    }
    /* State inputs: their size, what replaces a missing one, and their validator. */
    constexpr simulation &states(uint32_t bytes, ls_missing_state missing,
                                 decltype(ls_sim::state_is_valid) is_valid = nullptr)
    {
        state_bytes = bytes;
        state_missing = missing;
        state_is_valid = is_valid;
        return *this;
    }
    constexpr simulation &bots(decltype(ls_sim::bot) give_order,
                               decltype(ls_sim::bot_state) hold_state = nullptr)
    {
        bot = give_order;
        bot_state = hold_state;
        return *this;
    }
    /* Entities without components are despawned at each sync point. */
    constexpr simulation &despawn_empty()
    {
        despawns_empty = true;
        return *this;
    }
    /* Two systems that command one component in one stage need an order. */
    constexpr simulation &strict()
    {
        is_strict = true;
        return *this;
    }
    constexpr simulation &describe(decltype(ls_sim::describe) line)
    {
        ls_sim::describe = line;
        return *this;
    }
};

} // namespace lockstep

#endif
