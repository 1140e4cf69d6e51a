#include "desync/suspect.h"

void ls_suspect_reset(ls_suspect *suspect)
{
    ls_free(suspect->place);
    ls_free(suspect->a);
    ls_free(suspect->b);
    ls_free(suspect->text);
    *suspect = (ls_suspect){0};
}
