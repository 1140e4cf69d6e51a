/* The tables of `lockstep admin`, in the form of cli/common/admin_table.h. */
#ifndef LS_ADMIN_ROWS_H
#define LS_ADMIN_ROWS_H

#include "cli/common/admin_table.h"
#include "cli/serve/admin_task.h"

/* One row about the process and all rooms. */
void ls_admin_rows_server(ls_builder *text, const ls_admin_task *task, const char *sim,
                          uint64_t start_unix_s);
/* A row for each open room, by name, with the numbers that matter most. */
void ls_admin_rows_rooms(ls_builder *text, const ls_metrics *metrics);
/* One row with all about the room of this name. */
void ls_admin_rows_room(ls_builder *text, const ls_metrics *metrics, const char *name);
/* A row for each session of the task's roster, or only for those of the task's room. */
void ls_admin_rows_players(ls_builder *text, const ls_admin_task *task);
/* One row about the checkpoint of the room. */
void ls_admin_rows_checkpoint(ls_builder *text, const ls_admin_task *task);
void ls_admin_rows_reload(ls_builder *text, const ls_rights_reload *reload);
/* One row about a ban or its lifting. `unkept` is the reason why it ends with the server, "" if it
 * is in the file. */
void ls_admin_rows_ban(ls_builder *text, const ls_ban *ban, const ls_admin_task *task,
                       const char *unkept);
void ls_admin_rows_bans(ls_builder *text, const ls_bans *bans);

#endif
