/* Words of a command that is printed to be typed again. */
#ifndef LS_SHELL_WORD_H
#define LS_SHELL_WORD_H

#include "core/base/builder.h"

/* A space, and the word as a shell takes it, quoted where it has to be. */
void ls_shell_word_add(ls_builder *text, const char *word);

#endif
