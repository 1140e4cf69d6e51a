#include "tests/model/states.h"

#include <lockstep/states.h>

LS_STATES(game, LOBBY, PLAYING, OVER);

#define ALL_STATES(use)                                                                            \
    {                                                                                              \
        &game_##use##_LOBBY, &game_##use##_PLAYING, &game_##use##_OVER                             \
    }

const ls_component *program_game(void)
{
    return &game_component;
}

const ls_system *program_criterion(const program_states *when)
{
    static const ls_system *const criteria[USE_COUNT][PROGRAM_STATES] = {
        [USE_IN_STATE] = ALL_STATES(in),
        [USE_ON_ENTER] = ALL_STATES(enter),
        [USE_ON_EXIT] = ALL_STATES(exit)};
    return criteria[when->use][when->state];
}
