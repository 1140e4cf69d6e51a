/* Hands a match over from the process of the first case to the other cases. */
#ifndef LS_CHECK_CASE_MATCH_H
#define LS_CHECK_CASE_MATCH_H

#include "cli/check/check_case.h"

/* Hands the match and the list of the first case over as bytes, which ls_check_case_take_over()
 * reads. */
ls_status ls_check_case_hand_over(const ls_check_case_match *match, const ls_tick_list *list,
                                  ls_child *child, ls_error *error) LS_MUST_USE;
typedef struct ls_check_case_handover {
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    ls_match match;
    ls_tick_list *list; /* freed by the caller with ls_tick_list_destroy() */
} ls_check_case_handover;
/* The format of the message when two builds cannot be compared; its argument is the path of the
 * second build. */
#define LS_CHECK_CASE_OTHER_SOURCES                                                                \
    "%s is of other sources or has another schema: two builds are compared only when their "       \
    "fingerprints are equal"
ls_status ls_check_case_take_over(int file, ls_check_case_handover *handover,
                                  ls_error *error) LS_MUST_USE;

/* Fills `match` with what the first case's process handed over. That case must have succeeded.
 *   owns  ls_check_case_match_reset */
ls_status ls_check_case_match_adopt(ls_check_case_match *match, const ls_child *base,
                                    ls_error *error) LS_MUST_USE;
void ls_check_case_match_reset(ls_check_case_match *match);

/* Runs `function`, that of the case or of a helper for it, in a child.
 *   owns    ls_child_reset, in the parent */
ls_status ls_check_case_begin(const ls_check_case *self, ls_check_case_function *function,
                              ls_child *child, ls_error *error) LS_MUST_USE;

/* The task of a child that is another run of the command. ls_check_case_begin() passes it as
 * words. */
typedef struct ls_check_case_words {
    uint32_t match_index, index;
    bool is_helper;
    const char *path; /* of the build that it loads in the place of --sim; or NULL */
} ls_check_case_words;
/* Reads the task from the words of this process. False: this process is no such child.
 *   owns    `path` points into the words of the process */
bool ls_check_case_read_words(ls_check_case_words *words);

#endif
