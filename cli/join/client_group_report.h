/* Prints the output of a client group: a line each second, how each member ended, and the overall
 * result. */
#ifndef LS_CLIENT_GROUP_REPORT_H
#define LS_CLIENT_GROUP_REPORT_H

#include "cli/join/client_group_members.h"

/* Prints the live line of the second that ends now, as text or JSON. */
void ls_client_group_report_line(ls_client_group *group);

/* With JSON, prints the state that a member has entered, unless the state is final. */
void ls_client_group_report_state(const ls_client_group *group, uint32_t index);
/* Prints that a client follows its match to this address. */
void ls_client_group_report_follow(const ls_client_group *group, uint32_t index,
                                   const char *address);
/* Prints what the server has said to the user of a member. */
void ls_client_group_report_said(const ls_client_group *group, uint32_t index);
/* Prints how a member ended. Without JSON, omits errors that ls_client_group_report_judge() will
 * report. */
void ls_client_group_report_end(const ls_client_group *group, uint32_t index);

/* Returns the error of the whole group, as ls_client_group_play() says, and prints the errors of
 * the other members on stdout. */
ls_status ls_client_group_report_judge(const ls_client_group *group, ls_error *error) LS_MUST_USE;

#endif
