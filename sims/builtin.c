#include "sims/builtin.h"

#include "sims/cannon/cannon.h"
#include "sims/colony/colony.h"
#include "sims/disjoint/disjoint.h"
#include "sims/fountain/fountain.h"
#include "sims/regatta/regatta.h"
#include "sims/skirmish/skirmish.h"
#include "sims/toyphys/toyphys.h"

#include <string.h>

static const ls_sim *const sims[] = {&ls_cannon_sim,   &ls_colony_sim,  &ls_disjoint_sim,
                                     &ls_fountain_sim, &ls_regatta_sim, &ls_skirmish_sim,
                                     &ls_toyphys_sim};

const ls_sim *ls_sim_builtin(const char *name)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(sims); i++) {
        if (strcmp(sims[i]->name, name) == 0)
            return sims[i];
    }
    return NULL;
}

const ls_sim *ls_sim_builtin_at(uint32_t index)
{
    return index < LS_COUNT_OF(sims) ? sims[index] : NULL;
}
