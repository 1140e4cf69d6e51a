/* The actions of `lockstep replay ACTION FILE`. Each gets its own argument vector, as an ls_command
 * does; arguments[0] is "lockstep replay ACTION". */
#ifndef LS_REPLAY_ACTIONS_H
#define LS_REPLAY_ACTIONS_H

#include "cli/common/command.h"

ls_exit ls_replay_info(int count, char **arguments);
ls_exit ls_replay_seek(int count, char **arguments);
ls_exit ls_replay_print(int count, char **arguments);
ls_exit ls_replay_export(int count, char **arguments);
ls_exit ls_replay_diff(int count, char **arguments);
ls_exit ls_replay_cut(int count, char **arguments);
ls_exit ls_replay_repair(int count, char **arguments);
ls_exit ls_replay_rerun(int count, char **arguments);

#endif
