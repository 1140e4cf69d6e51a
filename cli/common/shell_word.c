#include "cli/common/shell_word.h"

#include <string.h>

void ls_shell_word_add(ls_builder *text, const char *word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        ls_builder_add(text, " %s", word);
        return;
    }
    ls_builder_add(text, " '");
    for (; *word; word++) {
        if (*word == '\'')
            ls_builder_add(text, "'\\''");
        else
            ls_builder_put(text, word, 1);
    }
    ls_builder_add(text, "'");
}
