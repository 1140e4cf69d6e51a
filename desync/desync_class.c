#include "desync/desync_class.h"

static const struct {
    const char *name, *word, *remedy;
} classes[LS_CLASS_COUNT] = {
    [LS_CLASS_VERSION] = {"version mismatch", "version_mismatch",
                          "give both sides one build; a server refuses other fingerprints"},
    [LS_CLASS_INPUT] = {"input mismatch", "input_mismatch",
                        "inputs are read, never changed: look for code that writes to the frame, "
                        "or for a damaged client"},
    [LS_CLASS_UNDECLARED] = {"undeclared access", "undeclared_access",
                             "declare it in the system's terms, then order what conflicts"},
    [LS_CLASS_ORDER] = {"order race", "order_race",
                        "order the two (before, after), or make what they do commute; an "
                        "independence needs a true reason"},
    [LS_CLASS_UNINITIALISED] = {"uninitialised read", "uninitialised_read",
                                "zero it where it is created; -fsanitize=memory and "
                                "-Wmaybe-uninitialized find such reads"},
    [LS_CLASS_ADDRESS] = {"address dependence", "address_dependence",
                          "never sort, hash or store addresses; entities and slots are the same "
                          "everywhere"},
    [LS_CLASS_MACHINE] = {"machine dependence", "machine_dependence",
                          "a system may read nothing but the world, its inputs and ls_random()"},
    [LS_CLASS_UNSAVED] = {"unsaved state", "unsaved_state",
                          "keep it in a component or singleton; what a snapshot does not hold, a "
                          "client that joins late does not have"},
    [LS_CLASS_BUILD] = {"build difference", "build_difference",
                        "use fixed point, or -ffp-contract=off and no libm: docs/determinism.md"},
    [LS_CLASS_MEMORY] = {"memory fault", "memory_fault",
                         "look at that machine: memory test, overclocking, other code of the "
                         "process that writes where it should not"},
    [LS_CLASS_CRASH] = {"crash", "crash",
                        "fix the crash first; a build with -g and -fsanitize=address shows more"},
    [LS_CLASS_OUTSIDE] = {"outside state", "outside_state",
                          "look for what only that side does: view code, bots, settings, the "
                          "environment, libraries"},
    [LS_CLASS_NONE] = {"nothing found", "none", ""},
};

const char *ls_desync_class_name(ls_desync_class which)
{
    return classes[which].name;
}

const char *ls_desync_class_word(ls_desync_class which)
{
    return classes[which].word;
}

const char *ls_desync_class_remedy(ls_desync_class which)
{
    return classes[which].remedy;
}
