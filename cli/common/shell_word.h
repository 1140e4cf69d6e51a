/* Quotes words of a command that is printed for the user to run. */
#ifndef LS_SHELL_WORD_H
#define LS_SHELL_WORD_H

#include "core/base/builder.h"

/* Adds a space and the word, quoted if a shell needs it. */
void ls_shell_word_add(ls_builder *text, const char *word);

#endif
