/* What a party tells: a line each second, how each member ended, and what the whole came to. */
#ifndef LS_PARTY_REPORT_H
#define LS_PARTY_REPORT_H

#include "cli/party_internal.h"

/* Prints the live line, text or JSON, of the second that ends now. */
void ls_party_report_line(ls_party *party);

/* With JSON, prints the state that a member has entered, unless it is its end. */
void ls_party_report_state(const ls_party *party, uint32_t index);
/* Prints how a member ended, unless the error of the whole party will say it to people. */
void ls_party_report_end(const ls_party *party, uint32_t index);

/* The trouble of the whole party, as ls_party_play() says; and on stdout that of the others. */
ls_status ls_party_report_judge(const ls_party *party, ls_error *error) LS_MUST_USE;

#endif
