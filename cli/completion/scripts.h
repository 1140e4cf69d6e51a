/* The scripts that `lockstep completion` prints. */
#ifndef LS_COMPLETION_SCRIPTS_H
#define LS_COMPLETION_SCRIPTS_H

/* Returns the script of the shell, NULL for an unknown one. */
const char *ls_completion_script(const char *shell);

#endif
