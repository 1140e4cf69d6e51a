/* Hands a match over from the process of the first case to the other cases. */
#ifndef LS_CHECK_CASE_MATCH_H
#define LS_CHECK_CASE_MATCH_H

#include "cli/check/check_case.h"

/* Hands the match and the list of the first case over as bytes; the function below reads them. */
ls_status ls_check_case_hand_over(const ls_check_case_match *match, const ls_tick_list *list,
                                  ls_child *child, ls_error *error) LS_MUST_USE;
typedef struct ls_check_case_handover {
    uint8_t fingerprint[LS_FINGERPRINT_BYTES];
    ls_match match;
    ls_tick_list *list; /* freed by the caller with ls_tick_list_destroy() */
} ls_check_case_handover;
ls_status ls_check_case_take_over(int file, ls_check_case_handover *handover,
                                  ls_error *error) LS_MUST_USE;

/* Fills `match` with what the first case's process handed over. That case must have succeeded.
 *   owns  ls_check_case_match_reset */
ls_status ls_check_case_match_adopt(ls_check_case_match *match, const ls_child *base,
                                    ls_error *error) LS_MUST_USE;
void ls_check_case_match_reset(ls_check_case_match *match);

#endif
