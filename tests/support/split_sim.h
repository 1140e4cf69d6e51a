/* The opposite of core/schedule/modules.c: a simulation with names such as "m.k.move" becomes one
 * with modules that merge into it again. */
#ifndef LS_SUPPORT_SPLIT_SIM_H
#define LS_SUPPORT_SPLIT_SIM_H

#include <lockstep/sim.h>

enum { SPLIT_PARTS = 4, SPLIT_ITEMS_MAX = 32, SPLIT_TEXT_BYTES = 1 << 16 };

/* The prefixes of the names of a part: "" of the simulation itself, "m.", "m.k." and "n.". */
extern const char *const split_prefixes[SPLIT_PARTS];

/* The lists of a part. */
typedef struct split_part {
    ls_module module;
    ls_option options[SPLIT_ITEMS_MAX];
    const ls_component *components[SPLIT_ITEMS_MAX];
    ls_component tables[SPLIT_ITEMS_MAX];
    const char *lanes[SPLIT_ITEMS_MAX];
    ls_system systems[SPLIT_ITEMS_MAX], setups[SPLIT_ITEMS_MAX], criteria[SPLIT_ITEMS_MAX];
    ls_stage stages[SPLIT_ITEMS_MAX];
    ls_set sets[SPLIT_ITEMS_MAX];
    ls_independence independences[SPLIT_ITEMS_MAX];
    uint32_t criterion_count;
    const ls_module *modules[SPLIT_PARTS];
} split_part;

typedef struct split_sim {
    ls_sim sim;
    split_part parts[SPLIT_PARTS];
    uint64_t draws; /* chooses between the two forms of a name in a module: its own and the full */
    uint32_t used;
    char text[SPLIT_TEXT_BYTES];
} split_sim;

/* Fills `self`, which must not be moved, and returns its simulation. `flat` has names of the parts
 * "m." and "m.k.": a name in a list of a part that is not of this part has to have a dot ("world"
 * aside). The systems of "m." have the label "m", those of "m.k." both "m.k" and "m". */
const ls_sim *split_sim_make(split_sim *self, const ls_sim *flat, uint64_t seed);
/* The number of the part that a full name belongs to. */
uint32_t split_part_of(const char *name);
/* Whether the first of two systems declares their order: a module cannot name a system of the
 * simulation. Otherwise it is as the caller wishes. */
bool split_is_at_first(const char *first, const char *second, bool wish);
/* Whether both get the same report, error and fingerprint. If not, `text` says what differs. */
bool split_is_equal(const ls_sim *flat, const ls_sim *modular, char *text, size_t bytes);

#endif
