/* The options that impair packets. `lockstep relay` has them by their names, `lockstep join` with
 * the prefix "relay-". */
#ifndef LS_RELAY_OPTIONS_H
#define LS_RELAY_OPTIONS_H

#include "cli/common/arguments.h"
#include "cli/network/relay.h"

typedef enum ls_relay_side {
    LS_RELAY_BOTH = 0,
    LS_RELAY_UP, /* impairs only packets to the server */
    LS_RELAY_DOWN,
} ls_relay_side;

/* Zeroed before parsing. */
typedef struct ls_relay_options {
    ls_impairment_conditions profile; /* zeroed: none */
    ls_impairment_conditions given;   /* the members that `mask` names */
    uint32_t mask;
    ls_relay_side side;
    uint64_t seed;
    uint64_t rebind_after_ns;
    bool is_shared;
    bool is_any; /* one of the options was given */
} ls_relay_options;

extern const ls_arguments ls_relay_arguments;      /* --loss ... */
extern const ls_arguments ls_join_relay_arguments; /* --relay-loss ... */

/* Returns the profile, with the given conditions in place of its own. The order on the command line
 * does not matter. */
ls_impairment_conditions ls_relay_options_conditions(const ls_relay_options *options);
/* Sets the members of the config that the options are about. */
void ls_relay_options_apply(const ls_relay_options *options, ls_relay_config *config);

#define LS_CONDITIONS_TEXT_BYTES 256
/* Formats conditions: "loss 5 %, delay 100 ms", or "nothing". */
void ls_conditions_format(const ls_impairment_conditions *conditions,
                          char text[LS_CONDITIONS_TEXT_BYTES]);

#endif
